// verdict.h — how an execution ended, from what was seen of it, and the files that say so.
// [TRUSTED: monitor]  judge() is pure. Durable when write_outcome() returns: output first, then
// outcome.bin, complete or without meaning, and outcome.json, whole or not there at all.
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
  bool does_not_end = false;  // its processes are still there, long after KILL
  bool is_check = false;
  bool file_limit = false;  // files of the script had a largest size
};

// Fills outcome, exit, signal, cause and warn; sets may_have_left where it does not end.
void judge(const Seen& seen, Outcome& outcome);

// Both files of one execution. The room of the one that counts is taken before anything runs, so
// that a full disk can't take the outcome away; an outcome that isn't written leaves nothing.
class OutcomeFiles {
 public:
  // In `folder`, which stays the caller's and open; outcome.bin may be there, empty. On disk, all
  // zeros, when this returns: an overwritten block is synced in a fraction of the time.
  [[nodiscard]] Status reserve(int folder);
  // Nothing was executed: no outcome.bin stays.
  void discard();
  // outcome.bin, on disk when this returns. Answers its digest.
  [[nodiscard]] Result<Digest> write(const Outcome& outcome);
  // outcome.json, for people and programs: after the end was reported, since nobody waits for it
  // and nothing is recovered from it.
  [[nodiscard]] Status write_words(const Outcome& outcome, const Digest& bin) const;

  OutcomeFiles() = default;
  OutcomeFiles(const OutcomeFiles&) = delete;
  OutcomeFiles& operator=(const OutcomeFiles&) = delete;
  OutcomeFiles(OutcomeFiles&&) = delete;
  OutcomeFiles& operator=(OutcomeFiles&&) = delete;
  ~OutcomeFiles();

 private:
  int folder_ = -1;
  Fd bin_;
  bool written_ = false;
};

}  // namespace rb::mon
