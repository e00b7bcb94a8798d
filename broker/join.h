// join.h — the script of one execution, from the registry's bytes and the values.   [TRUSTED:
// broker] The reader only said where values go. Literals come from the sealed bytes; a value of the
// harmless alphabet stands as it is, any other becomes a reference to a variable of the execution,
// spelled for its place, and where no reference can stand it is refused. A sensitive value is
// always a reference, and comes sealed or not at all. Nothing is parsed here. Source: DESIGN §6;
// attacks A18, A19, A21.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "broker/refusal.h"
#include "broker/registry.h"

namespace rb::brk {

// A value given with a request.
struct Given {
  std::string name;
  std::string inputs_id;  // "" fits every block that declares the name
  std::string value;
  bool secret = false;  // came sealed
};

struct Joined {
  Bytes script;
  std::vector<std::string> variables;         // "RB_1=value", and Markdown's inputs by name
  std::map<std::string, std::string> inputs;  // what is recorded: name → value, or "[secret]"
};

// `by_name`: inputs also reach the script as variables of their names (Markdown).
struct JoinRules {
  bool verbatim = false;
  bool by_name = false;
};
[[nodiscard]] std::variant<Joined, Refusal> join(const Executable& executable,
                                                 const std::vector<Given>& given, JoinRules rules);

// A-Za-z0-9_./:@%+=,- and not starting with "-"; not empty.
[[nodiscard]] bool is_harmless(std::string_view value);

}  // namespace rb::brk
