// Classes of a pattern and the properties of Unicode.
#include "daemon/reader/tree/js_pattern.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

#include "daemon/reader/tree/pattern_names.inc"

bool one_of(char32_t c, std::string_view set) {
  return c != 0 && c < 0x80 && set.find(static_cast<char>(c)) != std::string_view::npos;
}
bool listed(std::string_view names, const std::string& name) {
  return names.find(" " + name + " ") != std::string_view::npos;
}
}  // namespace

// `\d`, `\p{…}`
Pattern::Set Pattern::class_escape() {
  const char32_t c = ahead();
  if (one_of(c, "dDsSwW")) {
    ++at_;
    return Set::Plain;
  }
  if (!unicode_ || (c != 'p' && c != 'P')) {
    return Set::None;
  }
  ++at_;
  const Set found = eat('{') ? property() : Set::None;
  if (found == Set::None || !eat('}') || (c == 'P' && found == Set::Strings)) {
    bad();
    return Set::None;
  }
  return found;
}

std::string Pattern::property_word(bool digits_too) {
  std::string out;
  for (char32_t c = ahead(); is_ascii_alpha(c) || c == '_' || (digits_too && is_ascii_digit(c));
       c = ahead()) {
    out += static_cast<char>(c);
    ++at_;
  }
  return out;
}

// `Script=Greek`, `Lu`, `RGI_Emoji`
Pattern::Set Pattern::property() {
  const std::size_t begin = at_;
  const std::string name = property_word(false);
  if (!name.empty() && eat('=')) {
    const std::string value = property_word(true);
    const bool category = name == "General_Category" || name == "gc";
    const bool script =
        name == "Script" || name == "sc" || name == "Script_Extensions" || name == "scx";
    return !value.empty() &&
                   ((category && listed(kCategories, value)) || (script && listed(kScripts, value)))
               ? Set::Plain
               : Set::None;
  }
  back_to(begin);
  const std::string lone = property_word(true);
  if (lone.empty()) {
    return Set::None;
  }
  if (listed(kBinary, lone) || listed(kCategories, lone)) {
    return Set::Plain;
  }
  return sets_ && listed(kStrings, lone) ? Set::Strings : Set::None;
}

bool Pattern::character_class() {
  if (!eat('[')) {
    return false;
  }
  const bool negated = eat('^');
  const Set found = class_contents();
  return (eat(']') && !(negated && found == Set::Strings)) || bad();
}

Pattern::Set Pattern::class_contents() {
  if (ahead() == ']') {
    return Set::Plain;
  }
  if (sets_) {
    return set_expression();
  }
  ranges();
  return Set::Plain;
}

void Pattern::ranges() {
  char32_t left = 0;
  while (class_atom(left)) {
    char32_t right = 0;
    if (!eat('-') || !class_atom(right)) {
      continue;
    }
    const bool many = left == kClass || right == kClass;
    if (many ? unicode_ : left > right) {
      bad();
    }
  }
}

bool Pattern::class_atom(char32_t& value) {
  const std::size_t begin = at_;
  if (eat('\\')) {
    if (escape_in_class(value)) {
      return true;
    }
    if (unicode_ || bad_) {
      return bad();
    }
    back_to(begin);
  }
  value = ahead();
  if (value == kEnd || value == ']') {
    return false;
  }
  ++at_;
  return true;
}

bool Pattern::escape_in_class(char32_t& value) {
  if (eat('b')) {
    value = '\b';
    return true;
  }
  if (unicode_ && eat('-')) {
    value = '-';
    return true;
  }
  if (!unicode_ && ahead() == 'c' && (is_ascii_digit(ahead(1)) || ahead(1) == '_')) {
    value = ahead(1) % 0x20;
    at_ += 2;
    return true;
  }
  if (class_escape() != Set::None) {
    value = kClass;
    return true;
  }
  return character_escape(value);
}

// The flag v: `[a-z[0-9]]`, `[\w--\d]`, `[a&&b]`
Pattern::Set Pattern::set_expression() {
  if (!enter()) {
    return Set::None;
  }
  Set result = Set::Plain;
  bool done = false;
  if (!set_range() && !set_operation(result, done)) {
    bad();
  }
  while (!done && !bad_) {
    if (set_range()) {
      continue;
    }
    const Set next = set_operand();
    done = next == Set::None;
    result = next == Set::Strings ? Set::Strings : result;
  }
  --depth_;
  return result;
}

// The first operand, and what `&&` or `--` say about it. False: there is no operand.
bool Pattern::set_operation(Set& result, bool& done) {
  const Set first = set_operand();
  if (first == Set::None) {
    return false;
  }
  result = first;
  while (eat_two('&', '&')) {
    const Set next = ahead() == '&' ? Set::None : set_operand();
    if (next == Set::None) {
      return false;
    }
    result = next == Set::Strings ? result : Set::Plain;
    done = true;
  }
  while (!done && ahead() == '-' && ahead(1) == '-') {
    while (eat_two('-', '-')) {
      if (set_operand() == Set::None) {
        return false;
      }
    }
    done = true;
  }
  return true;
}

bool Pattern::set_range() {
  const std::size_t begin = at_;
  char32_t left = 0;
  char32_t right = 0;
  if (set_character(left) && eat('-') && set_character(right)) {
    return left <= right || bad();
  }
  return back_to(begin);
}

Pattern::Set Pattern::set_operand() {
  char32_t value = 0;
  if (set_character(value)) {
    return Set::Plain;
  }
  const Set found = strings();
  return found == Set::None ? nested_class() : found;
}

Pattern::Set Pattern::nested_class() {
  const std::size_t begin = at_;
  if (eat('[')) {
    const bool negated = eat('^');
    const Set found = class_contents();
    if (!eat(']') || (negated && found == Set::Strings)) {
      bad();
      return Set::None;
    }
    return found;
  }
  if (eat('\\')) {
    const Set found = class_escape();
    if (found != Set::None) {
      return found;
    }
    back_to(begin);
  }
  return Set::None;
}

// `\q{abc|d}`
Pattern::Set Pattern::strings() {
  if (!eat_two('\\', 'q')) {
    return Set::None;
  }
  Set result = eat('{') ? one_string() : Set::None;
  while (eat('|')) {
    result = one_string() == Set::Strings ? Set::Strings : result;
  }
  if (result == Set::None || !eat('}')) {
    bad();
    return Set::None;
  }
  return result;
}

Pattern::Set Pattern::one_string() {
  std::size_t count = 0;
  for (char32_t value = 0; set_character(value);) {
    ++count;
  }
  return count == 1 ? Set::Plain : Set::Strings;
}

bool Pattern::set_character(char32_t& value) {
  const std::size_t begin = at_;
  if (eat('\\')) {
    if (character_escape(value)) {
      return true;
    }
    value = ahead();
    if (one_of(value, "&-!#%,:;<=>@`~")) {
      ++at_;
      return true;
    }
    if (eat('b')) {
      value = '\b';
      return true;
    }
    return back_to(begin);
  }
  value = ahead();
  const bool doubled = value == ahead(1) && one_of(value, "!#$%&*+,.:;<=>?@^`~");
  if (value == kEnd || doubled || one_of(value, "()-/[\\]{|}")) {
    return false;
  }
  ++at_;
  return true;
}

}  // namespace rb::rdr::grammar
