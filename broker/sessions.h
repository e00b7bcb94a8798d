// sessions.h — sessions, their runs, runbooks and executions, as values.   [TRUSTED: broker]
// A session and what it holds live until a while after its end; shared pointers keep one alive for
// requests under way. Nothing here talks to a process or writes a line.
// Source: DESIGN §8; docs/ARCHITECTURE.md §State tables.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/environment.h"
#include "broker/execution_files.h"
#include "broker/journal.h"
#include "broker/refusal.h"
#include "broker/registry.h"
#include "common/outcome_file.h"
#include "common/packet.h"
#include "common/seal.h"

namespace rb::brk {

struct Runbook {
  std::string name;         // in its session
  std::string shown_path;   // as the person wrote it
  std::string folder_path;  // where the opened folder lay, as the kernel says
  std::string main;
  Digest tree;
  bool bound = false;
  bool is_new = false;
  std::shared_ptr<const Registry> registry;  // none: its sealed copy is to be read again
  Fd document;                               // sealed memory: document.capnp
  Fd sealed;                                 // folder in trees/
};

struct Run {
  std::uint32_t number = 0;
  std::string runbook;
  bool recorded = false;        // its opening line is in the journal
  bool closing = false;         // its executions are being stopped: nothing starts in it
  std::string status = "open";  // open completed partial opened interrupted
  std::map<std::string, std::string> blocks;  // last outcome, or "running", by block

  [[nodiscard]] std::string folder() const { return runbook + "-" + std::to_string(number); }
};

enum class State : std::uint8_t { Preparing = 1, Running, Stopping, Over };  // event::State

struct Execution {
  std::string id;
  std::string session;
  std::string runbook;
  std::string block;
  std::string profile;
  std::string actor;  // "operator (runbookctl)"
  std::uint32_t run = 0;
  std::int64_t started_ms = 0;
  State state = State::Preparing;
  std::uint64_t output_bytes = 0;
  std::optional<Outcome> ending;   // where over
  std::optional<Digest> end_file;  // of outcome.bin, where there is one
  seal::Key key{};                 // proves a later broker to its monitor
  std::uint64_t event = 0;         // number of its start line
  bool durable = false;            // its start line is on disk
  bool settled = false;            // its end line too
  bool recovered = false;          // taken over from an earlier broker
  bool proven = false;             // a recovered monitor has let us in
  Timer patience;                  // for one that doesn't
  std::unique_ptr<PacketLink> link;

  [[nodiscard]] bool over() const { return state == State::Over; }
};

struct Session {
  std::string id;
  std::string who;
  std::string why;
  std::string status = "running";  // running ended interrupted
  std::int64_t started_ms = 0;
  std::int64_t ended_ms = 0;
  bool implicit = false;
  bool ending = false;  // asked to end: nothing starts any more
  Fd folder;
  Fd executions_folder;
  Fd runs_folder;
  std::unique_ptr<Journal> journal;
  std::uint64_t last_line = 0;  // of the journal, also after the end
  Digest head;
  std::optional<Environment> environment;
  std::map<std::string, Runbook> runbooks;
  std::vector<Run> runs;  // by number, from 1
  std::map<std::string, std::shared_ptr<Execution>> executions;
  std::uint32_t next_execution = 1;
  std::optional<ExecutionFiles> ready;  // the next execution's
  std::uint32_t oldest_execution = 1;   // what may still be in memory
  Nanos last_used{};
  mutable std::uint32_t announced_segment = 1;  // the last one that fronts know

  [[nodiscard]] bool open() const { return status == "running"; }
  // The open run of a runbook, nullptr when there is none.
  [[nodiscard]] Run* open_run(const std::string& runbook);
  // Executions whose end isn't recorded; of one run unless it is 0.
  [[nodiscard]] std::size_t running(std::uint32_t run = 0) const;
  // Forgets the oldest executions that are over: the record has them.
  void forget_old_executions();
};
using SessionPtr = std::shared_ptr<Session>;
using ExecutionPtr = std::shared_ptr<Execution>;

class Sessions {
 public:
  // By id, unique prefix, or "" for the current one.
  struct Found {
    SessionPtr session;
    Refusal refusal;  // where there is none
  };
  [[nodiscard]] Found find(const std::string& wanted) const;
  void add(const SessionPtr& session);
  // Forgets what an ended session no longer needs, and sessions that ended long ago.
  void slim(Session& session);

  [[nodiscard]] const std::map<std::string, SessionPtr>& all() const { return all_; }
  [[nodiscard]] SessionPtr current() const;
  [[nodiscard]] std::size_t open_count() const;
  [[nodiscard]] std::size_t running() const;

 private:
  std::map<std::string, SessionPtr> all_;  // ids sort by their start
  std::string current_;
};

// By id or unique prefix among a map's keys; the refusal says what was looked for.
template <typename Map>
[[nodiscard]] auto find_unique(const Map& map, const std::string& wanted, const char* what,
                               Refusal& refusal) -> const typename Map::mapped_type* {
  const auto exact = map.find(wanted);
  if (exact != map.end()) {
    return &exact->second;
  }
  const auto first = map.lower_bound(wanted);
  if (wanted.empty() || first == map.end() || !first->first.starts_with(wanted)) {
    refusal = {front::Reason::UNKNOWN, std::string("there is no such ") + what};
    return nullptr;
  }
  const auto second = std::next(first);
  if (second != map.end() && second->first.starts_with(wanted)) {
    refusal = {front::Reason::AMBIGUOUS, std::string("more than one ") + what + " begins so"};
    return nullptr;
  }
  return &first->second;
}

// "20261130-163000-k3f9", UTC and four random characters.
[[nodiscard]] std::string new_session_id(std::int64_t wall_ms);
// A name that is a safe file name, from whatever a path ended in.
[[nodiscard]] std::string file_safe(std::string_view text);

}  // namespace rb::brk
