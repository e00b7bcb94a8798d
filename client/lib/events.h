// events.h — journal lines as a frontend understands them.   [frontends]
// In:     the bytes of one line; fields this version doesn't know are left alone.
// Out:    the fields that every frontend needs, and one line of text for people.
// Errors: Invalid for a line that isn't a JSON object.
// Source: docs/RECORD.md (fields).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/lib/model.h"
#include "common/clock.h"
#include "common/json_reader.h"

namespace rb::client {

struct Event {
  std::uint64_t number = 0;
  std::string type;
  std::string at;  // wall text, UTC
  std::string actor;
  std::string execution;
  Json fields;
};

// What a `finished` line says.
struct Ended {
  Outcome outcome = Outcome::UNSET;
  int exit = -1;
  unsigned signal = 0;
  std::string cause;
  bool warn = false;
  Millis duration{};
  std::uint64_t output_bytes = 0;
  bool may_have_left = false;
};

[[nodiscard]] Result<Event> parse_event(std::string_view line);
[[nodiscard]] Ended ended_from(const Event& event);
// The same from a daemon's answer about an execution that is over.
[[nodiscard]] Ended ended_from(const ExecutionInfo& info);
// "12  14:02:11  started   e1 tour/hello  workspace  operator anna (runbookctl)": escaped.
[[nodiscard]] std::string event_text(const Event& event);
// "14:02:11" in local time from "2026-11-30T13:02:11.000Z"; the text itself when it is no such
// time.
[[nodiscard]] std::string local_time(std::string_view wall);

// "passed", "failed  exit 3", "failed  signal 9 (memory)", "timeout", ...
[[nodiscard]] std::string ending_text(const Ended& ended);
// The exit status of run, wait and attach for this ending (DESIGN §9); `by_us` when this client
// stopped it.
[[nodiscard]] int exit_status(const Ended& ended, bool by_us);

}  // namespace rb::client
