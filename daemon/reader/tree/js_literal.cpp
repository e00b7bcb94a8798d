// Tokens that carry values: numbers, strings, template strings, regular expressions.
#include <algorithm>

#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {
namespace {

bool is_digit_of(char c, int base) {
  const auto u = static_cast<unsigned char>(c);
  if (base == 16) {
    return is_hex_digit(u);
  }
  return c >= '0' && c < '0' + base;
}

// The escapes that stand for one fixed character; 0: none of them.
char simple_escape(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'v':
      return '\v';
    case 'f':
      return '\f';
    default:
      return '\0';
  }
}

// A NUL in the file reads as U+FFFD, as everywhere; one that an escape stands for stays.
void append_written(std::string& out, char c) {
  if (c == '\0') {
    append_utf8(out, 0xfffd);
  } else {
    out += c;
  }
}

}  // namespace

LiteralId Js::literal(LiteralKind kind, std::string_view value, std::uint32_t begin) {
  Literal made;
  made.kind = kind;
  made.value = context_.tree.keep(value);
  made.verbatim = made.value;
  made.offset = stream_.text.offset(begin);
  context_.tree.literals.push_back(made);
  return static_cast<LiteralId>(context_.tree.literals.size() - 1);
}

bool Js::digits(int base, std::string& out) {
  bool last_digit = false;
  bool any = false;
  while (!done()) {
    const char c = peek();
    if (is_digit_of(c, base)) {
      last_digit = any = true;
    } else if (c == '_' && last_digit) {
      last_digit = false;
    } else {
      break;
    }
    out += c;
    ++at_;
  }
  return any && last_digit;
}

Js::Value Js::number() {
  const std::uint32_t begin = at_;
  std::string text;
  bool whole = true;  // may take an n
  bool fine = true;
  const char second = static_cast<char>(peek(1) | 0x20);
  if (peek() == '0' && (second == 'x' || second == 'o' || second == 'b')) {
    text = {'0', peek(1)};
    at_ += 2;
    fine = digits(second == 'x' ? 16 : second == 'o' ? 8 : 2, text);
  } else {
    if (peek() == '0' && (is_ascii_digit(static_cast<unsigned char>(peek(1))) || peek(1) == '_')) {
      fail("a number must not start with 0");
      return {};
    }
    fine = peek() == '.' || digits(10, text);
    if (fine && peek() == '.') {
      whole = false;
      text += '.';
      ++at_;
      fine = !is_ascii_digit(static_cast<unsigned char>(peek())) || digits(10, text);
    }
    if (fine && (peek() == 'e' || peek() == 'E')) {
      whole = false;
      text += peek();
      ++at_;
      if (peek() == '+' || peek() == '-') {
        text += peek();
        ++at_;
      }
      fine = digits(10, text);
    }
  }
  const bool big = fine && whole && peek() == 'n';
  at_ += big ? 1 : 0;
  if (!fine || is_id_start(point().value) || is_ascii_digit(point().value) || peek() == '\\') {
    fail("this is not a number");
    return {};
  }
  Value value;
  value.literal =
      literal(big ? LiteralKind::BigInt : LiteralKind::Number, big ? text + "n" : text, begin);
  return value;
}

// How many characters of a continuation line's indentation the reference implementation drops: two
// columns, where a tab that it begins is dropped whole.
std::uint32_t Js::dropped_indent(std::uint32_t line_start) {
  constexpr std::uint32_t kColumns = 2;
  if (!stream_.has(line_start)) {
    return 0;
  }
  const Segment& segment = stream_.text.segment(line_start);
  std::uint32_t column = segment.column;
  std::uint32_t units = 0;
  std::uint32_t i = line_start;
  for (; i < stream_.text.size(); ++i) {
    const char c = stream_.text.chars()[i];
    const bool part_of_tab = i - segment.index < segment.blanks;
    if (part_of_tab || (units < kColumns && c == ' ')) {
      units += part_of_tab && units >= kColumns ? 0 : 1;
      ++column;
    } else if (units < kColumns && c == '\t') {
      const std::uint32_t width = 4 - column % 4;
      units += std::min(width, kColumns - units);
      column += width;
    } else {
      break;
    }
  }
  return i - line_start;
}

