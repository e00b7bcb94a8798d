#include "common/json_reader.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace rb {
namespace {

constexpr std::size_t kDepth = 16;
constexpr std::size_t kValues = 100'000;
constexpr std::size_t kNames = 1024;  // of one object: finding a name is linear

// Builds the tree from the library's events; the library's own tree would take a name twice.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(Fractions fractions) : fractions_(fractions) {}
  bool null() override { return value(Json()); }
  bool boolean(bool given) override { return value(Json(given)); }
  bool number_integer(number_integer_t given) override {
    return value(Json(std::uint64_t{0} - static_cast<std::uint64_t>(given), true));
  }
  bool number_unsigned(number_unsigned_t given) override { return value(Json(given, false)); }
  bool number_float(number_float_t, const string_t& spelled) override {
    return fractions_ == Fractions::Keep ? value(Json::fraction(spelled)) : refuse("a fraction");
  }
  bool string(string_t& given) override { return value(Json(std::move(given))); }
  bool binary(binary_t&) override { return refuse("binary"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& given) override {
    if (open_.back().value.find(given) != nullptr) {
      return refuse("a name twice in one object");
    }
    if (open_.back().value.names().size() >= kNames) {
      return refuse("more than " + std::to_string(kNames) + " names in one object");
    }
    open_.back().name = std::move(given);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return refuse("not JSON at byte " + std::to_string(position));
  }

  Result<Json> take(bool parsed) {
    if (!parsed) {
      return error(Code::Invalid, why_);
    }
    return std::move(root_);
  }

 private:
  struct Open {
    Json value;
    std::string name;  // of the field that comes next
  };

  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool value(Json given) {
    if (++count_ > kValues) {
      return refuse("more than " + std::to_string(kValues) + " values");
    }
    place(std::move(given));
    return true;
  }

  void place(Json given) {
    if (open_.empty()) {
      root_ = std::move(given);
    } else if (open_.back().value.is(Json::Kind::Object)) {
      open_.back().value.add(std::move(open_.back().name), std::move(given));
    } else {
      open_.back().value.add(std::move(given));
    }
  }

  bool open(Json container) {
    if (open_.size() >= kDepth) {
      return refuse("nested more than " + std::to_string(kDepth) + " levels");
    }
    if (++count_ > kValues) {
      return refuse("more than " + std::to_string(kValues) + " values");
    }
    open_.push_back({std::move(container), {}});
    return true;
  }

  bool close() {
    Json whole = std::move(open_.back().value);
    open_.pop_back();
    place(std::move(whole));
    return true;
  }

  Fractions fractions_;
  Json root_;
  std::vector<Open> open_;
  std::size_t count_ = 0;
  std::string why_;
};

}  // namespace

std::optional<std::int64_t> Json::number() const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (kind_ != Kind::Number || !text_.empty() || magnitude_ > kMost + (negative_ ? 1 : 0)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(negative_ ? std::uint64_t{0} - magnitude_ : magnitude_);
}

std::optional<std::uint64_t> Json::natural() const {
  if (kind_ != Kind::Number || !text_.empty() || (negative_ && magnitude_ != 0)) {
    return std::nullopt;
  }
  return magnitude_;
}

const Json* Json::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  return at == names_.end() ? nullptr : &items_[static_cast<std::size_t>(at - names_.begin())];
}

std::string_view Json::text_at(std::string_view name) const {
  const Json* const field = find(name);
  return field == nullptr ? std::string_view() : std::string_view(field->text());
}

std::uint64_t Json::natural_at(std::string_view name) const {
  const Json* const field = find(name);
  return field == nullptr ? 0 : field->natural().value_or(0);
}

bool Json::boolean_at(std::string_view name) const {
  const Json* const field = find(name);
  return field != nullptr && field->boolean();
}

Result<Json> parse_json(std::string_view text, Fractions fractions) {
  Builder builder(fractions);
  try {
    const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return builder.take(parsed);
  } catch (const std::exception&) {  // the library's, or no memory: nothing of it gets past here
    return error(Code::Invalid, "not JSON");
  }
}

}  // namespace rb
