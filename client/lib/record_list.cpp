#include "client/lib/record_list.h"

#include <algorithm>
#include <tuple>

#include "client/lib/record_store.h"
#include "common/chain.h"
#include "common/journal_reader.h"
#include "common/json_reader.h"
#include "protocol/limits.h"

namespace rb::client {
namespace {

class Reading {
 public:
  explicit Reading(std::string id) { session_.id = std::move(id); }

  void take(const JournalReader::Line& line);
  void damaged() { session_.status = "damaged"; }
  RecordedSession finish();

 private:
  void on_fields(std::string_view type, std::string_view at, const rb::Json& fields);
  void on_finished(const rb::Json& fields);
  RecordedRun& run_of(const rb::Json& fields) { return runs_[fields.natural_at("run")]; }

  RecordedSession session_{"", "", "", "running", "", "", 0, {}, {}};
  std::map<std::uint64_t, RecordedRun> runs_;
};

void Reading::take(const JournalReader::Line& line) {
  session_.lines = line.start.number;
  session_.head = head_of_line(line.text);
  const std::string_view type = line.start.type;
  if (type != "session-started" && type != "run-opened" && type != "started" &&
      type != "finished" && type != "run-closed" && type != "session-ended") {
    return;
  }
  const Result<rb::Json> fields = parse_json(line.text);
  fields ? on_fields(type, line.start.at, *fields) : damaged();
}

void Reading::on_fields(std::string_view type, std::string_view at, const rb::Json& fields) {
  if (type == "session-started") {
    session_.who = fields.text_at("who");
    session_.why = fields.text_at("why");
    session_.started_at = at;
  } else if (type == "run-opened") {
    RecordedRun& run = run_of(fields);
    run.runbook = fields.text_at("runbook");
    run.opened_at = at;
  } else if (type == "started") {
    run_of(fields).executions.emplace_back(fields.text_at("execution"));
  } else if (type == "finished") {
    on_finished(fields);
  } else if (type == "run-closed") {
    RecordedRun& run = run_of(fields);
    const std::string_view status = fields.text_at("status");
    run.status = status.empty() ? "closed" : status;
    run.closed_at = at;
  } else {
    session_.status = "ended";
    session_.ended_at = at;
  }
}

void Reading::on_finished(const rb::Json& fields) {
  ++run_of(fields).outcomes[std::string(fields.text_at("outcome"))];
}

RecordedSession Reading::finish() {
  for (auto& [number, run] : runs_) {
    run.number = number;
    session_.runs.push_back(std::move(run));
  }
  return std::move(session_);
}

RecordedSession read_session(int state, const std::string& id) {
  Reading reading(id);
  const Result<Fd> folder = open_session(state, id);
  const Result<Segments> segments =
      folder ? open_segments(folder->get()) : Result<Segments>(folder.failure());
  if (!segments) {
    reading.damaged();
    return reading.finish();
  }
  JournalReader reader(segments->numbers(), limits::kJournalLineBytes);
  for (;;) {
    const auto line = reader.next();
    if (!line) {
      reading.damaged();
      break;
    }
    if (!*line) {
      break;
    }
    reading.take(**line);
  }
  return reading.finish();
}

}  // namespace

std::string outcomes_text(const RecordedRun& run) {
  std::string out;
  std::uint64_t over = 0;
  const auto add = [&out](std::uint64_t count, const std::string& word) {
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + word;
  };
  for (const auto& [outcome, count] : run.outcomes) {
    add(count, outcome);
    over += count;
  }
  if (run.executions.size() > over) {
    add(run.executions.size() - over, "running");
  }
  return out;
}

Result<std::vector<RecordedSession>> list_record(int state) {
  const Result<StoredSessions> stored = stored_sessions(state);
  if (!stored) {
    return stored.failure();
  }
  std::vector<RecordedSession> out;
  for (const std::string& id : stored->ids) {
    out.push_back(read_session(state, id));
  }
  // Ids have seconds, and sessions may start within one.
  std::sort(out.begin(), out.end(), [](const RecordedSession& a, const RecordedSession& b) {
    return std::tie(a.started_at, a.id) > std::tie(b.started_at, b.id);
  });
  return out;
}

}  // namespace rb::client
