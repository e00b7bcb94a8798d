#include "daemon/reader/view_json.h"

#include <initializer_list>

#include "common/json_writer.h"

namespace rb::rdr {
namespace {

using Names = std::initializer_list<std::string_view>;

void write_value(JsonWriter& out, const Json& value) {
  switch (value.kind()) {
    case Json::Kind::Null:
      out.null();
      return;
    case Json::Kind::Boolean:
      out.boolean(value.boolean());
      return;
    case Json::Kind::Number:
      if (const auto natural = value.natural()) {
        out.unsigned_number(*natural);
      } else {
        out.signed_number(value.number().value_or(0));
      }
      return;
    case Json::Kind::Text:
      out.text(value.text());
      return;
    case Json::Kind::Array:
    case Json::Kind::Object:
      break;
  }
  const bool object = value.is(Json::Kind::Object);
  object ? out.begin_object() : out.begin_array();
  for (std::size_t i = 0; i < value.items().size(); ++i) {
    if (object) {
      out.key(value.names()[i]);
    }
    write_value(out, value.items()[i]);
  }
  object ? out.end_object() : out.end_array();
}

// Fields of an event under their own names; absent ones stay absent.
void copy(JsonWriter& out, const Event& event, Names names) {
  for (const std::string_view name : names) {
    if (const Json* const field = event.fields.find(name); field != nullptr) {
      out.key(name);
      write_value(out, *field);
    }
  }
}

// null for "", so that "hasn't happened" reads as such.
void text_or_null(JsonWriter& out, std::string_view name, std::string_view text) {
  out.key(name);
  text.empty() ? out.null() : out.text(text);
}

void write_tally(JsonWriter& out, const Tally& tally) {
  out.key("counts").begin_object().field("started", tally.started);
  out.field("running", tally.running);
  for (const std::string_view outcome :
       {"passed", "failed", "timeout", "stopped", "error", "interrupted", "cancelled", "lost"}) {
    const auto at = tally.outcomes.find(std::string(outcome));
    out.field(outcome, at == tally.outcomes.end() ? std::uint64_t{0} : at->second);
  }
  out.field("refused", tally.refused).end_object();
}

void write_journal(JsonWriter& out, const Summary& summary) {
  out.key("journal").begin_object().field("segments", summary.segments);
  out.field("lines", summary.lines).field("head", summary.head.hex()).end_object();
}

// A list of an object, written element by element.
class List {
 public:
  List(Sink& sink, std::string_view name) : sink_(sink) {
    sink_.put(",\n\"").put(name).put("\":[");
  }
  void add(JsonWriter& element) {
    sink_.put(first_ ? "\n" : ",\n").put(element.take());
    first_ = false;
  }
  void end() { sink_.put(first_ ? "]" : "\n]"); }

