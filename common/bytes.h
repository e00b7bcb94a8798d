// bytes.h — the byte containers and the few conversions every process needs.   [every process]
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rb {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

[[nodiscard]] inline ByteView as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
[[nodiscard]] inline std::string_view as_text(ByteView bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline Bytes to_bytes(std::string_view text) {
  const ByteView view = as_bytes(text);
  return {view.begin(), view.end()};
}

// Lower-case hexadecimal, two digits a byte.
[[nodiscard]] std::string to_hex(ByteView bytes);
// nullopt for an odd length or a character outside [0-9a-f].
[[nodiscard]] std::optional<Bytes> from_hex(std::string_view text);
// Standard base64 with padding, no line breaks.
[[nodiscard]] std::string to_base64(ByteView bytes);
[[nodiscard]] std::optional<Bytes> from_base64(std::string_view text);

// True when the text is well-formed UTF-8 (no overlong form, surrogate or value over U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view text);
// The same text with every malformed sequence replaced by U+FFFD.
[[nodiscard]] std::string to_valid_utf8(std::string_view text);

}  // namespace rb
