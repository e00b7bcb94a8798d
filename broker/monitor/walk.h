// walk.h — finds and signals the processes below this one.   [TRUSTED: monitor, PID 1 of a host
// run] For unsandboxed executions, where no namespace ends with its first process. The caller is a
// subreaper, so whatever daemonises stays below it. Signals go by pidfd, after a second look that
// it is still the same process.
#pragma once

#include <cstddef>

namespace rb::mon {

// Sends `signal` to every descendant; answers how many there were. 0 asks only. Processes of other
// users may refuse: they count.
std::size_t signal_descendants(int signal);

// Stops them all, then KILL again and again, reaping, until none is left, or none has gone for two
// seconds, or eight have passed. True when none is left.
[[nodiscard]] bool kill_descendants();

}  // namespace rb::mon
