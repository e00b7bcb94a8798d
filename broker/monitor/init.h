// init.h — the first process of an execution: builds, starts the script, reaps, ends the rest.
// [TRUSTED: monitor]  A forked copy of the monitor that never execs. In a sandbox it is PID 1: with
// it everything ends. It is readable by nobody from before the Launch comes, keeps its capabilities
// in its own namespaces (a script has none), and ends when its monitor's end of the control socket
// closes, whatever killed the monitor.
// States: preparing → waiting for the Launch → script runs → lingering (200 ms) → terminating (2 s)
//         → gone.
// Source: DESIGN §2, §7; threats 25, 55 to 58, 62, 64; attacks A26, B3.
#pragma once

#include <sys/types.h>

#include "common/fd.h"
#include "common/result.h"

namespace rb::mon {

struct First {
  pid_t pid = -1;
  Fd pidfd;
  Fd control;  // packets: a Launch, then single bytes, in; Reports out
};

// Makes it; it reports Prepared or Failed before anything else. In new namespaces if `sandbox`.
[[nodiscard]] Result<First> start_first(bool sandbox);

}  // namespace rb::mon
