// jail.h — what the script's process does to itself between fork and exec.   [TRUSTED: monitor]
// In:     a process that PID 1 just forked; in a sandbox it stands in the finished root.
// Out:    never returns: the interpreter runs, or a Report says which stage failed and why.
// Order:  session and streams, signals, limits, descriptors, privileges, Landlock, filter, then it
//         waits until the sandbox is finished, says so, and waits for `go`: an end of file instead
//         of either byte means that nothing is ever executed.
// Source: DESIGN §7; threats 1 to 15, 27, 31, 42.
#pragma once

#include "broker/monitor/launch.h"
#include "common/fd.h"

namespace rb::mon {

struct JailEnds {
  int streams = -1;  // for 1 and 2, or the terminal's own side for 0, 1 and 2
  int built = -1;    // read end: a byte when the sandbox is finished around this process
  int go = -1;       // read end
  int report = -1;   // write end, close-on-exec: its end of file says "executed"
};

// The descriptor on which an interpreter finds a script in memory. High, so that scripts which use
// 3 to 9 by hand don't meet it.
inline constexpr int kScriptDescriptor = 100;

[[noreturn]] void run_script(const Launch& launch, const JailEnds& ends);

// Landlock: everything readable and executable, writable only where the mounts are.
// Unsupported without Landlock; rights and structure are fitted to the kernel's ABI.
[[nodiscard]] Status restrict_paths(const Launch& launch);
// The kernel's Landlock ABI, 0 when there is none.
[[nodiscard]] int landlock_abi();

}  // namespace rb::mon
