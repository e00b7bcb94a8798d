// view_model.h — a session as its journal tells it.   [reader, view mode]
// In:     journal segments, read by pread as often as a view needs them.
// Out:    events one by one, and a summary whose size depends on how many runs and executions there
//         were, never on how much they wrote.
// Errors: Invalid names segment and line of the first line that isn't what docs/RECORD.md says.
// Source: docs/RECORD.md; docs/FORMATS.md §Views.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/digest.h"
#include "common/json_reader.h"
#include "common/result.h"

namespace rb::rdr {

struct Event {
  std::uint64_t line = 0;
  std::string at;
  std::string type;
  Json fields;  // the whole line

  [[nodiscard]] std::string_view text(std::string_view name) const { return fields.text_at(name); }
  [[nodiscard]] std::uint64_t natural(std::string_view name) const {
    return fields.natural_at(name);
  }
};

[[nodiscard]] Status each_event(const std::vector<int>& segments,
                                const std::function<Status(const Event&)>& use);

struct ExecutionFacts {
  std::uint64_t run = 0;
  std::string runbook;
  std::string block;
  std::uint64_t started_line = 0;
  Event finished;  // line 0 while it runs
  [[nodiscard]] bool over() const { return finished.line != 0; }
};

struct Tally {
  std::uint64_t started = 0;
  std::uint64_t running = 0;
  std::map<std::string, std::uint64_t> outcomes;  // by name
  std::uint64_t refused = 0;
};

struct RunFacts {
  std::string runbook;
  std::string title;
  std::string status = "open";  // run-closed's own once it is closed
  std::string opened_at;
  std::string closed_at;
  std::uint64_t opened_line = 0;
  std::uint64_t closed_line = 0;
  Json opened_by;
  std::string work;
  Tally tally;
};

struct RunbookFacts {
  std::string title;
  std::string shown_path;
  std::string format;
  std::string tree_digest;
  std::string opened_at;
};

struct Summary {
  std::string id;
  std::string who;
  std::string why;
  std::string status = "running";  // or ended
  std::string started_at;
  std::string ended_at;
  std::uint64_t started_boot_ms = 0;
  std::uint64_t last_boot_ms = 0;
  Json started_by;
  std::string version;
  Tally tally;
  std::map<std::string, RunbookFacts> runbooks;      // by name in the session, newest opening
  std::map<std::uint64_t, RunFacts> runs;            // by number
  std::map<std::string, ExecutionFacts> executions;  // by id
  std::vector<std::uint32_t> run_of_line;  // by line - 1; 0: of several runs, of none, unknown
  std::uint64_t segments = 0;
  std::uint64_t lines = 0;
  Digest head;  // of the last line
};

// The fields of `finished` lines are kept for these runs alone.
[[nodiscard]] Result<Summary> summarize(const std::vector<int>& segments,
                                        const std::set<std::uint64_t>& runs);

// Whether an event belongs to this run's story: its own, its executions', and what concerned the
// whole session or its runbook while it was open.
[[nodiscard]] bool concerns_run(const Summary& summary, std::uint64_t run, const Event& event);

// each_event() for one run's view: lines of other runs are passed over unparsed, so that a
// session's views cost what its journal holds and not that many times over. What comes may still
// not concern the run.
[[nodiscard]] Status each_event_for(const std::vector<int>& segments, const Summary& summary,
                                    std::uint64_t run,
                                    const std::function<Status(const Event&)>& use);

// "3 passed, 1 failed, 2 running"; "nothing was run"
[[nodiscard]] std::string tally_text(const Tally& tally);
// "operator runbookctl (pid 4711)"; "" when the event has no actor. Not escaped for any sink.
[[nodiscard]] std::string actor_text(const Json& actor);
// How a finished execution ended, in a reader's words: "ok", "exit 3", "killed by signal 9",
// "timed out", "stopped", "failed to start", else the outcome's own name; with its cause.
[[nodiscard]] std::string verdict(const Event& finished);

}  // namespace rb::rdr
