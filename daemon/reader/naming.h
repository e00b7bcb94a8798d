// naming.h — what may be a name on the wire and on a command line.   [UNTRUSTED: reader]
// Source: docs/RUNBOOKS.md §Ids.
#pragma once

#include <string>
#include <string_view>

#include "common/bytes.h"

namespace rb::rdr {

inline constexpr std::size_t kNameBytes = 256;
inline constexpr std::size_t kTextBytes = 4096;

// A name a person can read and type: UTF-8, no control character, at most 256 bytes.
[[nodiscard]] inline bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kNameBytes || !is_utf8(text)) {
    return false;
  }
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return false;
    }
  }
  return true;
}

// Text for people, made to fit: valid UTF-8, control characters as blanks, cut with "..." at
// `most`.
[[nodiscard]] inline std::string for_people(std::string_view text, std::size_t most = 1000) {
  const bool cut = text.size() > most;
  std::size_t end = cut ? most : text.size();
  while (cut && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;  // not through the middle of a character
  }
  std::string out = to_valid_utf8(text.substr(0, end));
  for (char& c : out) {
    c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return cut ? out + "..." : out;
}

}  // namespace rb::rdr
