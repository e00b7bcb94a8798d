// What a broker finds when it starts, and what it leaves for the next: records to sessions and
// back. Only the state folder is touched, whatever the records say; names in them are checked
// before they become paths. Attacks A23, B4, B9; reliability §2.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "broker/broker.h"
#include "common/clock.h"
#include "common/folder.h"
#include "common/log.h"
#include "protocol/limits.h"

namespace rb::brk {
namespace {

constexpr std::size_t kMostSessions = 100'000;
constexpr std::size_t kMostExecutions = 1'000'000;

bool is_name(const std::string& text) {
  return !text.empty() && text == file_safe(text);
}
// "e12" → 12, else 0.
std::uint32_t execution_number(const std::string& id) {
  if (id.size() < 2 || id.size() > 8 || id[0] != 'e' || id[1] == '0' ||
      id.find_first_not_of("0123456789", 1) != std::string::npos) {
    return 0;
  }
  return static_cast<std::uint32_t>(std::stoul(id.substr(1)));
}

class Recovery {
 public:
  explicit Recovery(Broker& broker) : broker_(broker) {}

  void take(const Record& record) {
    switch (record.kind) {
      case Record::Kind::Session:
        return take_session(record);
      case Record::Kind::Head:
        broker_.newest = record.texts[0];
        broker_.newest_head = digest_from_bytes(as_bytes(record.texts[1])).value_or(Digest{});
        return;
      case Record::Kind::Opened:
        opened_[record.texts[0]].insert_or_assign(record.texts[1], record);
        return;
      case Record::Kind::Start:
        return take_start(record);
      case Record::Kind::Request:
        broker_.ids.restore(record, wall_now_ms());
        return;
    }
  }

  // The ledger was lost: a session whose journal bears no mark of completeness was open.
  void find_lost_sessions() {
    const auto listed = list_folder(broker_.places.sessions(), kMostSessions);
    if (!listed) {
      return;
    }
    for (const FolderEntry& entry : *listed) {
      if (!is_name(entry.name) || broker_.sessions.all().contains(entry.name)) {
        continue;
      }
      const std::string last = last_segment(entry.name);
      struct stat facts {};
      const bool complete =
          ::fstatat(broker_.places.sessions(), last.c_str(), &facts, AT_SYMLINK_NOFOLLOW) < 0 ||
          (facts.st_mode & 0200) == 0;
      if (!complete) {
        Record record{Record::Kind::Session, {entry.name, "", "", "running"}, {0, 0, 0}};
        take_session(record);
        sessions_.back().lost = true;
      }
    }
  }

  void open_all() {
    for (Found& one : sessions_) {
      if (Status opened = open_session(one); !opened) {
        log::error("session " + one.session->id + ": " + opened.failure().text());
        one.session->status = "interrupted";
        one.session->executions.clear();
        broker_.sessions.add(one.session);
      }
    }
  }

 private:
  struct Found {
    SessionPtr session;
    bool lost = false;
  };

  void take_session(const Record& record) {
    const std::string& id = record.texts[0];
    if (!is_name(id)) {
      return;
    }
    Session* known = find(id);
    if (known == nullptr) {
      sessions_.push_back({std::make_shared<Session>()});
      known = sessions_.back().session.get();
    }
    known->id = id;
    known->who = record.texts[1];
    known->why = record.texts[2];
    known->status = record.texts[3];
    known->started_ms = static_cast<std::int64_t>(record.numbers[0]);
    known->implicit = record.numbers[1] != 0;
    known->ended_ms = static_cast<std::int64_t>(record.numbers[2]);
    known->last_used = boot_now();
    if (!known->open()) {
      std::erase_if(sessions_, [&id](const Found& one) { return one.session->id == id; });
    }
  }

