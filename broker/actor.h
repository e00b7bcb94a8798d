// actor.h — who asked, as the kernel said at accept.   [TRUSTED: broker]
#pragma once

#include <cstdint>
#include <string>

namespace rb::brk {

enum class Role : std::uint8_t { Operator = 0, Agent = 1 };  // front::Role's numbers

struct Actor {
  Role role = Role::Agent;
  std::uint32_t uid = 0;
  std::uint32_t pid = 0;
  std::string program;  // file name of /proc/PID/exe at accept; "" when it couldn't be read
  std::string name;     // self-stated
  std::uint64_t connection = 0;
};

[[nodiscard]] inline const char* name_of(Role role) {
  return role == Role::Operator ? "operator" : "agent";
}

}  // namespace rb::brk
