// GFM's bare links: name@host, www.host/path, http(s)://host/path.
#include "daemon/reader/tree/inline.h"
#include "daemon/reader/tree/scan.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

using namespace std::string_view_literals;

bool is_atext(char c) {
  return is_ascii_alnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.' ||
         c == '_';
}

bool is_blank_or_end(CodePoint point) {
  return point.size == 0 || is_space(point.value);
}

bool is_control(char32_t c) {
  return c < 0x20 || c == 0x7f;
}

}  // namespace

// Within brackets that may become a link there are none.
bool InlineParser::take_bare_link() {
  const char c = chars_[at_];
  const char before = at_ == 0 ? '\0' : chars_[at_ - 1];
  const bool word_start = c == 'h' || c == 'H' || c == 'w' || c == 'W' || !is_atext(before);
  if (!word_start || !is_atext(c) || !brackets_.empty()) {
    return false;
  }
  std::uint32_t end = kNowhere;
  std::string_view prefix;
  if (before != '/' && !is_atext(before)) {
    end = scan_email();
    prefix = end == kNowhere ? ""sv : "mailto:"sv;
  }
  if (end == kNowhere && (c == 'w' || c == 'W')) {
    const bool fits =
        before == '\0' ? at_ == 0 : "(*_[]~ \t\n"sv.find(before) != std::string_view::npos;
    end = fits ? scan_www() : kNowhere;
    prefix = "http://";
  } else if (end == kNowhere && (c == 'h' || c == 'H') &&
             !is_ascii_alpha(static_cast<unsigned char>(before))) {
    end = scan_protocol();
  }
  if (end == kNowhere) {
    return false;
  }
  push_text(at_);
  const std::string_view shown = chars_.substr(at_, end - at_);
  Link link;
  link.url = context_.keep(std::string(prefix) + std::string(shown));
  link.bare = true;
  Piece& piece = push(PieceKind::Autolink, at_, end);
  piece.value = shown;
  piece.detail = static_cast<std::uint32_t>(context_.tree.links.size());
  context_.tree.links.push_back(link);
  at_ = plain_ = end;
  return true;
}

std::uint32_t InlineParser::scan_email() const {
  std::uint32_t i = at_;
  while (i < chars_.size() && is_atext(chars_[i])) {
    ++i;
  }
  if (i >= chars_.size() || chars_[i] != '@') {
    return kNowhere;
  }
  bool dot = false;
  bool data = false;
  for (++i; i < chars_.size(); ++i) {
    const char c = chars_[i];
    if (c == '.') {
      if (i + 1 >= chars_.size() || !is_ascii_alnum(static_cast<unsigned char>(chars_[i + 1]))) {
        break;
      }
      dot = true;
    } else if (c == '-' || c == '_' || is_ascii_alnum(static_cast<unsigned char>(c))) {
      data = true;
    } else {
      break;
    }
  }
  return data && dot && is_ascii_alpha(static_cast<unsigned char>(chars_[i - 1])) ? i : kNowhere;
}

std::uint32_t InlineParser::scan_www() {
  if (ascii_lower(chars_.substr(at_, 4)) != "www." || at_ + 4 >= chars_.size()) {
    return kNowhere;
  }
  const std::uint32_t domain = scan_domain(at_);
  return domain == kNowhere ? kNowhere : scan_path(domain);
}

std::uint32_t InlineParser::scan_protocol() {
  const std::string head = ascii_lower(chars_.substr(at_, 8));
  std::uint32_t i = 0;
  if (head.compare(0, 7, "http://") == 0) {
    i = at_ + 7;
  } else if (head == "https://") {
    i = at_ + 8;
  } else {
    return kNowhere;
  }
  const CodePoint next = decode_at(chars_, i);
  if (is_blank_or_end(next) || is_control(next.value) || is_punctuation(next.value)) {
    return kNowhere;
  }
  const std::uint32_t domain = scan_domain(i);
  return domain == kNowhere ? kNowhere : scan_path(domain);
}

// A domain fails by underscores in its last two parts; starts in front of these fail alike.
std::uint32_t InlineParser::scan_domain(std::uint32_t at) {
  if (at < no_domain_) {
    return kNowhere;
  }
  std::uint32_t dots[2] = {0, 0};
  bool seen = false;
  bool underscore = false;
  bool underscore_before = false;
  while (true) {
    const CodePoint next = decode_at(chars_, at);
    if (next.value == '.' || next.value == '_') {
      if (trail_ends(at)) {
        break;
      }
      if (next.value == '_') {
        underscore = true;
      } else {
        underscore_before = underscore;
        underscore = false;
        dots[0] = dots[1];
        dots[1] = at;
      }
    } else if (is_blank_or_end(next) || (next.value != '-' && is_punctuation(next.value))) {
      break;
    } else {
      seen = true;
    }
    at += next.size;
  }
  if (underscore || underscore_before) {
    no_domain_ = dots[0];
    return kNowhere;
  }
  return seen ? at : kNowhere;
}

std::uint32_t InlineParser::scan_path(std::uint32_t at) {
  std::uint32_t opened = 0;
  std::uint32_t closed = 0;
  while (true) {
    const CodePoint next = decode_at(chars_, at);
    if (is_blank_or_end(next)) {
      return at;
    }
    if (next.value == '(') {
      ++opened;
    } else if (next.value == ')' && closed < opened) {
      ++closed;
    } else if (next.value < 0x80 &&
               "!\"&')*,.:;<?]_~"sv.find(static_cast<char>(next.value)) != std::string_view::npos) {
      if (trail_ends(at)) {
        return at;
      }
      closed += next.value == ')' ? 1 : 0;
    }
    at += next.size;
  }
}

// From here to the URL's end there is nothing but punctuation that doesn't belong to it.
bool InlineParser::trail_ends(std::uint32_t at) {
  if (at < no_trail_) {
    return false;
  }
  while (true) {
    const CodePoint next = decode_at(chars_, at);
    if (is_blank_or_end(next) || next.value == '<') {
      return true;
    }
    const char c = next.value < 0x80 ? static_cast<char>(next.value) : '\0';
    if (c == '&') {
      std::uint32_t i = at + 1;
      while (i < chars_.size() && is_ascii_alpha(static_cast<unsigned char>(chars_[i]))) {
        ++i;
      }
      if (i == at + 1 || i >= chars_.size() || chars_[i] != ';') {
        break;
      }
      at = i + 1;
      continue;
    }
    if (c == ']') {
      const CodePoint after = decode_at(chars_, at + 1);
      if (is_blank_or_end(after) || after.value == '(' || after.value == '[') {
        return true;
      }
    } else if (c == '\0' || "!\"')*,.:;?_~"sv.find(c) == std::string_view::npos) {
      break;
    }
    at += next.size;
  }
  no_trail_ = at;
  return false;
}

}  // namespace rb::rdr::grammar