bool Js::unicode_escape(char32_t& out) {
  // at_ stands after the u.
  out = 0;
  if (peek() == '{') {
    ++at_;
    std::uint32_t count = 0;
    while (is_hex_digit(static_cast<unsigned char>(peek())) && out <= 0x10ffff) {
      out = out * 16 + hex_value(static_cast<unsigned char>(peek()));
      ++at_;
      ++count;
    }
    if (count == 0 || out > 0x10ffff || peek() != '}') {
      return fail("this Unicode escape is not complete");
    }
    ++at_;
    return true;
  }
  for (int i = 0; i < 4; ++i) {
    if (!is_hex_digit(static_cast<unsigned char>(peek()))) {
      return fail("this Unicode escape is not complete");
    }
    out = out * 16 + hex_value(static_cast<unsigned char>(peek()));
    ++at_;
  }
  return true;
}

namespace {

bool is_high(char32_t c) {
  return c >= 0xd800 && c <= 0xdbff;
}
bool is_low(char32_t c) {
  return c >= 0xdc00 && c <= 0xdfff;
}

}  // namespace

// at_ stands after the backslash, on a character other than a line ending.
bool Js::escape(std::string& value, bool tagged) {
  const char c = peek();
  if (const char simple = simple_escape(c); simple != '\0') {
    value += simple;
    ++at_;
    return true;
  }
  if (c == 'x' || c == 'u') {
    ++at_;
    if (tagged) {
      return true;  // tagged template strings may hold broken escapes
    }
    char32_t code = 0;
    if (c == 'x') {
      if (!is_hex_digit(static_cast<unsigned char>(peek())) ||
          !is_hex_digit(static_cast<unsigned char>(peek(1)))) {
        return fail("this escape is not complete");
      }
      code = hex_value(static_cast<unsigned char>(peek())) * 16 +
             hex_value(static_cast<unsigned char>(peek(1)));
      at_ += 2;
    } else if (!unicode_escape(code)) {
      return false;
    }
    if (is_high(code) && peek() == '\\' && peek(1) == 'u') {
      const std::uint32_t back = at_;
      at_ += 2;
      char32_t low = 0;
      if (!unicode_escape(low)) {
        return false;
      }
      if (is_low(low)) {
        code = 0x10000 + ((code - 0xd800) << 10U) + (low - 0xdc00);
      } else {
        at_ = back;
      }
    }
    append_utf8(value, is_high(code) || is_low(code) ? 0xfffd : code);
    return true;
  }
  if (is_ascii_digit(static_cast<unsigned char>(c)) && !tagged) {
    if (c != '0' || is_ascii_digit(static_cast<unsigned char>(peek(1)))) {
      return fail("octal escapes are not allowed");
    }
    value += '\0';
    ++at_;
    return true;
  }
  const CodePoint other = point();
  if (other.value != 0x2028 && other.value != 0x2029) {
    value += stream_.text.chars().substr(at_, other.size);
  }
  at_ += other.size;
  return true;
}

Js::Value Js::string() {
  const std::uint32_t begin = at_;
  const char quote = peek();
  ++at_;
  std::string cooked;
  std::string verbatim;
  while (true) {
    if (done() || peek() == '\n') {
      fail_at(begin, "this string is not closed on its line");
      return {};
    }
    const char c = peek();
    if (c == quote) {
      ++at_;
      break;
    }
    ++at_;
    if (c != '\\') {
      append_written(cooked, c);
      append_written(verbatim, c);
      continue;
    }
    if (peek() == '\n') {
      ++at_;
      const std::uint32_t dropped = dropped_indent(at_);
      verbatim += stream_.text.chars().substr(at_, dropped);
      at_ += dropped;
      continue;
    }
    const std::size_t before = cooked.size();
    if (done() || !escape(cooked, false)) {
      fail_at(begin, "this string is not closed");
      return {};
    }
    verbatim.append(cooked, before, std::string::npos);
  }
  Value value;
  value.literal = literal(LiteralKind::String, cooked, begin);
  if (cooked != verbatim) {
    context_.tree.literals[value.literal].verbatim = context_.tree.keep(verbatim);
  }
  return value;
}

