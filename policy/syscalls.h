// syscalls.h — which system calls a sandbox may make, as data.   [TRUSTED: broker]
// A call is allowed, refused with EPERM, or (any other number, known or not) answered ENOSYS, so
// that programs fall back as on an older kernel. Argument rules refuse some uses of allowed calls.
// broker/filter.cpp turns this into a program. Every process of a sandbox has it from before its
// exec. Source: DESIGN §7; threats 1 to 3 and 16 to 32.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "policy/profile.h"

namespace rb::policy {

// Names separated by spaces.
[[nodiscard]] std::string_view allowed_calls();
[[nodiscard]] std::string_view refused_calls();
// x86-64 numbers of allowed calls that are newer than the library that knows names.
[[nodiscard]] std::span<const int> allowed_numbers();

// Refuses a call where (argument & mask) == value, in both places if `also` is set.
struct ArgumentRule {
  struct Test {
    unsigned argument = 0;
    std::uint64_t mask = 0;
    std::uint64_t value = 0;
  };
  std::string_view call;
  int errnum = 0;
  Test test;
  bool also = false;
  Test second;
};

// Whether socket(AF_UNIX) can be had. `sockets_scoped`: Landlock keeps abstract sockets of other
// domains away (ABI 6). Where neither it nor a network namespace of its own does, the call is
// refused; socketpair always works.
[[nodiscard]] bool has_unix_sockets(const Profile& profile, bool sockets_scoped);
[[nodiscard]] std::vector<ArgumentRule> argument_rules(const Profile& profile, bool sockets_scoped);

}  // namespace rb::policy
