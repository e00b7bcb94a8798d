// probe.h — what this machine offers for sandboxes, found out by doing it.   [TRUSTED: broker]
// Forks a child that tries; costs about a millisecond. Nothing is believed that a file says.
// Source: DESIGN §7; threats 85, 86.
#pragma once

#include <string>

namespace rb::mon {

struct Facts {
  bool user_namespaces = false;  // and all that is built in them: a whole sandbox root
  std::string why_not;           // the stage that failed and the kernel's reason
  int landlock_abi = 0;          // 0: none
  bool seccomp = false;
  bool root = false;

  // "" when sandboxed profiles can be enforced, else what is missing.
  [[nodiscard]] std::string missing() const;
};

[[nodiscard]] Facts probe();

}  // namespace rb::mon
