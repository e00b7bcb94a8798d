#include "daemon/reader/tree/js_pattern.h"

#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

bool is_octal(char32_t c) {
  return c >= '0' && c <= '7';
}
bool one_of(char32_t c, std::string_view set) {
  return c != 0 && c < 0x80 && set.find(static_cast<char>(c)) != std::string_view::npos;
}
bool is_syntax(char32_t c) {
  return one_of(c, "^$\\.*+?()[]{}|");
}
bool is_high(char32_t c) {
  return c >= 0xd800 && c <= 0xdbff;
}
bool is_low(char32_t c) {
  return c >= 0xdc00 && c <= 0xdfff;
}

// Characters; without the flags u and v halves of them, as JavaScript counts.
std::u32string units_of(std::string_view pattern, bool unicode) {
  std::u32string out;
  for (std::size_t at = 0; at < pattern.size();) {
    const CodePoint next = decode_at(pattern, at);
    at += next.size;
    if (unicode || next.value < 0x10000) {
      out += next.value;
    } else {
      out += static_cast<char32_t>(0xd800 + ((next.value - 0x10000) >> 10U));
      out += static_cast<char32_t>(0xdc00 + ((next.value - 0x10000) & 0x3ffU));
    }
  }
  return out;
}

}  // namespace

bool Pattern::fine() {
  named_ = unicode_;
  pass();
  if (!bad_ && !named_ && !names_.empty()) {
    named_ = true;
    pass();
  }
  return !bad_;
}

void Pattern::pass() {
  at_ = 0;
  groups_ = highest_reference_ = 0;
  names_.clear();
  references_.clear();
  disjunction();
  const bool known =
      std::includes(names_.begin(), names_.end(), references_.begin(), references_.end());
  if (at_ != units_.size() || highest_reference_ > groups_ || !known) {
    bad();
  }
}

void Pattern::disjunction() {
  if (!enter()) {
    return;
  }
  do {
    while (ahead() != kEnd && term()) {
    }
  } while (eat('|'));
  if (quantifier(true) || eat('{')) {
    bad();  // nothing to repeat
  }
  --depth_;
}

bool Pattern::term() {
  bool repeatable = false;
  if (assertion(repeatable)) {
    // Without the flags u and v a look ahead may be repeated.
    if (repeatable && quantifier(false) && unicode_) {
      bad();
    }
    return true;
  }
  if (!atom()) {
    return false;
  }
  static_cast<void>(quantifier(false));
  return true;
}

bool Pattern::assertion(bool& repeatable) {
  return eat('^') || eat('$') || eat_two('\\', 'b') || eat_two('\\', 'B') || lookaround(repeatable);
}

// `(?=`, `(?!`, `(?<=`, `(?<!`
bool Pattern::lookaround(bool& repeatable) {
  const std::size_t begin = at_;
  if (!eat_two('(', '?')) {
    return false;
  }
  const bool behind = eat('<');
  if (!eat('=') && !eat('!')) {
    return back_to(begin);
  }
  disjunction();
  repeatable = !behind;
  return close_group();
}

bool Pattern::close_group() {
  return eat(')') || bad();
}

// `quiet`: only looked for, what is wrong with it doesn't matter.
bool Pattern::quantifier(bool quiet) {
  if (!eat('*') && !eat('+') && !eat('?') && !braces(quiet)) {
    return false;
  }
  eat('?');
  return true;
}

bool Pattern::digits(std::uint64_t& value) {
  constexpr std::uint64_t kLarge = 1'000'000'000'000'000;
  const std::size_t begin = at_;
  for (value = 0; is_ascii_digit(ahead()); ++at_) {
    value = std::min(kLarge, value * 10 + (ahead() - '0'));
  }
  return at_ > begin;
}

// `{2}`, `{2,}`, `{2,5}`
bool Pattern::braces(bool quiet) {
  const std::size_t begin = at_;
  if (!eat('{')) {
    return false;
  }
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  if (digits(least)) {
    const bool limited = eat(',') && digits(most);
    if (eat('}')) {
      return !limited || most >= least || quiet || bad();
    }
  }
  return unicode_ && !quiet ? bad() : back_to(begin);
}

bool Pattern::atom() {
  if (eat('.') || character_class() || group() || plain_character()) {
    return true;
  }
  const std::size_t begin = at_;
  if (eat('\\')) {
    if (ahead() == kEnd) {
      return bad();
    }
    if (atom_escape()) {
      return true;
    }
    // `\c` that names no character: the backslash is one.
    return bad_ ? false : (at_ = begin + 1, true);
  }
  if (unicode_) {
    return false;
  }
  if (braces(true)) {
    return bad();
  }
  return one_of(ahead(), "]{}") && eat(ahead());
}

bool Pattern::plain_character() {
  if (ahead() == kEnd || is_syntax(ahead())) {
    return false;
  }
  ++at_;
  return true;
}

// `(…)`, `(?:…)`, `(?<name>…)`
bool Pattern::group() {
  if (!eat('(')) {
    return false;
  }
  if (eat_two('?', ':')) {
    disjunction();
    return close_group();
  }
  if (eat('?')) {
    std::u32string name;
    if (!group_name(name) || !names_.insert(name).second) {
      return bad();
    }
  }
  disjunction();
  ++groups_;
  return close_group();
}

