// json_writer.h — the one JSON encoder of trusted code.   [every process]
// In:     values in the order in which they are to stand; the caller opens and closes in pairs.
// Out:    one line of valid JSON in ASCII and UTF-8, whatever the bytes were: no control character,
//         no line separator and no direction mark stands in it unescaped, so that one event is one
//         line and `cat` shows what is there. Nothing here reads JSON; there are no fractions.
// Source: docs/FORMATS.md §JSON; DESIGN §2, §8.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "common/bytes.h"

namespace rb {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return put("{"); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return put("["); }
  JsonWriter& end_array() { return close(']'); }
  // Names the next value of the open object.
  JsonWriter& key(std::string_view name) { return text(name).close(':'); }

  // A string; malformed UTF-8 in it becomes U+FFFD.
  JsonWriter& text(std::string_view value);
  // A string where the bytes are UTF-8, else {"base64":"..."}: no byte is lost.
  JsonWriter& bytes(ByteView value);
  JsonWriter& signed_number(std::int64_t value) { return put(std::to_string(value)); }
  JsonWriter& unsigned_number(std::uint64_t value) { return put(std::to_string(value)); }
  JsonWriter& boolean(bool value) { return put(value ? "true" : "false"); }
  JsonWriter& null() { return put("null"); }

  JsonWriter& field(std::string_view name, std::string_view value) { return key(name).text(value); }
  JsonWriter& field(std::string_view name, const char* value) { return key(name).text(value); }
  JsonWriter& field(std::string_view name, ByteView value) { return key(name).bytes(value); }
  template <std::integral T>
  JsonWriter& field(std::string_view name, T value) {
    key(name);
    if constexpr (std::same_as<T, bool>) {
      return boolean(value);
    } else if constexpr (std::signed_integral<T>) {
      return signed_number(value);
    } else {
      return unsigned_number(value);
    }
  }

  // What stands there until now.
  [[nodiscard]] const std::string& view() const { return out_; }
  // The finished text; the writer is empty afterwards.
  [[nodiscard]] std::string take() { return std::exchange(out_, {}); }

 private:
  // A value as it is to stand, after the comma it may need.
  JsonWriter& put(std::string_view json);
  JsonWriter& close(char mark) {
    out_ += mark;
    return *this;
  }

  std::string out_;
};

}  // namespace rb
