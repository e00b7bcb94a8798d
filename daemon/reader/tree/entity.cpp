#include "daemon/reader/tree/entity.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

struct Entity {
  std::string_view name;
  std::string_view characters;
};

constexpr Entity kEntities[] = {
#include "daemon/reader/tree/entity_table.inc"
};

constexpr std::size_t kLongestName = 31;
constexpr char32_t kReplacement = 0xfffd;

// What browsers read in &#128; to &#159; (0: itself).
constexpr char32_t kWindows1252[32] = {
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

bool is_surrogate_or_beyond(char32_t c) {
  return (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff;
}

char32_t markdown_number(char32_t c) {
  const bool control = c < 0x09 || c == 0x0b || (c > 0x0d && c < 0x20) || (c > 0x7e && c < 0xa0);
  const bool nonchar = (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffeU) == 0xfffeU;
  return control || nonchar || is_surrogate_or_beyond(c) ? kReplacement : c;
}

char32_t attribute_number(char32_t c) {
  if (is_surrogate_or_beyond(c) || c == 0) {
    return kReplacement;
  }
  if (c >= 0x80 && c <= 0x9f && kWindows1252[c - 0x80] != 0) {
    return kWindows1252[c - 0x80];
  }
  return c;
}

// Digits of a reference from `at` on; the index after them.
std::size_t read_digits(std::string_view text, std::size_t at, bool hex, char32_t& value) {
  const auto fits = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return hex ? is_hex_digit(byte) : is_ascii_digit(byte);
  };
  value = 0;
  for (; at < text.size() && fits(text[at]); ++at) {
    const std::uint32_t digit = hex_value(static_cast<unsigned char>(text[at]));
    value = value > 0x110000 ? value : value * (hex ? 16U : 10U) + digit;
  }
  return at;
}

std::size_t decode_number(std::string_view text, std::size_t at, References rules,
                          std::string& out) {
  const bool hex = at + 2 < text.size() && (text[at + 2] == 'x' || text[at + 2] == 'X');
  const std::size_t first = at + (hex ? 3 : 2);
  char32_t value = 0;
  const std::size_t end = read_digits(text, first, hex, value);
  const std::size_t digits = end - first;
  const bool too_long = rules == References::Markdown && digits > (hex ? 6U : 7U);
  if (digits == 0 || too_long || end >= text.size() || text[end] != ';') {
    return 0;
  }
  append_utf8(out,
              rules == References::Markdown ? markdown_number(value) : attribute_number(value));
  return end + 1 - at;
}

}  // namespace

std::size_t decode_reference(std::string_view text, std::size_t at, References rules,
                             std::string& out) {
  if (at + 1 < text.size() && text[at + 1] == '#') {
    return decode_number(text, at, rules, out);
  }
  std::size_t end = at + 1;
  while (end < text.size() && end - at - 1 <= kLongestName &&
         is_ascii_alnum(static_cast<unsigned char>(text[end]))) {
    ++end;
  }
  if (end == at + 1 || end >= text.size() || text[end] != ';') {
    return 0;
  }
  const std::string_view name = text.substr(at + 1, end - at - 1);
  const Entity* found =
      std::lower_bound(std::begin(kEntities), std::end(kEntities), name,
                       [](const Entity& entry, std::string_view key) { return entry.name < key; });
  if (found == std::end(kEntities) || found->name != name) {
    return 0;
  }
  out += found->characters;
  return end + 1 - at;
}

std::string decode_references(std::string_view text, References rules) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t taken = text[at] == '&' ? decode_reference(text, at, rules, out) : 0;
    if (taken == 0) {
      out += text[at++];
    }
    at += taken;
  }
  return out;
}

std::string decode_string(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '\\' && at + 1 < text.size() &&
        is_ascii_punctuation(static_cast<unsigned char>(text[at + 1]))) {
      out += text[at + 1];
      at += 2;
      continue;
    }
    const std::size_t taken =
        text[at] == '&' ? decode_reference(text, at, References::Markdown, out) : 0;
    if (taken == 0) {
      out += text[at++];
    }
    at += taken;
  }
  return out;
}

}  // namespace rb::rdr::grammar
