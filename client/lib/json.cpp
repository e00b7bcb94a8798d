#include "client/lib/json.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace rb::client {

using Parsed = nlohmann::ordered_json;

// Copies the library's tree into ours, so that nothing but this file knows it.
class JsonBuilder {
 public:
  static constexpr int kDeepest = 64;

  static bool copy(const Parsed& from, Json& into, int depth) {
    if (depth > kDeepest) {
      return false;
    }
    if (from.is_object()) {
      return copy_object(from, into, depth);
    }
    if (from.is_array()) {
      into.kind_ = Json::Kind::Array;
      into.text_ = spelling(from);
      for (const Parsed& item : from) {
        if (!copy(item, into.items_.emplace_back(), depth + 1)) {
          return false;
        }
      }
      return true;
    }
    copy_scalar(from, into);
    return true;
  }

 private:
  static std::string spelling(const Parsed& from) {
    return from.dump(-1, ' ', false, Parsed::error_handler_t::replace);
  }

  static bool copy_object(const Parsed& from, Json& into, int depth) {
    into.kind_ = Json::Kind::Object;
    into.text_ = spelling(from);
    for (const auto& [key, value] : from.items()) {
      into.members_.emplace_back(key, Json());
      if (!copy(value, into.members_.back().second, depth + 1)) {
        return false;
      }
    }
    return true;
  }

  static void copy_scalar(const Parsed& from, Json& into) {
    if (from.is_string()) {
      into.kind_ = Json::Kind::Text;
      into.text_ = from.get<std::string>();
      return;
    }
    into.text_ = spelling(from);
    if (from.is_boolean()) {
      into.kind_ = Json::Kind::Boolean;
      into.boolean_ = from.get<bool>();
    } else if (from.is_number_unsigned() &&
               from.get<std::uint64_t>() >
                   static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      into.kind_ = Json::Kind::Fraction;  // beyond what integer() can say; its spelling stays exact
    } else if (from.is_number_integer()) {
      into.kind_ = Json::Kind::Integer;
      into.integer_ = from.get<std::int64_t>();
    } else if (from.is_number()) {
      into.kind_ = Json::Kind::Fraction;
    }
  }
};

namespace {

// The library parses without recursion but spells and frees with it: depth is judged first.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      i += c == '\\' ? 1 : 0;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > JsonBuilder::kDeepest) {
        return true;
      }
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<Json> Json::parse(std::string_view text) {
  if (too_deep(text)) {
    return error(Code::TooLarge, "JSON is nested too deeply");
  }
  try {
    const Parsed parsed = Parsed::parse(text);
    Json out;
    if (!JsonBuilder::copy(parsed, out, 0)) {
      return error(Code::TooLarge, "JSON is nested too deeply");
    }
    return out;
  } catch (const Parsed::parse_error& broken) {
    return error(Code::Invalid, "not JSON: it breaks at byte " + std::to_string(broken.byte));
  } catch (const Parsed::exception&) {
    return error(Code::Invalid, "not JSON");
  }
}

const Json* Json::find(std::string_view key) const {
  for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
    if (member->first == key) {
      return &member->second;
    }
  }
  return nullptr;
}

std::string Json::text(std::string_view key, std::string_view fallback) const {
  const Json* value = find(key);
  return value != nullptr && value->is(Kind::Text) ? value->text_ : std::string(fallback);
}

std::int64_t Json::integer(std::string_view key, std::int64_t fallback) const {
  const Json* value = find(key);
  return value != nullptr && value->is(Kind::Integer) ? value->integer_ : fallback;
}

bool Json::boolean(std::string_view key, bool fallback) const {
  const Json* value = find(key);
  return value != nullptr && value->is(Kind::Boolean) ? value->boolean_ : fallback;
}

std::string Json::as_input() const {
  return text_;
}

}  // namespace rb::client
