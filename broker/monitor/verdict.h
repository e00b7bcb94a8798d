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

// Both files of one execution. Their room is taken before anything runs, so that a full disk can't
// take the outcome away; what isn't written by the end leaves nothing in the folder.
class OutcomeFiles {
 public:
  // In `folder`, which stays the caller's and open.
  [[nodiscard]] Status reserve(int folder);
  // Answers the digest of outcome.bin.
  [[nodiscard]] Result<Digest> write(const Outcome& outcome);

  OutcomeFiles() = default;
  OutcomeFiles(const OutcomeFiles&) = delete;
  OutcomeFiles& operator=(const OutcomeFiles&) = delete;
  OutcomeFiles(OutcomeFiles&&) = delete;
  OutcomeFiles& operator=(OutcomeFiles&&) = delete;
  ~OutcomeFiles();

 private:
  int folder_ = -1;
  Fd json_;
  Fd bin_;
};

}  // namespace rb::mon