 private:
  Sink& sink_;
  bool first_ = true;
};

// The fields of an object without its closing brace.
void put_open(Sink& sink, JsonWriter& object) {
  sink.put(object.take());
}

void write_run_head(JsonWriter& out, std::uint64_t number, const RunFacts& run) {
  out.field("run", number).field("runbook", run.runbook).field("title", run.title);
  out.field("status", run.status).field("opened_at", run.opened_at);
  text_or_null(out, "closed_at", run.closed_at);
}

void put_runs(Sink& sink, const Summary& summary) {
  List runs(sink, "runs");
  for (const auto& [number, run] : summary.runs) {
    JsonWriter element;
    element.begin_object();
    write_run_head(element, number, run);
    element.field("folder", "runs/" + run.runbook + "-" + std::to_string(number));
    write_tally(element, run.tally);
    element.end_object();
    runs.add(element);
  }
  runs.end();
}

void put_runbooks(Sink& sink, const Summary& summary) {
  List runbooks(sink, "runbooks");
  for (const auto& [name, runbook] : summary.runbooks) {
    JsonWriter element;
    element.begin_object().field("runbook", name).field("title", runbook.title);
    element.field("shown_path", runbook.shown_path).field("format", runbook.format);
    element.field("tree_digest", runbook.tree_digest).field("opened_at", runbook.opened_at);
    element.end_object();
    runbooks.add(element);
  }
  runbooks.end();
}

void start_element(JsonWriter& element, const Event& event) {
  element.begin_object().field("line", event.line).field("at", event.at);
}

// The first of them; all are in the execution's own files.
constexpr std::size_t kFilesShown = 200;

void write_what_was_left(JsonWriter& out, const Event& finished, const Outputs& files) {
  if (finished.fields.find("left") == nullptr) {
    return;
  }
  const std::string id(finished.text("execution"));
  copy(out, finished, {"left"});
  out.key("outputs").begin_array();
  for (const auto& [name, output] : outputs_of(files, id)) {
    out.begin_object().field("name", name).key("value");
    output.sensitive ? out.null() : out.bytes(as_bytes(output.value));
    out.field("sensitive", output.sensitive).end_object();
  }
  out.end_array().key("generated").begin_array();
  for (const Json& file : generated_of(files, id, kFilesShown)) {
    write_value(out, file);
  }
  out.end_array();
}

void execution_element(JsonWriter& out, const Event& started, const ExecutionFacts& facts,
                       const Outputs& files) {
  out.begin_object();
  copy(out, started, {"execution", "block", "block_type", "block_line"});
  out.field("started_line", started.line).field("started_at", started.at);
  copy(out, started,
       {"actor", "digest", "tree_digest", "request", "profile", "inputs", "interpreter",
        "interpreter_sha256", "argv", "cwd", "work", "limits", "environment_names", "script_sha256",
        "verbatim"});
  if (!facts.over()) {
    out.key("outcome").null().end_object();
    return;
  }
  const Event& finished = facts.finished;
  out.field("finished_line", finished.line).field("finished_at", finished.at);
  copy(out, finished,
       {"outcome", "exit", "signal", "cause", "warn", "duration_ms", "output_bytes",
        "output_sha256", "outcome_sha256", "may_have_left", "recovered"});
  write_what_was_left(out, finished, files);
  out.end_object();
}

Status put_executions(Sink& sink, const std::vector<int>& segments, const Summary& summary,
                      std::uint64_t run, const Outputs& files) {
  List executions(sink, "executions");
  Status read = each_event_for(segments, summary, run, [&](const Event& event) -> Status {
    if (event.type != "started" || event.natural("run") != run) {
      return done();
    }
    const auto facts = summary.executions.find(std::string(event.text("execution")));
    if (facts != summary.executions.end()) {
      JsonWriter element;
      execution_element(element, event, facts->second, files);
      executions.add(element);
    }
    return done();
  });
  executions.end();
  return read;
}

// What happened beside the executions: refusals, stops, the run's own lines, notes while it was
// open.
bool is_run_event(const Summary& summary, std::uint64_t run, const Event& event) {
  return event.type != "started" && event.type != "finished" && concerns_run(summary, run, event);
}

Status put_run_events(Sink& sink, const std::vector<int>& segments, const Summary& summary,
                      std::uint64_t run) {
  List events(sink, "events");
  Status read = each_event_for(segments, summary, run, [&](const Event& event) -> Status {
    if (is_run_event(summary, run, event)) {
      JsonWriter element;
      start_element(element, event);
      element.field("type", event.type);
      copy(element, event,
           {"actor", "execution", "block", "reason", "text", "status", "grace_ms", "tree_digest"});
      element.end_object();
      events.add(element);
    }
    return done();
  });
  events.end();
  return read;
}

Status put_notes(Sink& sink, const std::vector<int>& segments) {
  List notes(sink, "notes");
  Status read = each_event(segments, [&](const Event& event) -> Status {
    if (event.type == "note") {
      JsonWriter element;
      start_element(element, event);
      copy(element, event, {"actor", "text"});
      element.end_object();
      notes.add(element);
    }
    return done();
  });
  notes.end();
  return read;
}

}  // namespace

Status write_session_json(const std::vector<int>& segments, const Summary& summary, Sink& sink) {
  JsonWriter head;
  head.begin_object().field("format", 1).field("session", summary.id);
  head.field("who", summary.who).field("why", summary.why).field("status", summary.status);
  head.field("started_at", summary.started_at);
  text_or_null(head, "ended_at", summary.ended_at);
  head.key("started_by");
  write_value(head, summary.started_by);
  text_or_null(head, "version", summary.version);
  write_tally(head, summary.tally);
  write_journal(head, summary);
  put_open(sink, head);
  put_runs(sink, summary);
  put_runbooks(sink, summary);
  if (Status notes = put_notes(sink, segments); !notes) {
    return notes;
  }
  return sink.put("}\n").finish();
}

Status write_run_json(const std::vector<int>& segments, const Summary& summary, std::uint64_t run,
                      const Outputs& files, Sink& sink) {
  const auto at = summary.runs.find(run);
  if (at == summary.runs.end()) {
    return error(Code::Invalid, "the session has no run " + std::to_string(run));
  }
  JsonWriter head;
  head.begin_object().field("format", 1).field("session", summary.id);
  head.field("who", summary.who).field("why", summary.why);
  write_run_head(head, run, at->second);
  head.key("opened_by");
  write_value(head, at->second.opened_by);
  text_or_null(head, "work", at->second.work);
  write_tally(head, at->second.tally);
  write_journal(head, summary);
  put_open(sink, head);
  if (Status executions = put_executions(sink, segments, summary, run, files); !executions) {
    return executions;
  }
  if (Status events = put_run_events(sink, segments, summary, run); !events) {
    return events;
  }
  return sink.put("}\n").finish();
}

}  // namespace rb::rdr
