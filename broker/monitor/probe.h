// probe.h — what this machine offers for sandboxes, found out by doing it.   [TRUSTED: broker]
// Nothing is believed that a file says. Source: DESIGN §7; threats 41, 85, 86.
#pragma once

#include <string>

#include "common/bytes.h"
#include "policy/profile.h"

namespace rb::mon {

struct Facts {
  int landlock_abi = 0;  // 0: none
  bool seccomp = false;
  bool root = false;

  // "" when sandboxed profiles can be enforced as far as these say, else what is missing.
  [[nodiscard]] std::string missing() const;
};

[[nodiscard]] Facts probe();

// A whole launch with a terminal, as every execution's: namespaces, root, mounts, limits, Landlock,
// the filter, the exec of a shell with an empty script. Takes some milliseconds. "" when all of it
// could be done, else the stage that failed and the kernel's reason.
[[nodiscard]] std::string try_launch(const policy::Profile& profile, const Bytes& filter);

}  // namespace rb::mon
