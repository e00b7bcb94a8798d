#include "daemon/reader/tree/scan.h"

#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::uint32_t size_of(std::string_view text) {
  return static_cast<std::uint32_t>(text.size());
}

// After a backslash in a label: a bracket or backslash doesn't count as one.
bool is_label_escape(std::string_view text, std::uint32_t at) {
  return at + 1 < text.size() && text[at] == '\\' &&
         (text[at + 1] == '[' || text[at + 1] == ']' || text[at + 1] == '\\');
}

// A backslash in front of punctuation.
bool is_escape(std::string_view text, std::uint32_t at) {
  return text[at] == '\\' && at + 1 < text.size() &&
         is_ascii_punctuation(static_cast<unsigned char>(text[at + 1]));
}

// A bare destination ends before a blank or a parenthesis, not before another control character.
bool may_end_destination(std::string_view text, std::uint32_t at) {
  return at >= text.size() || !is_control(text[at]) || text[at] == '\t' || text[at] == '\n';
}

std::uint32_t scan_enclosed(std::string_view text, std::uint32_t at, Range& inside) {
  inside.begin = at + 1;
  for (std::uint32_t i = at + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '>') {
      inside.end = i;
      return i + 1;
    }
    if (c == '<' || c == '\n') {
      return kNowhere;
    }
    i += is_escape(text, i) ? 1 : 0;
  }
  return kNowhere;
}

}  // namespace

std::uint32_t scan_label(std::string_view text, std::uint32_t at, Range& inside) {
  if (at >= text.size() || text[at] != '[') {
    return kNowhere;
  }
  bool seen = false;
  std::uint32_t characters = 0;
  std::uint32_t i = at + 1;
  for (; i < text.size() && text[i] != ']'; ++i) {
    const char c = text[i];
    if (c == '[' || characters > kLongestLabel) {
      return kNowhere;
    }
    seen = seen || (!is_blank(c) && c != '\n');
    i += is_label_escape(text, i) ? 1 : 0;
    characters += (static_cast<unsigned char>(c) & 0xc0U) == 0x80U ? 0 : 1;
  }
  inside = {at + 1, i};
  return seen && i < text.size() ? i + 1 : kNowhere;
}

std::uint32_t scan_footnote_label(std::string_view text, std::uint32_t at, Range& inside) {
  if (text.substr(at, 2) != "[^") {
    return kNowhere;
  }
  for (std::uint32_t i = at + 2; i < text.size() && i - at <= kLongestLabel + 2; ++i) {
    const char c = text[i];
    if (c == ']') {
      inside = {at + 2, i};
      return i > at + 2 ? i + 1 : kNowhere;
    }
    if (c == '[' || is_blank(c) || c == '\n') {
      return kNowhere;
    }
    i += is_label_escape(text, i) ? 1 : 0;
  }
  return kNowhere;
}

std::uint32_t scan_destination(std::string_view text, std::uint32_t at, std::uint32_t nesting,
                               Range& inside) {
  if (at < text.size() && text[at] == '<') {
    return scan_enclosed(text, at, inside);
  }
  std::uint32_t open = 0;
  std::uint32_t i = at;
  for (; i < text.size() && text[i] != ' ' && !is_control(text[i]); ++i) {
    if (text[i] == ')' && open == 0) {
      break;
    }
    open += text[i] == '(' ? 1 : 0;
    open -= text[i] == ')' ? 1 : 0;
    if (open > nesting) {
      return kNowhere;
    }
    i += is_escape(text, i) ? 1 : 0;
  }
  inside = {at, i};
  return i > at && open == 0 && may_end_destination(text, i) ? i : kNowhere;
}

