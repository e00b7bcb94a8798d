// starting.h — one start on its way: what was asked, what was found, what is handed over.
// [TRUSTED: broker]
// handle_start.cpp fills it check by check and says the order; launch_message.cpp makes of it what
// the monitor gets, start_record.cpp what the record says.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "broker/broker.h"
#include "broker/grants.h"
#include "broker/join.h"
#include "broker/requests.h"
#include "policy/profile.h"
#include "protocol/monitor.capnp.h"

namespace rb::brk {

// Everything a start is made of, collected check by check.
struct Starting {
  CallPtr call;
  // As asked.
  std::string runbook_name;
  std::string block;
  std::string asked_profile;
  std::string work_path;
  std::optional<Digest> digest;
  std::vector<Given> given;
  std::uint64_t timeout_ms = 0;
  bool new_run = false;
  Fd work;                 // --work DIR
  std::vector<Fd> places;  // to be granted, in the order of the message
  bool verbatim = false;
  // As found.
  const Runbook* runbook = nullptr;
  const Executable* executable = nullptr;
  policy::Profile profile;
  policy::Limits limits;
  Joined joined;
  Interpreter interpreter;
  Run* run = nullptr;
  ExecutionPtr execution;
  Grants grants;
  std::string cwd;
  std::string execution_path;  // of its folder in the record
  Fd script_file;              // executions/<id>/script
  std::vector<std::string> environment;
  std::vector<monitor::Descriptor> kinds;
  std::vector<Fd> fds;

  [[nodiscard]] Session& session() const { return *call->session; }
  [[nodiscard]] bool markdown() const { return runbook->registry->format == "markdown"; }
  void give(monitor::Descriptor kind, Fd fd) {
    kinds.push_back(kind);
    fds.push_back(std::move(fd));
  }
};

// The variables and the folder that the script starts with. After the checks.
void make_environment(Starting& start);
// What the monitor is told. After make_environment and every give().
[[nodiscard]] Bytes launch_message(const Broker& broker, const Starting& start);

// Its run's first line; then number and journal line of the start.
[[nodiscard]] Result<std::uint64_t> record_run(const Starting& start);
[[nodiscard]] JsonWriter start_line(const Starting& start);
// executions/<id>/script, for people; the monitor has the bytes already. What the journal doesn't
// hold has to be on disk by itself before the script may go.
[[nodiscard]] Status write_script_file(const Starting& start);

}  // namespace rb::brk
