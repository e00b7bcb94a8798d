// GFM's bare links: name@host, www.host/path, http(s)://host/path.
#include <utility>

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

bool ends_domain(CodePoint next) {
  return is_blank_or_end(next) || (next.value != '-' && is_punctuation(next.value));
}

// `&name;`: the index after it.
std::uint32_t after_reference(std::string_view text, std::uint32_t at) {
  std::uint32_t i = at + 1;
  while (i < text.size() && is_ascii_alpha(static_cast<unsigned char>(text[i]))) {
    ++i;
  }
  return i > at + 1 && i < text.size() && text[i] == ';' ? i + 1 : kNowhere;
}

}  // namespace

// The end of a bare link that starts here, and what its URL has in front.
std::uint32_t InlineParser::scan_bare_link(std::string_view& prefix) {
  const char c = ascii_lower(chars_[at_]);
  const char before = at_ == 0 ? ' ' : chars_[at_ - 1];
  if (before != '/' && !is_atext(before)) {
    const std::uint32_t addressed = c == 'm' || c == 'x' ? scan_addressed() : kNowhere;
    if (addressed != kNowhere) {
      return addressed;
    }
    const std::uint32_t end = scan_email(at_);
    if (end != kNowhere) {
      prefix = "mailto:";
      return end;
    }
  }
  if (c == 'w' && "(*_[]~ \t\n"sv.find(before) != std::string_view::npos) {
    prefix = "http://";
    return scan_www();
  }
  const bool protocol = c == 'h' && !is_ascii_alpha(static_cast<unsigned char>(before));
  return protocol ? scan_protocol() : kNowhere;
}

// Within brackets that may become a link there are none.
bool InlineParser::take_bare_link() {
  const char c = ascii_lower(chars_[at_]);
  const bool word_start = c == 'h' || c == 'w' || at_ == 0 || !is_atext(chars_[at_ - 1]);
  if (!word_start || !is_atext(c) || !brackets_.empty()) {
    return false;
  }
  std::string_view prefix;
  const std::uint32_t end = scan_bare_link(prefix);
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

// `mailto:name@host`, `xmpp:name@host/place`, as GFM has them; remark-gfm, and so MDX, hasn't.
std::uint32_t InlineParser::scan_addressed() const {
  if (context_.mdx()) {
    return kNowhere;
  }
  const std::string head = ascii_lower(chars_.substr(at_, 7));
  const bool xmpp = head.compare(0, 5, "xmpp:") == 0;
  if (!xmpp && head != "mailto:") {
    return kNowhere;
  }
  const std::uint32_t end = scan_email(at_ + (xmpp ? 5 : 7));
  if (end == kNowhere || !xmpp || end >= chars_.size() || chars_[end] != '/') {
    return end;
  }
  std::uint32_t i = end + 1;
  while (i < chars_.size() && (is_ascii_alnum(static_cast<unsigned char>(chars_[i])) ||
                               chars_[i] == '@' || chars_[i] == '.')) {
    ++i;
  }
  i -= chars_[i - 1] == '.' ? 1 : 0;
  return i == end + 1 ? end : i;
}

std::uint32_t InlineParser::scan_email(std::uint32_t from) const {
  const auto char_at = [&](std::uint32_t index) {
    return index < chars_.size() ? chars_[index] : '\0';
  };
  const auto alnum_at = [&](std::uint32_t index) {
    return is_ascii_alnum(static_cast<unsigned char>(char_at(index)));
  };
  std::uint32_t i = from;
  while (is_atext(char_at(i))) {
    ++i;
  }
  if (i == from || char_at(i) != '@') {
    return kNowhere;
  }
  bool dot = false;
  bool data = false;
  for (++i;; ++i) {
    const char c = char_at(i);
    const bool joins = c == '.' && alnum_at(i + 1);
    if (!joins && c != '-' && c != '_' && !alnum_at(i)) {
      break;
    }
    dot = dot || joins;
    data = data || !joins;
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
  bool underscores[2] = {false, false};  // in the part before the last dot, and after it
  bool seen = false;
  while (true) {
    const CodePoint next = decode_at(chars_, at);
    const bool joint = next.value == '.' || next.value == '_';
    const bool stops = joint ? trail_ends(at) : ends_domain(next);
    if (stops) {
      break;
    }
    seen = seen || !joint;
    underscores[1] = underscores[1] || next.value == '_';
    if (next.value == '.') {
      underscores[0] = std::exchange(underscores[1], false);
      dots[0] = std::exchange(dots[1], at);
    }
    at += next.size;
  }
  if (underscores[0] || underscores[1]) {
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

// The index after one thing that may trail a URL without belonging to it, kNowhere: this one does.
std::uint32_t InlineParser::after_trail(std::uint32_t at) const {
  const char c = chars_[at];
  if (c == '&') {
    return after_reference(chars_, at);
  }
  return "!\"')*,.:;?_~]"sv.find(c) != std::string_view::npos ? at + 1 : kNowhere;
}

// From here to the URL's end there is nothing but punctuation that doesn't belong to it.
bool InlineParser::trail_ends(std::uint32_t at) {
  if (at < no_trail_) {
    return false;
  }
  bool bracket = false;  // the character before is `]`
  while (true) {
    const CodePoint next = decode_at(chars_, at);
    const bool label = bracket && (next.value == '(' || next.value == '[');
    if (is_blank_or_end(next) || next.value == '<' || label) {
      return true;
    }
    bracket = next.value == ']';
    const std::uint32_t after = after_trail(at);
    if (after == kNowhere) {
      no_trail_ = at;
      return false;
    }
    at = after;
  }
}

}  // namespace rb::rdr::grammar
