// decide.h — whether a request may run, and in which profile.   [TRUSTED: broker]
// Pure: the answer depends on the arguments alone, so a table of cases is a proof of it.
// Until policy files exist, operators may ask for every profile that this machine enforces, and
// agents may start nothing. Source: DESIGN §7.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "policy/profile.h"

namespace rb::policy {

enum class Role { Operator, Agent };

struct Request {
  Role role = Role::Agent;
  std::string_view block_type;     // check, command, run, ...
  std::string_view block_profile;  // what the block itself names; "" when it names none
  std::string_view asked_profile;  // what the person asked for; "" takes the block's default
};

enum class Why { NotPermitted, UnknownProfile };

struct Allow {
  Profile profile;
};
struct Refuse {
  Why why = Why::NotPermitted;
  std::string text;  // one sentence and what to do
};
using Decision = std::variant<Allow, Refuse>;

[[nodiscard]] Decision decide(const Request& request);
// The profile of a block that names none: checks look, everything else works.
[[nodiscard]] std::string_view default_profile(std::string_view block_type);

}  // namespace rb::policy
