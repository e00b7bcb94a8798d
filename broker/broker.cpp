#include "broker/broker.h"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

#include "broker/service.h"
#include "broker/trees.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/log.h"
#include "protocol/limits.h"

namespace rb::brk {
namespace {

using namespace std::chrono_literals;

constexpr Nanos kLookEvery = 60s;
constexpr Nanos kImplicitIdle = 12h;  // an implicit session without client or execution ends
constexpr Nanos kLeaveAfter = 30min;  // without a session
constexpr std::uint32_t kSunsetMs = 15'000;
constexpr std::uint64_t kCompactAbove = 4U << 20;

Bytes random_bytes(std::size_t count) {
  Bytes out(count);
  seal::random(out);
  return out;
}

}  // namespace

Result<std::pair<Fd, Fd>> link_pair() {
  Result<std::pair<Fd, Fd>> pair = packet_pair(false);
  if (pair && ::fcntl(pair->first.get(), F_SETFL, O_RDWR | O_NONBLOCK) < 0) {
    return errno_error("make a link");
  }
  return pair;
}

Broker::Broker(Options wanted, Places where, Ledger kept, Facts found)
    : options(std::move(wanted)),
      places(std::move(where)),
      children(loop, options.libexec),
      ledger(std::move(kept)),
      facts(std::move(found)),
      start_id(random_bytes(16)),
      started_ms(wall_now_ms()),
      cgroups(loop),
      fronts(*this),
      accept(*this),
      executions(*this),
      opener(*this),
      views(*this),
      idle_since_(boot_now()),
      idle_(loop, [this] { look_at_idle(); }),
      watchdog_(loop,
                [this] {
                  service::notify("WATCHDOG=1");
                  watchdog_.arm(*service::watchdog_every());
                }),
      terminated_(loop, SIGTERM, [this] { leave(); }),
      interrupted_(loop, SIGINT, [this] { leave(); }) {}

Status Broker::listen() {
  std::vector<service::Listener> given = service::inherited_listeners();
  for (const Role role : {Role::Operator, Role::Agent}) {
    Fd listener;
    for (service::Listener& one : given) {
      if (one.name == name_of(role)) {
        listener = std::move(one.fd);
      }
    }
    if (!listener) {
      Result<Fd> own =
          Places::listen_at(places.runtime(), std::string(name_of(role)) + ".sock", SOCK_STREAM);
      if (!own) {
        return own.failure();
      }
      listener = std::move(*own);
    }
    accept.adopt(role, std::move(listener));
  }
  return done();
}

int Broker::serve(const std::vector<Record>& records, bool fresh_ledger) {
  if (Status listening = listen(); !listening) {
    log::error(listening.failure().text());
    return 1;
  }
  sweep_trees(places.trees());
  recover(*this, records, fresh_ledger);
  recovering_ = false;
  fronts.start(Role::Operator);
  fronts.start(Role::Agent);
  executions.keep_spare();
  executions.sweep_leaves();
  idle_.arm(kLookEvery);
  if (const auto every = service::watchdog_every()) {
    watchdog_.arm(*every);
  }
  loop.run();
  return exit_status_;
}

void Broker::add_session(const SessionPtr& session) {
  sessions.add(session);
  if (session->journal) {
    session->announced_segment = session->journal->segments().back().number;
    session->journal->on_told([this, weak = std::weak_ptr<Session>(session)] {
      if (const SessionPtr one = weak.lock(); one && one->journal) {
        fronts.grew(*one);
      }
    });
  }
  service::notify("STATUS=" + std::to_string(sessions.open_count()) + " sessions");
}

Result<Digest> Broker::head_to_follow() {
  const auto found = sessions.all().find(newest);
  if (found == sessions.all().end() || !found->second->journal) {
    return newest_head;
  }
  Journal& journal = *found->second->journal;
  if (Status synced = journal.sync(); !synced) {  // what is followed must stay
    return synced.failure();
  }
  return journal.head();
}

void Broker::note_newest(const Session& session, const Digest& head) {
  if (session.id == newest) {
    newest_head = head;
    (void)ledger.append(head_record(*this));
  }
  (void)ledger.sync();
}

void Broker::when_settled(const SessionPtr& session, std::uint32_t run,
                          std::function<void()> then) {
  if (session->running(run) == 0) {
    then();
    return;
  }
  waiting_.push_back({session, run, std::move(then)});
}

void Broker::on_settled(const SessionPtr& session) {
  std::vector<Waiting> due;
  for (std::size_t i = 0; i < waiting_.size();) {
    if (waiting_[i].session == session && session->running(waiting_[i].run) == 0) {
      due.push_back(std::move(waiting_[i]));
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  for (const Waiting& one : due) {
    one.then();
  }
  session->forget_old_executions();
  compact_ledger();
}

void Broker::storage_failed(Session& session, const Error& why) {
  log::error("session " + session.id + " can't be recorded: " + why.text());
  for (const auto& [id, execution] : session.executions) {
    executions.stop(*execution, 0, "storage");
  }
}

void Broker::end_session(const SessionPtr& session, const CallPtr& call) {
  session->ending = true;
  stop_and_wait(*this, session, 0, "session ended",
                [this, session, call] { conclude_session(session, call); });
}

void Broker::conclude_session(const SessionPtr& session, const CallPtr& call) {
  const Actor* actor = call ? &call->actor : nullptr;
  for (Run& run : session->runs) {
    if (run.status == "open") {
      (void)close_run(*session, run, actor);
    }
  }
  JsonWriter line = session->journal->begin("session-ended", actor);
  line.field("status", "ended");
  const auto written = session->journal->append(std::move(line));
  const Status synced = written ? session->journal->sync() : Status(written.failure());
  if (!synced) {
    log::error("session " + session->id + ": its end isn't recorded: " + synced.failure().text());
  }
  session->journal->finish();
  discard_files(*session);
  session->status = "ended";
  session->ended_ms = wall_now_ms();
  session->last_line = session->journal->lines();
  session->head = session->journal->head();
  (void)ledger.append(session_record(*session));
  note_newest(*session, session->head);
  service::anchor(session->id, "ended", session->head.hex(), session->last_line);
  fronts.grew(*session);
  std::uint32_t run = 0;
  for (const Run& one : session->runs) {
    if (one.recorded) {
      views.touch(session, run = one.number);
    }
  }
  views.make(session, run, [this, session, call] {
    fronts.ended(session->id);
    if (call) {
      finish(*this, call, {Receipt::Kind::Session, session->id, "", 0, {}});
    }
    sessions.slim(*session);
    compact_ledger();
    look_at_idle();
  });
}

void Broker::serve_when_ready() {
  if (opener.restoring()) {
    return;
  }
  for (const Role role : {Role::Operator, Role::Agent}) {
    accept.serve(role, fronts.ready(role));
  }
  if (ready_said_ || !fronts.ready(Role::Operator) || !fronts.ready(Role::Agent)) {
    return;
  }
  compact_ledger();
  ready_said_ = true;
  service::notify("READY=1");
  log::info("serving, pid " + std::to_string(::getpid()));
  if (options.ready_fd >= 0) {
    const Fd ready(std::exchange(options.ready_fd, -1));
    (void)write_all(ready.get(), as_bytes("R"));
  }
}

void Broker::on_front_lost(Role role, const std::string& why, bool served) {
  log::warn(std::string(name_of(role)) + " front: " + why);
  accept.serve(role, false);
  if (!served) {
    return;
  }
  for (const auto& [id, session] : sessions.all()) {
    if (!session->open()) {
      continue;
    }
    JsonWriter line = session->journal->begin("front-replaced");
    line.field("role", name_of(role)).field("text", why);
    if (session->journal->append(std::move(line))) {
      session->journal->commit({});
    }
  }
}

void Broker::give_up(const std::string& why) {
  log::error(why);
  exit_status_ = 1;
  leave();
}

// Sessions that nobody uses end; a daemon without sessions and clients leaves.
void Broker::look_at_idle() {
  idle_.arm(kLookEvery);
  const Nanos now = boot_now();
  for (const auto& [id, session] : sessions.all()) {
    if (session->open() && session->implicit && !session->ending && session->running() == 0 &&
        !fronts.watched(id) && now - session->last_used > kImplicitIdle) {
      end_session(session, nullptr);
      return;  // the map may have changed
    }
  }
  const bool used = sessions.open_count() > 0 || fronts.connections(Role::Operator) > 0 ||
                    fronts.connections(Role::Agent) > 0;
  if (used) {
    idle_since_ = now;
  } else if (now - idle_since_ > kLeaveAfter) {
    leave();
  }
}

// Not before everything is there again that an earlier broker left: what is missing by then would
// be lost to the next one, should this one die.
void Broker::compact_ledger() {
  if (!opener.restoring() && !recovering_ &&
      (!ready_said_ || (ledger.bytes() > kCompactAbove && ledger.bytes() > 2 * compacted_bytes_))) {
    if (Status replaced = ledger.replace(all_records(*this)); !replaced) {
      log::error("ledger: " + replaced.failure().text());
    }
    compacted_bytes_ = ledger.bytes();
  }
}

// Executions go on for a while, in case a broker comes back (restart), and end otherwise (stop).
void Broker::leave() {
  service::notify("STOPPING=1");
  executions.sunset_all(kSunsetMs);
  for (const auto& [id, session] : sessions.all()) {
    if (session->journal) {
      (void)session->journal->sync();
    }
  }
  loop.stop();
}

}  // namespace rb::brk
