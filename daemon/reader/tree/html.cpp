#include "daemon/reader/tree/html.h"

#include <algorithm>
#include <array>
#include <string>

#include "daemon/reader/tree/scan.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

using namespace std::string_view_literals;

constexpr std::array kRawNames = {"pre"sv, "script"sv, "style"sv, "textarea"sv};
constexpr std::array kBlockNames = {
    "address"sv,  "article"sv,    "aside"sv,   "base"sv,     "basefont"sv, "blockquote"sv,
    "body"sv,     "caption"sv,    "center"sv,  "col"sv,      "colgroup"sv, "dd"sv,
    "details"sv,  "dialog"sv,     "dir"sv,     "div"sv,      "dl"sv,       "dt"sv,
    "fieldset"sv, "figcaption"sv, "figure"sv,  "footer"sv,   "form"sv,     "frame"sv,
    "frameset"sv, "h1"sv,         "h2"sv,      "h3"sv,       "h4"sv,       "h5"sv,
    "h6"sv,       "head"sv,       "header"sv,  "hr"sv,       "html"sv,     "iframe"sv,
    "legend"sv,   "li"sv,         "link"sv,    "main"sv,     "menu"sv,     "menuitem"sv,
    "nav"sv,      "noframes"sv,   "ol"sv,      "optgroup"sv, "option"sv,   "p"sv,
    "param"sv,    "search"sv,     "section"sv, "summary"sv,  "table"sv,    "tbody"sv,
    "td"sv,       "tfoot"sv,      "th"sv,      "thead"sv,    "title"sv,    "tr"sv,
    "track"sv,    "ul"sv};

char at_or_end(std::string_view text, std::size_t at) {
  return at < text.size() ? text[at] : '\0';
}

bool is_white(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

bool is_tag_name_char(char c) {
  return is_ascii_alnum(static_cast<unsigned char>(c)) || c == '-';
}

bool is_attribute_name_char(char c) {
  return is_ascii_alnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == ':' ||
         c == '-';
}

std::uint32_t scan_tag_name(std::string_view text, std::uint32_t at) {
  if (!is_ascii_alpha(static_cast<unsigned char>(at_or_end(text, at)))) {
    return kNowhere;
  }
  while (at < text.size() && is_tag_name_char(text[at])) {
    ++at;
  }
  return at;
}

// Finds `end` from `at`; remembers in `none_from` when there is no more of it.
std::uint32_t find_end(std::string_view text, std::uint32_t at, std::string_view end,
                       std::uint32_t& none_from) {
  if (at >= none_from) {
    return kNowhere;
  }
  const std::size_t found = text.find(end, at);
  if (found == std::string_view::npos) {
    none_from = std::min(none_from, at);
    return kNowhere;
  }
  return static_cast<std::uint32_t>(found + end.size());
}

std::uint32_t scan_value(std::string_view text, std::uint32_t at, HtmlMemory& memory) {
  const char first = at_or_end(text, at);
  if (first == '"' || first == '\'') {
    return find_end(text, at + 1, first == '"' ? "\"" : "'", memory.quotes[first == '"' ? 0 : 1]);
  }
  const std::uint32_t begin = at;
  while (at < text.size() && !is_white(text[at]) &&
         "\"'=<>`"sv.find(text[at]) == std::string_view::npos) {
    ++at;
  }
  return at > begin ? at : kNowhere;
}

// Attributes and the end of an opening tag; `at` follows the name.
std::uint32_t scan_open_rest(std::string_view text, std::uint32_t at, HtmlMemory& memory) {
  while (true) {
    const std::uint32_t blank_end = skip_whitespace(text, at);
    const char c = at_or_end(text, blank_end);
    const bool starts_name = is_ascii_alpha(static_cast<unsigned char>(c)) || c == '_' || c == ':';
    if (blank_end == at || !starts_name) {
      at = blank_end;
      break;
    }
    at = blank_end;
    while (at < text.size() && is_attribute_name_char(text[at])) {
      ++at;
    }
    const std::uint32_t equals = skip_whitespace(text, at);
    if (at_or_end(text, equals) == '=') {
      at = scan_value(text, skip_whitespace(text, equals + 1), memory);
      if (at == kNowhere) {
        return kNowhere;
      }
    }
  }
  at += at_or_end(text, at) == '/' ? 1 : 0;
  return at_or_end(text, at) == '>' ? at + 1 : kNowhere;
}

std::uint32_t scan_element(std::string_view text, std::uint32_t at, HtmlMemory& memory) {
  const bool closing = at_or_end(text, at + 1) == '/';
  const std::uint32_t name = scan_tag_name(text, at + (closing ? 2 : 1));
  if (name == kNowhere) {
    return kNowhere;
  }
  if (!closing) {
    return scan_open_rest(text, name, memory);
  }
  const std::uint32_t end = skip_whitespace(text, name);
  return at_or_end(text, end) == '>' ? end + 1 : kNowhere;
}

bool is_kind_6(std::string_view line) {
  const std::uint32_t begin = at_or_end(line, 1) == '/' ? 2 : 1;
  const std::uint32_t end = scan_tag_name(line, begin);
  if (end == kNowhere) {
    return false;
  }
  const std::string name = ascii_lower(line.substr(begin, end - begin));
  const char after = at_or_end(line, end);
  const bool ends = end == line.size() || is_white(after) || after == '>' ||
                    (after == '/' && at_or_end(line, end + 1) == '>');
  return ends && std::find(kBlockNames.begin(), kBlockNames.end(), name) != kBlockNames.end();
}

bool is_kind_1(std::string_view line) {
  const std::uint32_t end = scan_tag_name(line, 1);
  if (end == kNowhere) {
    return false;
  }
  const std::string name = ascii_lower(line.substr(1, end - 1));
  const char after = at_or_end(line, end);
  return (end == line.size() || is_white(after) || after == '>') &&
         std::find(kRawNames.begin(), kRawNames.end(), name) != kRawNames.end();
}

}  // namespace

