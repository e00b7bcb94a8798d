// unicode.h — the few character classes the grammars need.   [UNTRUSTED: reader]
// In:     bytes that should be UTF-8; a byte that isn't stands for itself, as one character U+FFFD.
// Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rb::rdr::grammar {

struct CodePoint {
  char32_t value = 0;
  std::uint32_t size = 0;  // bytes; 0 only at the end of the text
};

[[nodiscard]] CodePoint decode_at(std::string_view text, std::size_t at);
// The character that ends just before `at`; size 0 at the start.
[[nodiscard]] CodePoint decode_before(std::string_view text, std::size_t at);
void append_utf8(std::string& out, char32_t value);

[[nodiscard]] inline bool is_ascii_alpha(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] inline bool is_ascii_digit(char32_t c) {
  return c >= '0' && c <= '9';
}
[[nodiscard]] inline bool is_ascii_alnum(char32_t c) {
  return is_ascii_alpha(c) || is_ascii_digit(c);
}
[[nodiscard]] inline bool is_ascii_punctuation(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}
[[nodiscard]] inline bool is_hex_digit(char32_t c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
[[nodiscard]] inline std::uint32_t hex_value(char32_t c) {
  return is_ascii_digit(c) ? static_cast<std::uint32_t>(c - '0')
                           : static_cast<std::uint32_t>((c | 0x20U) - 'a' + 10);
}
[[nodiscard]] inline char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
[[nodiscard]] std::string ascii_lower(std::string_view text);

// JavaScript's \s, which is also Markdown's "Unicode whitespace" here.
[[nodiscard]] bool is_space(char32_t c);
// Unicode categories P and S.
[[nodiscard]] bool is_punctuation(char32_t c);
// JavaScript identifiers; `jsx` allows `-` in the continuation.
[[nodiscard]] bool is_id_start(char32_t c);
[[nodiscard]] bool is_id_continue(char32_t c);

// A label's identity: blanks collapsed, outer ones removed, case folded.
[[nodiscard]] std::string normalize_label(std::string_view label);

}  // namespace rb::rdr::grammar
