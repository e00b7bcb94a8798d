#include "daemon/reader/view_model.h"

#include <cstdio>
#include <limits>

#include "common/chain.h"
#include "common/journal_reader.h"
#include "protocol/limits.h"

namespace rb::rdr {
namespace {

Error bad_line(const JournalReader& reader, const std::string& why) {
  char name[32];
  std::snprintf(name, sizeof name, "journal-%04zu.jsonl", reader.segment() + 1);
  return error(Code::Invalid,
               std::string(name) + " line " + std::to_string(reader.number()) + ": " + why);
}

// Calls use(line, event) for each line whose number is wanted.
template <typename Wanted, typename Use>
Status each_line(const std::vector<int>& segments, Wanted wanted, Use use) {
  JournalReader reader(segments, limits::kJournalLineBytes);
  for (;;) {
    auto line = reader.next();
    if (!line) {
      return bad_line(reader, line.failure().text());
    }
    if (!*line) {
      return done();
    }
    if (!wanted((*line)->start.number)) {
      continue;
    }
    Result<Json> fields = parse_json((*line)->text);
    if (!fields) {
      return bad_line(reader, fields.failure().what);
    }
    const LineStart& start = (*line)->start;
    const Event event{start.number, std::string(start.at), std::string(start.type),
                      std::move(*fields)};
    if (Status used = use(**line, event); !used) {
      return used;
    }
  }
}

bool every(std::uint64_t) {
  return true;
}

std::string text_of(const Event& event, std::string_view name) {
  return std::string(event.text(name));
}

Json field_of(const Event& event, std::string_view name) {
  const Json* const field = event.fields.find(name);
  return field == nullptr ? Json() : *field;
}

void on_session_started(Summary& summary, const Event& event) {
  summary.id = text_of(event, "session");
  summary.who = text_of(event, "who");
  summary.why = text_of(event, "why");
  summary.version = text_of(event, "version");
  summary.started_at = event.at;
  summary.started_boot_ms = event.natural("boot_ms");
  summary.started_by = field_of(event, "actor");
}

void on_opened(Summary& summary, const Event& event) {
  summary.runbooks[text_of(event, "runbook")] = {
      text_of(event, "title"), text_of(event, "shown_path"), text_of(event, "format"),
      text_of(event, "tree_digest"), event.at};
}

void on_run_opened(Summary& summary, const Event& event) {
  RunFacts& run = summary.runs[event.natural("run")];
  run.runbook = text_of(event, "runbook");
  const auto runbook = summary.runbooks.find(run.runbook);
  run.title = runbook == summary.runbooks.end() ? "" : runbook->second.title;
  run.opened_at = event.at;
  run.opened_line = event.line;
  run.opened_by = field_of(event, "actor");
  run.work = text_of(event, "work");
}

void on_run_closed(Summary& summary, const Event& event) {
  RunFacts& run = summary.runs[event.natural("run")];
  const std::string status = text_of(event, "status");
  run.status = !status.empty() ? status : run.tally.started > 0 ? "partial" : "opened";
  run.closed_at = event.at;
  run.closed_line = event.line;
}

void on_started(Summary& summary, const Event& event) {
  ExecutionFacts facts;
  facts.run = event.natural("run");
  facts.runbook = text_of(event, "runbook");
  facts.block = text_of(event, "block");
  facts.started_line = event.line;
  for (Tally* tally : {&summary.tally, &summary.runs[facts.run].tally}) {
    ++tally->started;
    ++tally->running;
  }
  summary.executions[text_of(event, "execution")] = std::move(facts);
}

void on_finished(Summary& summary, const Event& event, const std::set<std::uint64_t>& runs) {
  ExecutionFacts& facts = summary.executions[text_of(event, "execution")];
  if (facts.over() || facts.started_line == 0) {
    return;  // told by record verify; a view shows the first ending
  }
  facts.finished = event;
  if (runs.count(facts.run) == 0) {
    facts.finished.fields = Json();
  }
  for (Tally* tally : {&summary.tally, &summary.runs[facts.run].tally}) {
    --tally->running;
    ++tally->outcomes[text_of(event, "outcome")];
  }
}

void on_refused(Summary& summary, const Event& event) {
  ++summary.tally.refused;
  const auto run = summary.runs.find(event.natural("run"));
  if (run != summary.runs.end()) {
    ++run->second.tally.refused;
  }
}

void take(Summary& summary, const Event& event, const std::set<std::uint64_t>& runs) {
  if (event.type == "session-started") {
    on_session_started(summary, event);
  } else if (event.type == "opened") {
    on_opened(summary, event);
  } else if (event.type == "run-opened") {
    on_run_opened(summary, event);
  } else if (event.type == "run-closed") {
    on_run_closed(summary, event);
  } else if (event.type == "started") {
    on_started(summary, event);
  } else if (event.type == "finished") {
    on_finished(summary, event, runs);
  } else if (event.type == "refused") {
    on_refused(summary, event);
  } else if (event.type == "session-ended") {
    summary.status = "ended";
    summary.ended_at = event.at;
  }
}

// The one run that a line tells of; 0 where the line names none.
std::uint32_t run_of(const Summary& summary, const Event& event) {
  std::uint64_t run = event.natural("run");
  if (event.fields.find("run") == nullptr) {
    const auto at = summary.executions.find(text_of(event, "execution"));
    run = at == summary.executions.end() ? 0 : at->second.run;
  }
  return run <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(run) : 0;
}

}  // namespace

Status each_event(const std::vector<int>& segments,
                  const std::function<Status(const Event&)>& use) {
  return each_line(segments, every,
                   [&](const JournalReader::Line&, const Event& event) { return use(event); });
}

Status each_event_for(const std::vector<int>& segments, const Summary& summary, std::uint64_t run,
                      const std::function<Status(const Event&)>& use) {
  const auto wanted = [&](std::uint64_t line) {
    if (line == 0 || line > summary.run_of_line.size()) {
      return true;  // the journal grew meanwhile
    }
    const std::uint32_t of = summary.run_of_line[line - 1];
    return of == 0 || of == run;
  };
  return each_line(segments, wanted,
                   [&](const JournalReader::Line&, const Event& event) { return use(event); });
}

Result<Summary> summarize(const std::vector<int>& segments, const std::set<std::uint64_t>& runs) {
  Summary summary;
  summary.segments = segments.size();
  const Status read = each_line(segments, every,
                                [&](const JournalReader::Line& line, const Event& event) -> Status {
                                  take(summary, event, runs);
                                  summary.run_of_line.push_back(run_of(summary, event));
                                  summary.lines = event.line;
                                  summary.last_boot_ms = line.start.boot_ms;
                                  summary.head = head_of_line(line.text);
                                  return done();
                                });
  if (!read) {
    return read.failure();
  }
  return summary;
}

bool concerns_run(const Summary& summary, std::uint64_t run, const Event& event) {
  if (const Json* const number = event.fields.find("run"); number != nullptr) {
    return number->natural().value_or(0) == run;
  }
  if (const std::string_view execution = event.text("execution"); !execution.empty()) {
    const auto at = summary.executions.find(std::string(execution));
    return at != summary.executions.end() && at->second.run == run;
  }
  const RunFacts& facts = summary.runs.at(run);
  const bool within =
      event.line > facts.opened_line && (facts.closed_line == 0 || event.line < facts.closed_line);
  const std::string_view runbook = event.text("runbook");
  return within && (runbook.empty() || runbook == facts.runbook);
}

std::string tally_text(const Tally& tally) {
  std::string out;
  const auto add = [&out](std::uint64_t count, std::string_view word) {
    if (count > 0) {
      out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(word);
    }
  };
  for (const auto& [outcome, count] : tally.outcomes) {
    add(count, outcome);
  }
  add(tally.running, "running");
  add(tally.refused, "refused");
  return out.empty() ? "nothing was run" : out;
}

std::string actor_text(const Json& actor) {
  if (!actor.is(Json::Kind::Object)) {
    return "";
  }
  const std::string program(actor.text_at("program"));
  const std::string name(actor.text_at("name"));
  std::string out(actor.text_at("role"));
  out += " " + (program.empty() ? "?" : program);
  out += " (pid " + std::to_string(actor.natural_at("pid"));
  if (!name.empty() && name != program) {
    out += ", calls itself \"" + name + "\"";
  }
  return out + ")";
}

std::string verdict(const Event& finished) {
  const std::string outcome = text_of(finished, "outcome");
  const std::string cause = text_of(finished, "cause");
  const Json* const code = finished.fields.find("exit");
  const std::int64_t exit = code == nullptr ? -1 : code->number().value_or(-1);
  const std::uint64_t signal = finished.natural("signal");
  std::string out = outcome;
  if (outcome == "passed") {
    out = "ok";
  } else if (outcome == "failed" && signal != 0) {
    out = "killed by signal " + std::to_string(signal);
  } else if (outcome == "failed" && exit >= 0) {
    out = "exit " + std::to_string(exit);
  } else if (outcome == "timeout") {
    out = "timed out";
  } else if (outcome == "error") {
    out = "failed to start";
  }
  if (finished.fields.boolean_at("warn")) {
    out += ", a warning";
  }
  return cause.empty() ? out : out + " (" + cause + ")";
}

}  // namespace rb::rdr