int html_block_kind(std::string_view line, bool interrupts_paragraph) {
  if (is_kind_1(line)) {
    return 1;
  }
  if (line.substr(0, 4) == "<!--") {
    return 2;
  }
  if (line.substr(0, 2) == "<?") {
    return 3;
  }
  if (line.substr(0, 9) == "<![CDATA[") {
    return 5;
  }
  if (line.substr(0, 2) == "<!" && is_ascii_alpha(static_cast<unsigned char>(at_or_end(line, 2)))) {
    return 4;
  }
  if (is_kind_6(line)) {
    return 6;
  }
  if (interrupts_paragraph) {
    return 0;
  }
  HtmlMemory memory;
  const std::uint32_t end = scan_element(line, 0, memory);
  return end != kNowhere && skip_blanks(line, end) == line.size() ? 7 : 0;
}

bool ends_html_block(std::string_view line, int kind) {
  switch (kind) {
    case 1: {
      const std::string lower = ascii_lower(line);
      return std::any_of(kRawNames.begin(), kRawNames.end(), [&](std::string_view name) {
        return lower.find("</" + std::string(name) + ">") != std::string::npos;
      });
    }
    case 2:
      return line.find("-->") != std::string_view::npos;
    case 3:
      return line.find("?>") != std::string_view::npos;
    case 4:
      return line.find('>') != std::string_view::npos;
    case 5:
      return line.find("]]>") != std::string_view::npos;
    default:
      return false;
  }
}

std::uint32_t scan_html(std::string_view text, std::uint32_t at, HtmlMemory& memory) {
  const std::string_view rest = text.substr(at);
  if (rest.substr(0, 4) == "<!--") {
    if (rest.substr(0, 5) == "<!-->") {
      return at + 5;
    }
    if (rest.substr(0, 6) == "<!--->") {
      return at + 6;
    }
    return find_end(text, at + 4, "-->", memory.comment);
  }
  if (rest.substr(0, 2) == "<?") {
    return find_end(text, at + 2, "?>", memory.instruction);
  }
  if (rest.substr(0, 9) == "<![CDATA[") {
    return find_end(text, at + 9, "]]>", memory.character_data);
  }
  if (rest.substr(0, 2) == "<!") {
    return is_ascii_alpha(static_cast<unsigned char>(at_or_end(rest, 2)))
               ? find_end(text, at + 2, ">", memory.declaration)
               : kNowhere;
  }
  return scan_element(text, at, memory);
}

namespace {

std::uint32_t scan_email(std::string_view text, std::uint32_t at) {
  const std::uint32_t begin = at;
  while (at < text.size() && (is_ascii_alnum(static_cast<unsigned char>(text[at])) ||
                              ".!#$%&'*+/=?^_`{|}~-"sv.find(text[at]) != std::string_view::npos)) {
    ++at;
  }
  if (at == begin || at_or_end(text, at) != '@') {
    return kNowhere;
  }
  do {
    const std::uint32_t label = ++at;
    while (at < text.size() && is_tag_name_char(text[at])) {
      ++at;
    }
    if (at == label || at - label > 63 || text[label] == '-' || text[at - 1] == '-') {
      return kNowhere;
    }
  } while (at_or_end(text, at) == '.');
  return at_or_end(text, at) == '>' ? at + 1 : kNowhere;
}

}  // namespace

std::uint32_t scan_autolink(std::string_view text, std::uint32_t at, bool& email) {
  std::uint32_t i = at + 1;
  while (i < text.size() && i - at <= 33 &&
         (is_ascii_alnum(static_cast<unsigned char>(text[i])) || text[i] == '+' || text[i] == '.' ||
          text[i] == '-')) {
    ++i;
  }
  const std::uint32_t scheme = i - at - 1;
  email = false;
  if (scheme >= 2 && scheme <= 32 && is_ascii_alpha(static_cast<unsigned char>(text[at + 1])) &&
      at_or_end(text, i) == ':') {
    for (; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c == '>') {
        return i + 1;
      }
      if (c <= ' ' || c == 0x7f || c == '<') {
        return kNowhere;
      }
    }
    return kNowhere;
  }
  email = true;
  return scan_email(text, at + 1);
}

}  // namespace rb::rdr::grammar
