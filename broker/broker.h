// broker.h — the broker: what it owns, and what its parts tell it.   [TRUSTED: broker]
// One object, made in main, passed by reference; one loop, one thread, no globals.
// Ownership: parts live as long as this; whatever a callback needs longer it holds by shared_ptr.
// Source: docs/ARCHITECTURE.md §Processes; DESIGN §2.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "broker/accept.h"
#include "broker/answers.h"
#include "broker/cgroups.h"
#include "broker/children.h"
#include "broker/executions.h"
#include "broker/facts.h"
#include "broker/fronts.h"
#include "broker/interpreter.h"
#include "broker/ledger.h"
#include "broker/opening.h"
#include "broker/places.h"
#include "broker/request_ids.h"
#include "broker/requests.h"
#include "broker/sessions.h"
#include "broker/views.h"
#include "common/seal.h"

namespace rb::brk {

struct Options {
  std::string libexec;
  std::string log;
  int ready_fd = -1;
  std::uint32_t open_files = 1024;  // the limit we were started with
};

struct Broker {
  Broker(Options wanted, Places where, Ledger kept, Facts found);
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;
  Broker(Broker&&) = delete;
  Broker& operator=(Broker&&) = delete;
  ~Broker() = default;

  // Takes up what an earlier broker left, then serves until stopped; what main returns.
  [[nodiscard]] int serve(const std::vector<Record>& records, bool fresh_ledger);

  void add_session(const SessionPtr& session);
  // Ends a session once its executions have ended; `call` may be null (idle).
  void end_session(const SessionPtr& session, const CallPtr& call);
  // Calls `then` once nothing of the session (or of one run) is left to be recorded.
  void when_settled(const SessionPtr& session, std::uint32_t run, std::function<void()> then);
  void on_settled(const SessionPtr& session);
  // The head that the next session follows: sessions form one list, in the order of their starts.
  [[nodiscard]] Result<Digest> head_to_follow();
  void note_newest(const Session& session, const Digest& head);
  // A session's record can't be written: what runs in it is stopped, saying so.
  void storage_failed(Session& session, const Error& why);

  // Connections are taken once the fronts stand and every runbook is there again.
  void serve_when_ready();
  void on_front_lost(Role role, const std::string& why, bool served);
  void on_connection_closed() { look_at_idle(); }
  // This machine can't serve: says why and ends.
  void give_up(const std::string& why);

  Options options;
  Places places;
  Loop loop;
  Children children;
  Ledger ledger;
  Facts facts;
  seal::BoxKeys box = seal::box_keys();
  Bytes start_id;
  std::int64_t started_ms;
  std::string newest;  // session that started last
  Digest newest_head;  // a line of it: the last one, once it has ended
  Sessions sessions;
  RequestIds ids;
  Interpreters interpreters;
  Cgroups cgroups;
  Fronts fronts;
  Accept accept;
  Executions executions;
  Opener opener;
  Views views;

 private:
  struct Waiting {
    SessionPtr session;
    std::uint32_t run;
    std::function<void()> then;
  };
  [[nodiscard]] Status listen();
  void conclude_session(const SessionPtr& session, const CallPtr& call);
  void look_at_idle();
  void compact_ledger();
  void leave();

  std::vector<Waiting> waiting_;
  bool recovering_ = true;
  bool ready_said_ = false;
  std::uint64_t compacted_bytes_ = 0;
  int exit_status_ = 0;
  Nanos idle_since_;
  Timer idle_;
  Timer watchdog_;
  Signal terminated_;
  Signal interrupted_;
};

// Both ends close-on-exec; ours doesn't block, a child's does.
[[nodiscard]] Result<std::pair<Fd, Fd>> link_pair();

// sessions: handle_session.cpp, handle_run.cpp
[[nodiscard]] Status open_folders(const Broker& broker, Session& session);
[[nodiscard]] Status close_run(Session& session, Run& run, const Actor* actor);
void stop_and_wait(Broker& broker, const SessionPtr& session, std::uint32_t run,
                   const std::string& cause, std::function<void()> then);

// recover.cpp: sessions, runbooks, executions and requests to and from the ledger.
[[nodiscard]] Record session_record(const Session& session);
[[nodiscard]] Record head_record(const Broker& broker);
[[nodiscard]] Record opened_record(const Session& session, const Runbook& runbook);
[[nodiscard]] Record start_record(const Execution& execution);
[[nodiscard]] std::vector<Record> all_records(const Broker& broker);
void recover(Broker& broker, const std::vector<Record>& records, bool fresh_ledger);

}  // namespace rb::brk
