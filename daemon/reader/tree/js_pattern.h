// js_pattern.h — whether a regular expression's pattern is one.   [UNTRUSTED: reader]
// Nothing is ever matched: a runbook may hold a pattern as a value, and what is none makes the text
// around it no JavaScript.
// In:     what stands between the slashes, and the flags.
// Cost:   two passes; groups and classes within each other are limited by `nesting`.
// Errors: none; a pattern nested too deeply is none.
// Source: ECMAScript 2024, 22.2.1 Patterns and Annex B.1.2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace rb::rdr::grammar {

[[nodiscard]] bool is_pattern(std::string_view pattern, std::string_view flags,
                              std::uint32_t nesting);

// The check itself. Characters: js_pattern.cpp. Classes and properties: js_pattern_class.cpp.
class Pattern {
 public:
  Pattern(std::u32string units, bool unicode, bool sets, std::uint32_t nesting)
      : units_(std::move(units)), unicode_(unicode), sets_(sets), nesting_(nesting) {}

  bool fine();

 private:
  static constexpr char32_t kEnd = 0xffffffff;    // no character
  static constexpr char32_t kClass = 0xfffffffe;  // in a class: stands for many, as \d does

  enum class Set { None, Plain, Strings };  // None: nothing was read

  // Characters. After bad() there are none, so that every loop ends.
  [[nodiscard]] char32_t ahead(std::size_t by = 0) const {
    return !bad_ && at_ + by < units_.size() ? units_[at_ + by] : kEnd;
  }
  bool eat(char32_t c) {
    const bool is = ahead() == c;
    at_ += is ? 1 : 0;
    return is;
  }
  bool eat_two(char32_t first, char32_t second) {
    const bool are = ahead() == first && ahead(1) == second;
    at_ += are ? 2 : 0;
    return are;
  }
  bool back_to(std::size_t at) {
    at_ = at;
    return false;
  }
  bool bad() {
    bad_ = true;
    return false;
  }
  bool enter() { return ++depth_ <= nesting_ || bad(); }

  // Terms.
  void pass();
  void disjunction();
  bool term();
  bool assertion(bool& repeatable);
  bool lookaround(bool& repeatable);
  bool quantifier(bool quiet);
  bool braces(bool quiet);
  bool atom();
  bool group();
  bool close_group();
  bool plain_character();
  bool digits(std::uint64_t& value);

  // Escapes; at_ follows the backslash.
  bool atom_escape();
  bool back_reference();
  bool named_reference();
  bool group_name(std::u32string& name);
  bool name_character(std::u32string& name);
  bool character_escape(char32_t& value);
  bool fixed_escape(char32_t& value);
  bool legacy_octal(char32_t& value);
  bool identity(char32_t& value);
  bool hex(std::uint32_t count, char32_t& value);
  bool unicode_escape(bool as_unicode, char32_t& value);
  void take_low_half(char32_t& value);
  Set class_escape();
  Set property();
  std::string property_word(bool digits_too);

  // Classes.
  bool character_class();
  Set class_contents();
  void ranges();
  bool class_atom(char32_t& value);
  bool escape_in_class(char32_t& value);
  Set set_expression();
  bool set_operation(Set& result, bool& done);
  bool set_range();
  Set set_operand();
  Set nested_class();
  Set strings();
  Set one_string();
  bool set_character(char32_t& value);

  const std::u32string units_;
  const bool unicode_;
  const bool sets_;
  const std::uint32_t nesting_;
  bool named_ = false;  // \k is a reference: with the flags u and v, or where a group has a name
  bool bad_ = false;
  std::size_t at_ = 0;
  std::uint32_t depth_ = 0;
  std::uint64_t groups_ = 0;
  std::uint64_t highest_reference_ = 0;
  std::set<std::u32string> names_;
  std::set<std::u32string> references_;
};

}  // namespace rb::rdr::grammar
