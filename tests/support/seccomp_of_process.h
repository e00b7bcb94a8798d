// seccomp_of_process.h — the filters that a running process has loaded.   [tests, as root]
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "common/bytes.h"

namespace rb::testing {

// Stops the process, reads its programs (latest first), lets it go on. Empty when that fails.
[[nodiscard]] std::vector<Bytes> filters_of(pid_t pid);
// Follows the process call by call from now on, does `meanwhile` (which makes it go on), and reads
// its programs the moment it has loaded a further one. The process ends with this.
[[nodiscard]] std::vector<Bytes> filters_after_next_load(pid_t pid,
                                                         const std::function<void()>& meanwhile);

}  // namespace rb::testing
