// read_back.h — what a script left to be read: outputs and generated files.   [TRUSTED: monitor]
// In:     the folder of $RUNBOOK_OUTPUT, $GENERATED_FILES, and the execution's own folder, as
//         descriptors. Call read_back() when PID 1 is reaped: from then on no process of a sandbox
//         can change what is read; one that `host` left behind can, and is found out by the times.
// Out:    `outputs` and `generated.jsonl` in the execution's folder, on disk when this returns, and
//         what of them goes into the outcome.
// Rule:   the kernel resolves beneath the folder and follows nothing, no link, no mount. Only
//         regular files are opened for reading, never before their type is known: a FIFO isn't
//         woken, a device isn't touched. What is read is bounded by bytes read, entries, depth and
//         time. Anything else is named, with the reason, and not read.
// Errors: none: what can't be read or kept is said in the list or the note, and an execution's
//         outcome doesn't depend on it.
// Source: DESIGN §7, §8; docs/FORMATS.md §What a script leaves.
#pragma once

#include "common/outcome_file.h"

namespace rb::mon {

struct Leavings {
  int folder = -1;     // the execution's own
  int results = -1;    // holds the file that $RUNBOOK_OUTPUT names; -1 for none
  int generated = -1;  // $GENERATED_FILES; -1 for none
};

inline constexpr const char* kResultsFile = "output";   // in `results`
inline constexpr const char* kResultsName = "results";  // in `host`: of `results` in `folder`

// Whether there is anything to read: asked when no process is left but PID 1, which is ours.
[[nodiscard]] bool left_anything(const Leavings& from);
// `passed`: outputs are taken of scripts that exit 0 alone.
[[nodiscard]] Left read_back(const Leavings& from, bool passed);

// The text with the value of each line `sensitive:NAME=value` left out: such a value is kept
// nowhere.
[[nodiscard]] std::string without_sensitive(std::string_view text);

}  // namespace rb::mon
