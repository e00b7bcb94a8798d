// json_reader.h — reads JSON that may be hostile.   [reader, frontends, tests: never trusted code]
// In:     one text; whole numbers only (unless fractions are asked for), at most 16 levels, 100,000
// values and 1,024 names in an
//         object, no name twice, well-formed UTF-8. Everything else is Invalid, so that no two
//         readers of one line can understand it differently.
// Out:    a tree of values in the order of the text.
// Only includer of nlohmann-json. Source: docs/FORMATS.md §JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"

namespace rb {

class Json {
 public:
  enum class Kind : std::uint8_t { Null, Boolean, Number, Text, Array, Object };

  Json() = default;
  explicit Json(bool value) : kind_(Kind::Boolean), negative_(value) {}
  explicit Json(std::string value) : kind_(Kind::Text), text_(std::move(value)) {}
  Json(std::uint64_t magnitude, bool negative)
      : kind_(Kind::Number), negative_(negative), magnitude_(magnitude) {}
  // A number as it was spelled: text() holds it, number() and natural() don't.
  static Json fraction(std::string spelled) {
    Json out(std::move(spelled));
    out.kind_ = Kind::Number;
    return out;
  }
  static Json array() { return Json(Kind::Array); }
  static Json object() { return Json(Kind::Object); }

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool is(Kind kind) const { return kind_ == kind; }
  // false, "", nullopt and empty for values of another kind.
  [[nodiscard]] bool boolean() const { return kind_ == Kind::Boolean && negative_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::optional<std::int64_t> number() const;
  [[nodiscard]] std::optional<std::uint64_t> natural() const;
  // Elements of an array; values of an object, in the order of names().
  [[nodiscard]] const std::vector<Json>& items() const { return items_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  // A field of an object; nullptr when there is none.
  [[nodiscard]] const Json* find(std::string_view name) const;

  // Fields with the absent, null and wrongly typed ones told apart from nothing: "" , 0, false.
  [[nodiscard]] std::string_view text_at(std::string_view name) const;
  [[nodiscard]] std::uint64_t natural_at(std::string_view name) const;
  [[nodiscard]] bool boolean_at(std::string_view name) const;

  void add(Json item) { items_.push_back(std::move(item)); }
  void add(std::string name, Json item) {
    names_.push_back(std::move(name));
    items_.push_back(std::move(item));
  }

 private:
  explicit Json(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::Null;
  bool negative_ = false;  // of a number; the value of a boolean
  std::uint64_t magnitude_ = 0;
  std::string text_;
  std::vector<std::string> names_;
  std::vector<Json> items_;
};

// Invalid names the byte at which the text stopped making sense.
enum class Fractions : std::uint8_t { Refuse, Keep };
[[nodiscard]] Result<Json> parse_json(std::string_view text,
                                      Fractions fractions = Fractions::Refuse);

}  // namespace rb
