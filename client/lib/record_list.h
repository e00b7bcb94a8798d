// record_list.h — what the record holds, session by session, run by run.   [frontends]
// In:     the state folder; journals are read, never views, so that it is right while things run
// and
//         after a crash. Nothing is checked here: that is record_verify.
// Source: docs/FORMATS.md §Layout; docs/RECORD.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/digest.h"
#include "common/result.h"

namespace rb::client {

struct RecordedRun {
  std::uint64_t number = 0;
  std::string runbook;
  std::string status = "open";
  std::string opened_at;
  std::string closed_at;
  std::vector<std::string> executions;  // ids in the order of their start
  std::map<std::string, std::uint64_t> outcomes;

  // Of its views, below the session's: "runs/deploy-2".
  [[nodiscard]] std::string folder() const {
    return "runs/" + runbook + "-" + std::to_string(number);
  }
};

struct RecordedSession {
  std::string id;
  std::string who;
  std::string why;
  std::string status;  // running, ended, damaged
  std::string started_at;
  std::string ended_at;
  std::uint64_t lines = 0;
  Digest head;
  std::vector<RecordedRun> runs;  // by number
};

// "3 passed, 1 failed, 1 running"; "" for none.
[[nodiscard]] std::string outcomes_text(const RecordedRun& run);

// Newest first. A journal that can't be read to its end gives what could be read, `damaged`.
[[nodiscard]] Result<std::vector<RecordedSession>> list_record(int state);

}  // namespace rb::client
