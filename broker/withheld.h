// withheld.h — places that no script may be given, as work folder or by a grant.   [TRUSTED:
// broker] What is or holds home, / or the record; what lies in the record. Judged by what the
// kernel calls the place, and by what it is: another mount of the same folder has other names and
// the same number. Nothing here waits for a file system that doesn't answer, but home's own.
// Source: DESIGN §7; docs/SECURITY.md §Grants.
#pragma once

#include "common/fd.h"

namespace rb::brk {

struct Broker;
class Environment;

// `place` is open, O_PATH at least; a descriptor without a path is withheld.
[[nodiscard]] bool is_withheld(const Broker& broker, const Environment& session, const Fd& place);

}  // namespace rb::brk