  void take_start(const Record& record) {
    Session* session = find(record.texts[0]);
    const std::uint32_t number = execution_number(record.texts[1]);
    if (session == nullptr || number == 0 || record.texts[2].size() != sizeof(seal::Key)) {
      return;
    }
    const ExecutionPtr execution = std::make_shared<Execution>();
    execution->session = record.texts[0];
    execution->id = record.texts[1];
    std::copy(record.texts[2].begin(), record.texts[2].end(), execution->key.begin());
    execution->runbook = record.texts[3];
    execution->block = record.texts[4];
    execution->profile = record.texts[5];
    execution->actor = record.texts[6];
    execution->run = static_cast<std::uint32_t>(record.numbers[0]);
    execution->started_ms = static_cast<std::int64_t>(record.numbers[1]);
    execution->event = record.numbers[2];
    session->executions[execution->id] = execution;
    session->next_execution = std::max(session->next_execution, number + 1);
  }

  Session* find(const std::string& id) {
    const auto found = std::find_if(sessions_.begin(), sessions_.end(),
                                    [&id](const Found& one) { return one.session->id == id; });
    return found == sessions_.end() ? nullptr : found->session.get();
  }

  [[nodiscard]] std::string last_segment(const std::string& session) const {
    std::string out = session + "/" + Journal::file_name(1);
    struct stat facts {};
    for (std::uint32_t i = 2; i < 10'000; ++i) {
      const std::string next = session + "/" + Journal::file_name(i);
      if (::fstatat(broker_.places.sessions(), next.c_str(), &facts, AT_SYMLINK_NOFOLLOW) < 0) {
        break;
      }
      out = next;
    }
    return out;
  }

  Status open_session(const Found& found) {
    const SessionPtr session = found.session;
    if (Status folders = open_folders(broker_, *session); !folders) {
      return folders;
    }
    Journal::Found journal;
    Result<std::unique_ptr<Journal>> resumed =
        Journal::resume(broker_.loop, session->folder.get(), journal);
    if (!resumed) {
      return resumed.failure();
    }
    session->journal = std::move(*resumed);
    if (session->journal->lines() == 0) {
      return forget_unborn(*session);
    }
    if (journal.ended) {  // its end was recorded, and the ledger not yet told
      session->status = "ended";
      session->head = session->journal->head();
      broker_.note_newest(*session, session->head);
      session->last_line = session->journal->lines();
      session->journal.reset();
      session->executions.clear();
      broker_.sessions.add(session);
      return done();
    }
    broker_.add_session(session);
    take_runs(*session, journal);
    drop_unrecorded(*session, journal);
    find_unknown_executions(*session, journal);
    record_recovery(*session, journal.torn_bytes, found.lost);
    std::vector<ExecutionPtr> open;
    for (const auto& [id, execution] : session->executions) {
      execution->settled = journal.finished.contains(id);
      open.push_back(execution);
    }
    std::sort(open.begin(), open.end(), [](const ExecutionPtr& a, const ExecutionPtr& b) {
      return execution_number(a->id) < execution_number(b->id);  // a block's last one counts
    });
    for (const ExecutionPtr& execution : open) {
      if (execution->run > 0) {
        session->runs[execution->run - 1].blocks[execution->block] = "running";
      }
      execution->settled ? take_ending(*session, *execution)
                         : broker_.executions.recover(execution);
    }
    for (const auto& [name, record] : opened_[session->id]) {
      broker_.opener.restore(session, record);
    }
    if (found.lost) {
      broker_.end_session(session, nullptr);
    }
    return done();
  }

  // Its start was never recorded, so nobody was told of it and nothing is in it.
  Status forget_unborn(Session& session) {
    broker_.ids.undo(session.id, "");
    (void)::unlinkat(session.folder.get(), Journal::file_name(1).c_str(), 0);
    (void)::unlinkat(session.folder.get(), "executions", AT_REMOVEDIR);
    (void)::unlinkat(session.folder.get(), "runs", AT_REMOVEDIR);
    (void)::unlinkat(broker_.places.sessions(), session.id.c_str(), AT_REMOVEDIR);
    return done();
  }

  static void take_runs(Session& session, const Journal::Found& journal) {
    for (const auto& [number, found] : journal.runs) {
      if (number == session.runs.size() + 1 && is_name(found.runbook)) {
        session.runs.push_back(
            {static_cast<std::uint32_t>(number), found.runbook, true, false, found.status});
      }
    }
  }

