// execution_files.h — the folder of one execution, made before it is needed.   [TRUSTED: broker]
// Making it takes longer than all else between a request and its launch: each session keeps one
// ready. One that was never used is a folder without a start line, which nobody was told of.
// Source: DESIGN §8; docs/FORMATS.md §Layout.
#pragma once

#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace rb::brk {

struct Session;

struct ExecutionFiles {
  std::string id;
  Fd folder;
  Fd script;  // empty
  Fd output;  // empty, append only
  Fd index;   // empty, append only
  Fd generated;
};

// Makes the next execution's, if it isn't there; failures show when it is taken.
void prepare_files(Session& session);
// The ones made ready, or new ones. Their number is used up, also when this fails.
[[nodiscard]] Result<ExecutionFiles> take_files(Session& session);
// Removes what was made ready and never used.
void discard_files(Session& session);

}  // namespace rb::brk
