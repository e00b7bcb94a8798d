// mount_clone.h — a read-only view of the state folder that nobody can widen.   [TRUSTED: broker]
// A descriptor opened for reading can be opened again for writing through /proc by whoever has it
// and owns the file. One opened through this detached mount can't: re-opening, chmod, truncate and
// xattr answer EROFS. Made once, at start, by a short-lived child in namespaces of its own.
// Source: attack A12; DESIGN §2.
#pragma once

#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace rb::brk {

// `folder` lies at `path`. Forks: call before anything secret is in memory.
[[nodiscard]] Result<Fd> read_only_clone(int folder, const std::string& path);

}  // namespace rb::brk
