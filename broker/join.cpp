#include "broker/join.h"

#include <algorithm>
#include <optional>

#include "broker/environment.h"
#include "policy/builtin.h"
#include "protocol/limits.h"

namespace rb::brk {
namespace {

using front::Reason;

constexpr std::string_view kHarmless =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@%+=,-";

Refusal bad(const InputSpec& input, const std::string& why) {
  return {Reason::BAD_INPUT, "input " + input.name + " " + why};
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_number(std::string_view value, bool fraction) {
  if (value.starts_with('-') || value.starts_with('+')) {
    value.remove_prefix(1);
  }
  const std::size_t point = fraction ? value.find('.') : std::string_view::npos;
  if (point == std::string_view::npos) {
    return all_digits(value);
  }
  return all_digits(value.substr(0, point)) && all_digits(value.substr(point + 1));
}

// Why the value isn't one of its declared type; nullptr when it is.
const char* misfit(const InputSpec& input, const std::string& value) {
  if (value.size() > limits::kInputBytes || value.find('\0') != std::string::npos) {
    return "is too long or holds a NUL byte";
  }
  if (input.type == "int" && !is_number(value, false)) {
    return "must be a whole number";
  }
  if (input.type == "float" && !is_number(value, true)) {
    return "must be a number";
  }
  if (input.type == "bool" && value != "true" && value != "false") {
    return "must be true or false";
  }
  if (input.type == "enum" &&
      std::find(input.options.begin(), input.options.end(), value) == input.options.end()) {
    return "must be one of its options";
  }
  return nullptr;
}

bool fits(const Given& given, const InputSpec& input) {
  return given.name == input.name &&
         (given.inputs_id.empty() || given.inputs_id == input.inputs_id);
}

std::optional<std::string> chosen(const InputSpec& input, const std::vector<Given>& given) {
  const Given* best = nullptr;
  for (const Given& one : given) {  // a value for this very id is the stronger one
    if (fits(one, input) &&
        (best == nullptr || best->inputs_id.empty() || !one.inputs_id.empty())) {
      best = &one;
    }
  }
  if (best != nullptr) {
    return best->value;
  }
  return input.has_fallback ? std::optional(input.fallback) : std::nullopt;
}

// How a reference is spelled where it stands.
std::string reference(const std::string& variable, reader::Place place) {
  switch (place) {
    case reader::Place::PLAIN:
      return "\"${" + variable + "}\"";
    case reader::Place::DOUBLE_QUOTED:
    case reader::Place::HERE_DOCUMENT:
      return "${" + variable + "}";
    case reader::Place::SINGLE_QUOTED:
      return "'\"${" + variable + "}\"'";
    case reader::Place::UNSET:
    case reader::Place::HARMLESS_ONLY:
      break;
  }
  return {};
}

// Why a value may not have come the way it did; null when it may.
const char* missealed(const InputSpec& input, const std::vector<Given>& given) {
  for (const Given& one : given) {
    if (fits(one, input) && one.secret != input.sensitive) {
      return one.secret ? "isn't sensitive, and its value came sealed"
                        : "is sensitive: its value has to come sealed";
    }
  }
  return nullptr;
}

class Joiner {
 public:
  Joiner(const Executable& executable, JoinRules rules) : executable_(executable), rules_(rules) {}

  std::optional<Refusal> choose(const std::vector<Given>& given) {
    std::string missing;
    for (const InputSpec& input : executable_.inputs) {
      if (const char* why = missealed(input, given)) {
        return bad(input, why);
      }
      const std::optional<std::string> value = chosen(input, given);
      if (lacks(input, value)) {
        missing += (missing.empty() ? "" : ", ") + input.name;
      } else if (value) {
        if (const char* why = misfit(input, *value)) {
          return bad(input, why);
        }
        out_.inputs.emplace(input.name, *value);
      }
    }
    if (!missing.empty()) {
      return Refusal{Reason::MISSING_INPUT,
                     "missing input: " + missing + "; give each with --input NAME=VALUE"};
    }
    return std::nullopt;
  }

  std::optional<Refusal> write() {
    const Bytes& script = *executable_.script;
    for (const Piece& piece : executable_.trace) {
      if (piece.kind == Piece::Kind::Literal) {
        const auto start = script.begin() + static_cast<std::ptrdiff_t>(piece.offset);
        out_.script.insert(out_.script.end(), start,
                           start + static_cast<std::ptrdiff_t>(piece.length));
      } else if (piece.kind == Piece::Kind::Insertion) {
        if (std::optional<Refusal> refused = insert(piece)) {
          return refused;
        }
      }
    }
    return out_.script.size() > 2 * limits::kScriptBytes
               ? std::optional(Refusal{Reason::BAD_INPUT, "the values make the script too long"})
               : std::nullopt;
  }

  std::optional<Refusal> name_variables() {
    for (const InputSpec& input : executable_.inputs) {
      const auto value = out_.inputs.find(input.name);
      if (!rules_.by_name || value == out_.inputs.end()) {
        continue;
      }
      if (!is_variable_name(input.name) || !policy::may_be_input(input.name) ||
          input.name.starts_with("RUNBOOKD_") || input.name.starts_with("RB_")) {
        return bad(input, "has a name that no variable of a script may have");
      }
      out_.variables.push_back(input.name + "=" + value->second);
    }
    return std::nullopt;
  }

  // Sensitive values reach the script and nothing else.
  Joined take() {
    for (const InputSpec& input : executable_.inputs) {
      const auto value = out_.inputs.find(input.name);
      if (input.sensitive && value != out_.inputs.end()) {
        value->second = "[secret]";
      }
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool lacks(const InputSpec& input, const std::optional<std::string>& value) const {
    return input.required ? !value || value->empty() : !value && used(input.name);
  }
  [[nodiscard]] bool used(const std::string& name) const {
    return std::any_of(executable_.trace.begin(), executable_.trace.end(),
                       [&name](const Piece& piece) {
                         return piece.kind == Piece::Kind::Insertion && piece.input == name;
                       });
  }
  [[nodiscard]] const InputSpec& spec(const std::string& name) const {
    return *std::find_if(executable_.inputs.begin(), executable_.inputs.end(),
                         [&name](const InputSpec& input) { return input.name == name; });
  }

  // RB_1 is the first input that the trace inserts, whatever the values are.
  std::string variable_of(const std::string& input, const std::string& value) {
    const auto [at, fresh] = references_.emplace(input, references_.size() + 1);
    const std::string name = "RB_" + std::to_string(at->second);
    if (fresh) {
      out_.variables.push_back(name + "=" + value);
    }
    return name;
  }

  std::optional<Refusal> insert(const Piece& piece) {
    const InputSpec& input = spec(piece.input);
    const std::string& value = out_.inputs.at(piece.input);
    const auto as_it_is = [&] {
      out_.script.insert(out_.script.end(), value.begin(), value.end());
      return std::optional<Refusal>();
    };
    if (rules_.verbatim && !input.sensitive) {
      return as_it_is();
    }
    if (!piece.not_value.empty() && value == piece.not_value) {
      return bad(input, "has a value that would end the here-document" + place_of(piece));
    }
    // Its schema says that it may begin so, and misfit() that digits follow.
    const bool number = input.type == "int" || input.type == "float";
    if (piece.word_start && value.starts_with('-') && !number) {
      return bad(input,
                 "may not begin with \"-\": it would be read as an option" + place_of(piece));
    }
    if ((is_harmless(value) || number) && !input.sensitive) {
      return as_it_is();
    }
    if (piece.place == reader::Place::HARMLESS_ONLY && input.sensitive) {
      return bad(input, "is sensitive and can't stand here: " + piece.why + place_of(piece));
    }
    if (piece.place == reader::Place::HARMLESS_ONLY) {
      return bad(input, "may hold only letters, digits and _./:@%+=,- here: " + piece.why +
                            place_of(piece));
    }
    const std::string text = reference(variable_of(input.name, value), piece.place);
    out_.script.insert(out_.script.end(), text.begin(), text.end());
    return std::nullopt;
  }
  static std::string place_of(const Piece& piece) {
    return " (line " + std::to_string(piece.line) + ")";
  }

  const Executable& executable_;
  JoinRules rules_;
  Joined out_;
  std::map<std::string, std::size_t> references_;
};

}  // namespace

bool is_harmless(std::string_view value) {
  return !value.empty() && value.front() != '-' &&
         value.find_first_not_of(kHarmless) == std::string_view::npos;
}

std::variant<Joined, Refusal> join(const Executable& executable, const std::vector<Given>& given,
                                   JoinRules rules) {
  Joiner joiner(executable, rules);
  if (std::optional<Refusal> refused = joiner.choose(given)) {
    return *refused;
  }
  if (std::optional<Refusal> refused = joiner.write()) {
    return *refused;
  }
  if (std::optional<Refusal> refused = joiner.name_variables()) {
    return *refused;
  }
  return joiner.take();
}

}  // namespace rb::brk
