// json.h — reads JSON: journal lines and --inputs files.   [frontends]
// In:     one value, at most 64 deep; writing is common/json_writer.h. Only includer of
//         nlohmann-json is json.cpp.
// Out:    a tree of plain values; a key that stands twice keeps its last value.
// Errors: Invalid with the byte where it breaks; never a part of the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/result.h"

namespace rb::client {

class Json {
 public:
  enum class Kind : std::uint8_t { Null, Boolean, Integer, Fraction, Text, Array, Object };

  [[nodiscard]] static Result<Json> parse(std::string_view text);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
  // Of an object; nullptr when there is no such key or this is no object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  [[nodiscard]] const std::vector<Json>& items() const { return items_; }
  [[nodiscard]] const std::vector<std::pair<std::string, Json>>& members() const {
    return members_;
  }

  // The value of a key of this object; the fallback when it is absent or of another kind.
  [[nodiscard]] std::string text(std::string_view key, std::string_view fallback = "") const;
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t fallback = 0) const;
  [[nodiscard]] bool boolean(std::string_view key, bool fallback = false) const;

  // This value as an input would be given: a text as it is, anything else as JSON.
  [[nodiscard]] std::string as_input() const;

 private:
  friend class JsonBuilder;
  Kind kind_ = Kind::Null;
  bool boolean_ = false;
  std::int64_t integer_ = 0;
  std::string text_;  // of texts; the spelling of everything as_input() can't make from parts
  std::vector<Json> items_;
  std::vector<std::pair<std::string, Json>> members_;
};

}  // namespace rb::client
