// verdict.h — how an execution ended, from what was seen of it, and the files that say so.
// [TRUSTED: monitor]  judge() is pure. Durable when write_outcome() returns: output first, then
// outcome.bin and outcome.json, each whole under its name or not there at all.
// Source: DESIGN §8; threat 67; attack B5.
#pragma once

#include <optional>

#include "common/fd.h"
#include "common/outcome_file.h"
#include "common/result.h"

namespace rb::mon {

// Why we ended it, where we did. The first reason counts.
struct Reason {
  Ended outcome = Ended::Stopped;
  std::string cause;
};

struct Seen {
  std::optional<int> wait_status;  // of the script; absent when its end wasn't reported
  std::optional<Reason> reason;    // given before the script ended
  int exec_errno = 0;              // the interpreter couldn't be executed
  bool killed_by_us = false;
  bool is_check = false;
};

// Fills outcome, exit, signal, cause and warn.
void judge(const Seen& seen, Outcome& outcome);

// Writes both files into `folder`; answers the digest of outcome.bin.
[[nodiscard]] Result<Digest> write_outcome(int folder, const Outcome& outcome);

}  // namespace rb::mon
