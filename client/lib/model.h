// model.h — what the daemon answers, as plain values.   [frontends]
// One struct for each struct of protocol/front.capnp that a frontend shows, copied out of the
// message. Nothing here is trusted: texts go to a screen through escape.h only.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/result.h"
#include "protocol/front.capnp.h"

namespace rb::client {

using Reason = rb::front::Reason;
using State = rb::event::State;
using Outcome = rb::event::Outcome;

struct Refusal {
  Reason reason = Reason::NONE;
  std::string text;
};

struct ProfileInfo {
  std::string name;
  bool usable = false;
  std::string why;
};

struct DaemonStatus {
  std::string version;
  std::uint32_t broker_pid = 0;
  std::int64_t started_at_ms = 0;
  std::uint32_t sessions = 0;
  std::uint32_t executions = 0;
  std::string state_folder;
  std::vector<ProfileInfo> profiles;
};

struct SessionInfo {
  std::string id;
  std::string who;
  std::string why;
  std::int64_t started_at_ms = 0;
  std::int64_t ended_at_ms = 0;
  std::string status;
  bool current = false;
  bool has_environment = false;
  std::uint64_t last_event = 0;
  std::string folder;
  Bytes head;
};

struct RunInfo {
  std::uint32_t number = 0;
  std::string runbook;
  std::string status;
  std::string folder;
  std::string work;
};

struct InputInfo {
  std::string name;
  std::string type;
  std::string description;
  bool required = false;
  bool has_default = false;
  Bytes default_value;
  std::vector<std::string> options;
  bool sensitive = false;
  std::string inputs_id;
};

struct BlockInfo {
  std::string id;
  std::string type;
  std::uint32_t line = 0;
  std::string kind;
  std::string language;
  Bytes digest;
  bool runnable = false;
  std::string why_not;
  std::string title;
  Bytes script;
  std::vector<InputInfo> inputs;
  std::string profile;
  std::string state;
  std::string path;
};

struct RunbookInfo {
  std::string name;
  std::string title;
  std::string shown_path;
  Bytes tree_digest;
  bool bound = true;
  std::vector<BlockInfo> blocks;
  RunInfo run;
  std::string format;
};

enum class Severity : std::uint8_t { Refusal, Error, Warning };

struct Problem {
  Severity severity = Severity::Refusal;
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string code;
  std::string construct;
  std::string text;
  std::string excerpt;
  std::string advice;
  std::string block;
  std::uint32_t end_column = 0;
};

struct Opened {
  RunbookInfo info;
  bool vetted = false;
  std::vector<Problem> problems;
  bool is_new = false;
};

struct Started {
  std::string execution;
  RunInfo run;
  std::string session;
  std::uint64_t event = 0;
  std::string profile;
  std::string notice;
};

struct ExecutionInfo {
  std::string id;
  std::string session;
  std::string runbook;
  std::uint32_t run = 0;
  std::string block;
  State state = State::UNSET;
  Outcome outcome = Outcome::UNSET;
  std::int64_t started_at_ms = 0;
  std::string actor;
  std::uint64_t output_bytes = 0;
  std::int32_t exit = -1;
  std::uint32_t signal = 0;
  std::string profile;
  std::uint64_t duration_ms = 0;
  std::string cause;
};

struct OutputInfo {
  ExecutionInfo execution;
  std::uint64_t length = 0;
  bool over = false;
};

struct OutputBytes {
  std::uint64_t offset = 0;
  Bytes bytes;
  std::uint64_t length = 0;
  bool over = false;
};

struct Sessions {
  std::vector<SessionInfo> list;
};
struct Executions {
  std::vector<ExecutionInfo> list;
};
struct Runbooks {
  std::vector<RunbookInfo> list;
};

// One answer with the descriptors that came along.
struct Answer {
  std::variant<Done, Refusal, SessionInfo, Opened, Started, DaemonStatus, Sessions, Executions,
               Runbooks, OutputInfo, OutputBytes, RunInfo>
      value;
  std::vector<Fd> fds;
};

// Invalid for a union member this version doesn't know.
[[nodiscard]] Result<Answer> answer_from_wire(rb::front::Answer::Reader from);
[[nodiscard]] Problem problem_from_wire(rb::front::Problem::Reader from);
[[nodiscard]] InputInfo input_from_wire(rb::front::InputInfo::Reader from);

// "passed", "running", ... as they stand in records and JSON.
[[nodiscard]] const char* name_of(Outcome outcome);
[[nodiscard]] const char* name_of(State state);
// UNSET for a name this version doesn't know.
[[nodiscard]] Outcome outcome_named(std::string_view name);
// "refusal", "not-permitted", ...: stable, for --json.
[[nodiscard]] const char* name_of(Reason reason);

}  // namespace rb::client