bool Pattern::atom_escape() {
  if (back_reference() || class_escape() != Set::None) {
    return true;
  }
  char32_t value = 0;
  return character_escape(value) || (named_ && named_reference()) || (unicode_ && bad());
}

// Without the flags u and v a number that names no group is an old octal escape, or itself.
bool Pattern::back_reference() {
  const std::size_t begin = at_;
  std::uint64_t number = 0;
  if (ahead() == '0' || !digits(number)) {
    return false;
  }
  if (unicode_) {
    highest_reference_ = std::max(highest_reference_, number);
    return true;
  }
  return number <= groups_ || back_to(begin);
}

bool Pattern::named_reference() {
  std::u32string name;
  if (!eat('k')) {
    return false;
  }
  if (!group_name(name)) {
    return bad();
  }
  references_.insert(name);
  return true;
}

// `<name>`
bool Pattern::group_name(std::u32string& name) {
  if (!eat('<')) {
    return bad();
  }
  while (name_character(name)) {
  }
  return !name.empty() && (eat('>') || bad());
}

bool Pattern::name_character(std::u32string& name) {
  const std::size_t begin = at_;
  char32_t c = ahead();
  if (c == kEnd) {
    return false;
  }
  ++at_;
  if (c == '\\' && !unicode_escape(true, c)) {
    return back_to(begin);
  }
  if (is_high(c) && is_low(ahead())) {
    c = 0x10000 + ((c - 0xd800) << 10U) + (ahead() - 0xdc00);
    ++at_;
  }
  if (!(name.empty() ? is_id_start(c) : is_id_continue(c))) {
    return back_to(begin);
  }
  name += c;
  return true;
}

bool Pattern::character_escape(char32_t& value) {
  const std::size_t begin = at_;
  if (fixed_escape(value)) {
    return true;
  }
  if (eat('x')) {
    if (hex(2, value)) {
      return true;
    }
    back_to(begin);
  }
  return unicode_escape(unicode_, value) || (!unicode_ && legacy_octal(value)) || identity(value);
}

// `\t`, `\cA`, `\0`
bool Pattern::fixed_escape(char32_t& value) {
  constexpr std::string_view kNames = "tnvfr";
  const char32_t c = ahead();
  if (one_of(c, kNames)) {
    value = static_cast<char32_t>("\t\n\v\f\r"[kNames.find(static_cast<char>(c))]);
    ++at_;
    return true;
  }
  if (c == 'c' && is_ascii_alpha(ahead(1))) {
    value = ahead(1) % 0x20;
    at_ += 2;
    return true;
  }
  if (c == '0' && !is_ascii_digit(ahead(1))) {
    value = 0;
    ++at_;
    return true;
  }
  return false;
}

// Up to three digits, at most 0377.
bool Pattern::legacy_octal(char32_t& value) {
  if (!is_octal(ahead())) {
    return false;
  }
  const std::uint32_t most = ahead() <= '3' ? 3 : 2;
  value = 0;
  for (std::uint32_t i = 0; i < most && is_octal(ahead()); ++i, ++at_) {
    value = value * 8 + (ahead() - '0');
  }
  return true;
}

bool Pattern::identity(char32_t& value) {
  value = ahead();
  const bool fits = unicode_ ? is_syntax(value) || value == '/'
                             : value != kEnd && value != 'c' && !(named_ && value == 'k');
  at_ += fits ? 1 : 0;
  return fits;
}

bool Pattern::hex(std::uint32_t count, char32_t& value) {
  const std::size_t begin = at_;
  value = 0;
  for (std::uint32_t i = 0; i < count; ++i, ++at_) {
    if (ahead() == kEnd || !is_hex_digit(ahead())) {
      return back_to(begin);
    }
    value = value * 16 + hex_value(ahead());
  }
  return true;
}

// `\u0041`, and with the flags u and v `\u{41}` and two halves.
bool Pattern::unicode_escape(bool as_unicode, char32_t& value) {
  const std::size_t begin = at_;
  if (!eat('u')) {
    return false;
  }
  if (hex(4, value)) {
    if (as_unicode && is_high(value)) {
      take_low_half(value);
    }
    return true;
  }
  if (!as_unicode) {
    return back_to(begin);
  }
  if (!eat('{')) {
    return bad();
  }
  value = 0;
  const std::size_t first = at_;
  for (; ahead() != kEnd && is_hex_digit(ahead()); ++at_) {
    value = std::min<char32_t>(0x110000, value * 16 + hex_value(ahead()));
  }
  return (at_ > first && value <= 0x10ffff && eat('}')) || bad();
}

// The second half of a character, if it follows.
void Pattern::take_low_half(char32_t& value) {
  const std::size_t begin = at_;
  char32_t low = 0;
  if (eat_two('\\', 'u') && hex(4, low) && is_low(low)) {
    value = 0x10000 + ((value - 0xd800) << 10U) + (low - 0xdc00);
  } else {
    back_to(begin);
  }
}

bool is_pattern(std::string_view pattern, std::string_view flags, std::uint32_t nesting) {
  const bool sets = flags.find('v') != std::string_view::npos;
  const bool unicode = sets || flags.find('u') != std::string_view::npos;
  return Pattern(units_of(pattern, unicode), unicode, sets, nesting).fine();
}

}  // namespace rb::rdr::grammar