Js::Value Js::template_string(bool tagged) {
  const std::uint32_t begin = at_;
  ++at_;
  std::string cooked;
  std::string verbatim;
  bool substitutions = false;
  while (peek() != '`') {
    if (done()) {
      fail_at(begin, "this template string is not closed");
      return {};
    }
    if (peek() == '$' && peek(1) == '{') {
      at_ += 2;
      substitutions = true;
      ++brackets_;
      expression();
      --brackets_;
      if (failed() || !skip_space() || !take("}")) {
        fail("a substitution in a template string is not closed");
        return {};
      }
      continue;
    }
    const char c = peek();
    ++at_;
    const std::size_t before = cooked.size();
    if (c == '\n' || (c == '\\' && peek() == '\n')) {
      at_ += c == '\\' ? 1 : 0;
      const std::string_view kept = c == '\\' ? std::string_view{} : std::string_view{"\n"};
      const std::uint32_t dropped = dropped_indent(at_);
      cooked += kept;
      verbatim += kept;
      verbatim += stream_.text.chars().substr(at_, dropped);
      at_ += dropped;
      continue;
    }
    if (c != '\\') {
      append_written(cooked, c);
    } else if (done() || !escape(cooked, tagged)) {
      fail_at(begin, "this template string is not closed");
      return {};
    }
    verbatim.append(cooked, before, std::string::npos);
  }
  ++at_;
  Value value;
  if (!substitutions && !tagged) {
    value.literal = literal(LiteralKind::Template, cooked, begin);
    if (cooked != verbatim) {
      context_.tree.literals[value.literal].verbatim = context_.tree.keep(verbatim);
    }
  }
  return value;
}

bool Js::regex_flags() {
  std::string seen;
  while (!done() && is_id_continue(point().value)) {
    const char c = peek();
    if (std::string_view("dgimsuyv").find(c) == std::string_view::npos ||
        seen.find(c) != std::string::npos) {
      return fail("this regular expression has a wrong flag");
    }
    seen += c;
    ++at_;
  }
  return seen.find('u') == std::string::npos || seen.find('v') == std::string::npos ||
         fail("this regular expression has two flags that exclude each other");
}

// Groups close and quantifiers have something to repeat; finer rules of patterns are not judged.
bool Js::regex_pattern_ok(std::string_view pattern) {
  std::uint32_t open = 0;
  bool in_class = false;
  bool repeatable = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
      repeatable = true;
    } else if (in_class) {
      in_class = c != ']';
      repeatable = true;
    } else if (c == '[') {
      in_class = true;
    } else if (c == '(') {
      ++open;
      repeatable = false;
      if (i + 1 < pattern.size() && pattern[i + 1] == '?') {
        const char kind = i + 2 < pattern.size() ? pattern[i + 2] : '\0';
        if (kind != ':' && kind != '=' && kind != '!' && kind != '<') {
          return false;
        }
        i += 2;
      }
    } else if (c == ')') {
      if (open == 0) {
        return false;
      }
      --open;
      repeatable = true;
    } else if (c == '*' || c == '+' || c == '?') {
      if (!repeatable) {
        return false;
      }
      repeatable = false;
      i += i + 1 < pattern.size() && pattern[i + 1] == '?' ? 1 : 0;
    } else {
      repeatable = c != '|' && c != '^';
    }
  }
  return open == 0 && !in_class;
}

Js::Value Js::regex() {
  const std::uint32_t begin = at_;
  ++at_;
  bool in_class = false;
  while (in_class || peek() != '/') {
    const char c = peek();
    if (done() || c == '\n') {
      fail_at(begin, "this regular expression is not closed on its line");
      return {};
    }
    if (c == '\\') {
      ++at_;
      if (done() || peek() == '\n') {
        continue;
      }
    }
    in_class = c == '[' || (in_class && c != ']');
    ++at_;
  }
  ++at_;
  const std::string pattern(stream_.text.chars().substr(begin + 1, at_ - begin - 2));
  if (!regex_pattern_ok(pattern)) {
    fail_at(begin, "this is not a regular expression");
    return {};
  }
  if (!regex_flags()) {
    return {};
  }
  Value value;
  value.literal =
      literal(LiteralKind::Regex, stream_.text.chars().substr(begin, at_ - begin), begin);
  return value;
}

}  // namespace rb::rdr::grammar