  // An execution without a start line never was: its monitor got no `go`. No line speaks of it, and
  // its request may be made again.
  void drop_unrecorded(Session& session, const Journal::Found& journal) {
    for (auto at = session.executions.begin(); at != session.executions.end();) {
      if (journal.started.contains(at->first)) {
        at->second->run = at->second->run <= session.runs.size() ? at->second->run : 0;
        ++at;
        continue;
      }
      broker_.ids.undo(session.id, at->first);
      broker_.executions.remove_socket(*at->second);
      at = session.executions.erase(at);
    }
  }

  // After a power cut an execution may have its folder and no record in the ledger.
  void find_unknown_executions(Session& session, const Journal::Found& journal) {
    const auto listed = list_folder(session.executions_folder.get(), kMostExecutions);
    for (const FolderEntry& entry : listed ? *listed : std::vector<FolderEntry>()) {
      const std::uint32_t number = execution_number(entry.name);
      if (number != 0) {
        session.next_execution = std::max(session.next_execution, number + 1);
      }
      if (!journal.started.contains(entry.name) || session.executions.contains(entry.name)) {
        continue;  // a folder without a start line: nobody was told of it
      }
      const ExecutionPtr execution = std::make_shared<Execution>();
      execution->session = session.id;
      execution->id = entry.name;
      session.executions[entry.name] = execution;
    }
  }

  static void record_recovery(Session& session, std::uint64_t torn, bool lost) {
    JsonWriter line = session.journal->begin("recovered");
    line.field("torn_bytes", torn).field("ledger_lost", lost);
    line.field("text", torn > 0 ? "a torn last line was cut" : "a new broker took over");
    if (session.journal->append(std::move(line))) {
      session.journal->commit({});
    }
  }

  // Ended and recorded before: what `ps` and `wait` show comes from its outcome file again.
  void take_ending(Session& session, Execution& execution) {
    execution.state = State::Over;
    execution.durable = true;
    seal::wipe(execution.key);
    if (!broker_.executions.read_outcome(session, execution)) {
      Outcome unknown;
      unknown.outcome = Ended::Interrupted;
      execution.ending = unknown;
    }
    if (execution.run > 0) {
      session.runs[execution.run - 1].blocks[execution.block] =
          std::string(name_of(execution.ending->outcome));
    }
  }

  Broker& broker_;
  std::vector<Found> sessions_;
  std::map<std::string, std::map<std::string, Record>> opened_;  // session, runbook
};

}  // namespace

Record session_record(const Session& session) {
  return {Record::Kind::Session,
          {session.id, session.who, session.why, session.status},
          {static_cast<std::uint64_t>(session.started_ms), session.implicit ? 1U : 0U,
           static_cast<std::uint64_t>(session.ended_ms)}};
}

Record head_record(const Broker& broker) {
  return {Record::Kind::Head, {broker.newest, std::string(as_text(broker.newest_head.bytes))}, {}};
}

Record opened_record(const Session& session, const Runbook& runbook) {
  return {Record::Kind::Opened,
          {session.id, runbook.name, runbook.main, runbook.shown_path, runbook.folder_path,
           runbook.tree.hex()},
          {runbook.bound}};
}

Record start_record(const Execution& execution) {
  return {Record::Kind::Start,
          {execution.session, execution.id, std::string(as_text(execution.key)), execution.runbook,
           execution.block, execution.profile, execution.actor},
          {execution.run, static_cast<std::uint64_t>(execution.started_ms), execution.event}};
}

std::vector<Record> all_records(const Broker& broker) {
  std::vector<Record> out;
  out.push_back(head_record(broker));
  for (const auto& [id, session] : broker.sessions.all()) {
    if (!session->open()) {
      continue;
    }
    out.push_back(session_record(*session));
    for (const auto& [name, runbook] : session->runbooks) {
      out.push_back(opened_record(*session, runbook));
    }
    for (const auto& [name, execution] : session->executions) {
      out.push_back(start_record(*execution));
    }
  }
  for (Record& record : broker.ids.records()) {
    out.push_back(std::move(record));
  }
  return out;
}

void recover(Broker& broker, const std::vector<Record>& records, bool fresh_ledger) {
  Recovery recovery(broker);
  for (const Record& record : records) {
    recovery.take(record);
  }
  if (fresh_ledger) {
    recovery.find_lost_sessions();
  }
  recovery.open_all();
}

}  // namespace rb::brk