std::uint32_t scan_title(std::string_view text, std::uint32_t at, Range& inside) {
  if (at >= text.size()) {
    return kNowhere;
  }
  const char open = text[at];
  if (open != '"' && open != '\'' && open != '(') {
    return kNowhere;
  }
  const char close = open == '(' ? ')' : open;
  for (std::uint32_t i = at + 1; i < text.size(); ++i) {
    const char c = text[i];
    if (c == close) {
      inside = {at + 1, i};
      return i + 1;
    }
    if (c == '(' && open == '(') {
      return kNowhere;
    }
    if (c == '\\' && i + 1 < text.size() && text[i + 1] != '\n') {
      ++i;
    }
  }
  return kNowhere;
}

std::uint32_t skip_whitespace(std::string_view text, std::uint32_t at) {
  while (at < text.size() && (is_blank(text[at]) || text[at] == '\n')) {
    ++at;
  }
  return at;
}

std::uint32_t skip_blanks(std::string_view text, std::uint32_t at) {
  while (at < text.size() && is_blank(text[at])) {
    ++at;
  }
  return at;
}

std::uint32_t scan_definition(std::string_view text, std::uint32_t at, DefinitionParts& parts) {
  std::uint32_t i = scan_label(text, at, parts.label);
  if (i == kNowhere || i >= text.size() || text[i] != ':') {
    return kNowhere;
  }
  i = scan_destination(text, skip_whitespace(text, i + 1), kNowhere - 1, parts.destination);
  if (i == kNowhere) {
    return kNowhere;
  }
  const auto at_line_end = [&](std::uint32_t index) {
    const std::uint32_t end = skip_blanks(text, index);
    return end >= text.size() || text[end] == '\n' ? end : kNowhere;
  };
  const std::uint32_t before_title = skip_whitespace(text, i);
  if (before_title > i) {
    const std::uint32_t after = scan_title(text, before_title, parts.title);
    if (after != kNowhere && at_line_end(after) != kNowhere) {
      parts.has_title = true;
      return at_line_end(after);
    }
  }
  return at_line_end(i);
}

std::uint32_t heading_depth(std::string_view line) {
  std::uint32_t depth = 0;
  while (depth < line.size() && line[depth] == '#') {
    ++depth;
  }
  if (depth == 0 || depth > 6) {
    return 0;
  }
  return depth == line.size() || is_blank(line[depth]) ? depth : 0;
}

bool is_thematic_break(std::string_view line) {
  if (line.empty() || (line[0] != '*' && line[0] != '-' && line[0] != '_')) {
    return false;
  }
  std::uint32_t count = 0;
  for (const char c : line) {
    if (c == line[0]) {
      ++count;
    } else if (!is_blank(c)) {
      return false;
    }
  }
  return count >= 3;
}

std::uint32_t setext_depth(std::string_view line) {
  if (line.empty() || (line[0] != '=' && line[0] != '-')) {
    return 0;
  }
  std::uint32_t i = 0;
  while (i < line.size() && line[i] == line[0]) {
    ++i;
  }
  if (skip_blanks(line, i) != size_of(line)) {
    return 0;
  }
  return line[0] == '=' ? 1 : 2;
}

std::uint32_t fence_length(std::string_view line) {
  if (line.empty() || (line[0] != '`' && line[0] != '~')) {
    return 0;
  }
  std::uint32_t length = 0;
  while (length < line.size() && line[length] == line[0]) {
    ++length;
  }
  if (length < 3 || (line[0] == '`' && line.find('`', length) != std::string_view::npos)) {
    return 0;
  }
  return length;
}

bool closes_fence(std::string_view line, char fence, std::uint32_t length) {
  std::uint32_t i = 0;
  while (i < line.size() && line[i] == fence) {
    ++i;
  }
  return i >= length && skip_blanks(line, i) == size_of(line);
}

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::string without_indents(std::string_view text) {
  std::string out;
  bool line_begins = false;
  for (const char c : text) {
    line_begins = c == '\n' || (line_begins && (c == ' ' || c == '\t'));
    if (c == '\n' || !line_begins) {
      out += c;
    }
  }
  return out;
}

}  // namespace rb::rdr::grammar
