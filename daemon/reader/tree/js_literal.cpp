// Tokens that carry values: numbers, strings, template strings, regular expressions.
#include <algorithm>
#include <utility>

#include "daemon/reader/tree/js.h"
#include "daemon/reader/tree/js_pattern.h"

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

// `0x1f`, `0o17`, `0b11`; at_ stands on the 0.
bool Js::based_number(std::string& text) {
  const char letter = peek(1);
  const char lower = ascii_lower(letter);
  text = {'0', letter};
  at_ += 2;
  return digits(lower == 'x' ? 16 : lower == 'o' ? 8 : 2, text);
}

// `e+5`, or nothing.
bool Js::exponent(std::string& text) {
  if (peek() != 'e' && peek() != 'E') {
    return true;
  }
  text += peek();
  ++at_;
  if (peek() == '+' || peek() == '-') {
    text += peek();
    ++at_;
  }
  return digits(10, text);
}

// `12.5e-3`, `.5`, `5.`
bool Js::decimal_number(std::string& text) {
  const auto digit_at = [&](std::uint32_t ahead) {
    return is_ascii_digit(static_cast<unsigned char>(peek(ahead)));
  };
  if (peek() == '0' && (digit_at(1) || peek(1) == '_')) {
    return fail("a number must not start with 0");
  }
  if (peek() != '.' && !digits(10, text)) {
    return false;
  }
  if (peek() == '.') {
    text += '.';
    ++at_;
    if (digit_at(0) && !digits(10, text)) {
      return false;
    }
  }
  return exponent(text);
}

Js::Value Js::number() {
  const std::uint32_t begin = at_;
  std::string text;
  const bool based = peek() == '0' && std::string_view("xXoObB").find(peek(1)) < 6;
  const bool fine = based ? based_number(text) : decimal_number(text);
  const bool whole = based || text.find_first_of(".eE") == std::string::npos;
  const bool big = fine && whole && take("n");
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

// `\\xHH`; at_ follows the x.
bool Js::hex_escape(char32_t& out) {
  const auto digit = [&](std::uint32_t ahead) { return static_cast<unsigned char>(peek(ahead)); };
  if (!is_hex_digit(digit(0)) || !is_hex_digit(digit(1))) {
    return fail("this escape is not complete");
  }
  out = hex_value(digit(0)) * 16 + hex_value(digit(1));
  at_ += 2;
  return true;
}

// The second half of a character written as two `\\uHHHH`, if it follows.
bool Js::low_surrogate(char32_t& code) {
  if (!is_high(code) || peek() != '\\' || peek(1) != 'u') {
    return true;
  }
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
  return true;
}

// `\\x41`, `\\u0041`, `\\u{41}`; at_ stands on the letter. Half a character reads as U+FFFD.
bool Js::code_escape(std::string& value) {
  const bool hex = peek() == 'x';
  ++at_;
  char32_t code = 0;
  if (!(hex ? hex_escape(code) : unicode_escape(code)) || !low_surrogate(code)) {
    return false;
  }
  append_utf8(value, is_high(code) || is_low(code) ? 0xfffd : code);
  return true;
}

// at_ stands after the backslash, on a character other than a line ending.
bool Js::escape(std::string& value, bool tagged) {
  const char c = peek();
  const char simple = simple_escape(c);
  const bool code = c == 'x' || c == 'u';
  const bool digit = is_ascii_digit(static_cast<unsigned char>(c));
  if (simple != '\0' || (tagged && (code || digit))) {
    ++at_;  // tagged template strings may hold broken escapes
    value += simple;
    return true;
  }
  if (code) {
    return code_escape(value);
  }
  if (digit) {
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

// After a line ending within a string: the indentation that only `verbatim` keeps.
void Js::take_indent(std::string& verbatim) {
  const std::uint32_t dropped = dropped_indent(at_);
  verbatim += stream_.text.chars().substr(at_, dropped);
  at_ += dropped;
}

Js::Value Js::text_literal(LiteralKind kind, const Strings& read, std::uint32_t begin) {
  Value value;
  value.literal = literal(kind, read.cooked, begin);
  if (read.cooked != read.verbatim) {
    context_.tree.literals[value.literal].verbatim = context_.tree.keep(read.verbatim);
  }
  return value;
}

// One character, escape or line continuation of a string.
bool Js::string_piece(Strings& read) {
  const char c = peek();
  ++at_;
  if (c == '\\' && peek() == '\n') {
    ++at_;
    take_indent(read.verbatim);
    return true;
  }
  const std::size_t before = read.cooked.size();
  if (c != '\\') {
    append_written(read.cooked, c);
  } else if (done() || !escape(read.cooked, read.tagged)) {
    return false;
  }
  read.verbatim.append(read.cooked, before, std::string::npos);
  if (c == '\n') {
    take_indent(read.verbatim);
  }
  return true;
}

Js::Value Js::string() {
  const std::uint32_t begin = at_;
  const char quote = peek();
  ++at_;
  Strings read;
  while (peek() != quote) {
    if (done() || peek() == '\n' || !string_piece(read)) {
      fail_at(begin, "this string is not closed on its line");
      return {};
    }
  }
  ++at_;
  return text_literal(LiteralKind::String, read, begin);
}

// `${…}`; at_ stands on the dollar sign.
bool Js::substitution() {
  at_ += 2;
  ++brackets_;
  expression();
  --brackets_;
  return !failed() && skip_space() &&
         (take("}") || fail("a substitution in a template string is not closed"));
}

Js::Value Js::template_string(bool tagged) {
  const std::uint32_t begin = at_;
  ++at_;
  Strings read;
  read.tagged = tagged;
  bool whole = !tagged;
  while (peek() != '`') {
    const bool substitutes = looking_at("${");
    whole = whole && !substitutes;
    if (done() || !(substitutes ? substitution() : string_piece(read))) {
      fail_at(begin, "this template string is not closed");
      return {};
    }
  }
  ++at_;
  return whole ? text_literal(LiteralKind::Template, read, begin) : Value{};
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
  const std::uint32_t end = at_;
  if (!regex_flags()) {
    return {};
  }
  const std::string_view chars = stream_.text.chars();
  if (!is_pattern(chars.substr(begin + 1, end - begin - 2), chars.substr(end, at_ - end),
                  context_.limits.nesting)) {
    fail_at(begin, "this is not a regular expression");
    return {};
  }
  Value value;
  value.literal =
      literal(LiteralKind::Regex, stream_.text.chars().substr(begin, at_ - begin), begin);
  return value;
}

}  // namespace rb::rdr::grammar
