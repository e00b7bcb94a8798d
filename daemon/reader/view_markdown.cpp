#include "daemon/reader/view_markdown.h"

#include <sys/stat.h>

#include <algorithm>

#include "daemon/reader/view_text.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kFilesShown = 50;
constexpr std::uint64_t kOutputBytes = std::uint64_t{64} << 10;

class Page {
 public:
  Page(const Summary& summary, std::uint64_t number, const Outputs& outputs, Sink& sink)
      : summary_(summary),
        number_(number),
        run_(summary.runs.at(number)),
        outputs_(outputs),
        sink_(sink) {}

  void head();
  void on_event(const Event& event);
  void foot();

 private:
  void item(std::string_view name, const std::string& text) {
    sink_.put("- **" + std::string(name) + ":** " + text + "\n");
  }
  // " by operator runbookctl (pid 4711)" for Markdown; "" without an actor.
  static std::string by(const Json* actor) {
    const std::string who = actor == nullptr ? "" : actor_text(*actor);
    return who.empty() ? "" : " by " + markdown_text(who);
  }
  static std::string by(const Event& event) { return by(event.fields.find("actor")); }

  void on_started(const Event& event);
  void facts(const Event& event, const ExecutionFacts& execution);
  void inputs(const Event& event);
  void script(const Event& event);
  void output(const std::string& id, const ExecutionFacts& execution);
  void left(const std::string& id, const ExecutionFacts& execution);
  void files(const std::string& id, const Json& left);
  void tail(const std::string& id, int fd, std::uint64_t size);
  void remark(const Event& event, std::string_view what, std::string_view detail);

  const Summary& summary_;
  std::uint64_t number_;
  const RunFacts& run_;
  const Outputs& outputs_;
  Sink& sink_;
};

void Page::head() {
  sink_.put("# " + markdown_text(run_.title.empty() ? run_.runbook : run_.title) + "\n\n");
  const auto runbook = summary_.runbooks.find(run_.runbook);
  std::string from;
  if (runbook != summary_.runbooks.end() && !runbook->second.shown_path.empty()) {
    from = ", opened as " + code_span(runbook->second.shown_path);
  }
  item("Runbook", code_span(run_.runbook) + from);
  item("Session", code_span(summary_.id) + ", " + markdown_text(summary_.who) + ": " +
                      markdown_text(summary_.why));
  item("Run", std::to_string(number_) + ", " + markdown_text(run_.status));
  item("Opened", time_text(run_.opened_at) + by(&run_.opened_by));
  if (!run_.closed_at.empty()) {
    item("Closed", time_text(run_.closed_at));
  }
  item("Executions", std::to_string(run_.tally.started) + " (" + tally_text(run_.tally) + ")");
  if (!run_.work.empty()) {
    item("Work folder", code_span(run_.work));
  }
  if (runbook != summary_.runbooks.end() && !runbook->second.tree_digest.empty()) {
    item("Content", code_span(runbook->second.tree_digest));
  }
  sink_.put("\n## What happened\n");
}

void Page::on_event(const Event& event) {
  if (!concerns_run(summary_, number_, event)) {
    return;
  }
  const std::string& type = event.type;
  if (type == "started") {
    on_started(event);
  } else if (type == "note") {
    remark(event, "Note", event.text("text"));
  } else if (type == "refused") {
    const std::string_view text = event.text("text");
    remark(event, "Refused", text.empty() ? event.text("reason") : text);
  } else if (type == "stop-requested") {
    remark(event, "Stop asked for " + std::string(event.text("execution")), "");
  } else if (type == "opened") {
    remark(event, "Runbook opened again", "content " + std::string(event.text("tree_digest")));
  } else if (type == "recovered") {
    remark(event, "The service was restarted", event.text("text"));
  } else if (type == "finished" || type == "run-opened" || type == "run-closed" ||
             type == "environment-given" || type == "front-replaced" || type == "segment-opened" ||
             type == "session-ended") {
    return;  // shown elsewhere on the page, or about our own processes: session.log has them
  } else {
    remark(event, type, event.text("text"));
  }
}

void Page::remark(const Event& event, std::string_view what, std::string_view detail) {
  sink_.put("\n> **" + markdown_text(what) + "**, " + time_text(event.at) + by(event) + "\n");
  if (detail.empty()) {
    return;
  }
  const std::string text = lines_of_text(detail);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) {
      sink_.put(">\n> " + markdown_text(std::string_view(text).substr(at, end - at)) + "\n");
    }
    at = end + 1;
  }
}

void Page::on_started(const Event& event) {
  const std::string id(event.text("execution"));
  const auto at = summary_.executions.find(id);
  if (at == summary_.executions.end()) {
    return;
  }
  const ExecutionFacts& execution = at->second;
  const std::string ending = execution.over() ? verdict(execution.finished) : "running";
  sink_.put("\n### " + code_span(event.text("block")) + ": " + markdown_text(ending) + "\n\n");
  facts(event, execution);
  inputs(event);
  script(event);
  output(id, execution);
  left(id, execution);
}

void Page::facts(const Event& event, const ExecutionFacts& execution) {
  std::string line = time_text(event.at);
  if (execution.over()) {
    line += " · " + duration_text(execution.finished.natural("duration_ms"));
  }
  line += " · " + code_span(event.text("execution"));
  if (const std::uint64_t at = event.natural("block_line"); at != 0) {
    line += " · line " + std::to_string(at);
  }
  line += " · profile " + code_span(event.text("profile")) + " ·" + by(event);
  for (const std::string_view tag : {"background", "confirmed", "verbatim"}) {
    if (event.fields.boolean_at(tag)) {
      line += " · *" + std::string(tag) + "*";
    }
  }
  if (execution.over() && execution.finished.fields.boolean_at("may_have_left")) {
    line += " · *may have left processes*";
  }
  sink_.put(line + "\n");
}

void Page::inputs(const Event& event) {
  const Json* const given = event.fields.find("inputs");
  if (given == nullptr || given->names().empty()) {
    return;
  }
  sink_.put("\n");
  for (std::size_t i = 0; i < given->names().size(); ++i) {
    sink_.put("- " + code_span(given->names()[i]) + " = " +
              code_span(value_bytes(given->items()[i])) + "\n");
  }
}

// "bash" of "/usr/bin/bash".
std::string language_of(const Event& event) {
  const std::string_view interpreter = event.text("interpreter");
  return std::string(interpreter.substr(interpreter.rfind('/') + 1));
}

void Page::script(const Event& event) {
  const Json* const text = event.fields.find("script");
  const std::optional<Bytes> bytes = from_base64(event.text("script_base64"));
  std::string whole;
  if (text != nullptr) {
    whole = value_bytes(*text);
  } else if (bytes && !bytes->empty()) {
    whole = std::string(as_text(*bytes));
  } else {
    sink_.put(
        "\nScript: " + code_span("executions/" + std::string(event.text("execution")) + "/script") +
        ", SHA-256 " + code_span(event.text("script_sha256")) + "\n");
    return;
  }
  sink_.put("\n" + fenced(whole, language_of(event)));
}

void Page::output(const std::string& id, const ExecutionFacts& execution) {
  const auto given = outputs_.find(id);
  struct stat facts {};
  if (given == outputs_.end() || ::fstat(given->second, &facts) < 0) {
    const std::uint64_t bytes = execution.over() ? execution.finished.natural("output_bytes") : 0;
    if (bytes > 0) {
      sink_.put("\nOutput: " + counted(bytes, "byte") + " in " +
                code_span("executions/" + id + "/output") + "\n");
    }
    return;
  }
  auto size = static_cast<std::uint64_t>(facts.st_size);
  if (execution.over()) {
    size = std::min(size, execution.finished.natural("output_bytes"));
  }
  if (size == 0) {
    sink_.put("\nNo output.\n");
    return;
  }
  tail(id, given->second, size);
}

void Page::left(const std::string& id, const ExecutionFacts& execution) {
  const Json* const left = execution.finished.fields.find("left");
  if (left == nullptr) {
    return;
  }
  const LeftOutputs outputs = outputs_of(outputs_, id);
  if (!outputs.empty()) {
    sink_.put("\nOutputs:\n\n");
  } else if (const std::uint64_t bytes = left->natural_at("outputs_bytes"); bytes > 0) {
    sink_.put("\nOutputs: " + counted(bytes, "byte") + " in " +
              code_span("executions/" + id + "/outputs") + "\n");
  }
  for (const auto& [name, output] : outputs) {
    sink_.put("- " + code_span(name) + " = " +
              (output.sensitive ? std::string("*(sensitive)*") : code_span(output.value)) + "\n");
  }
  if (left->natural_at("files") + left->natural_at("unread") > 0) {
    files(id, *left);
  }
  if (const std::string_view note = left->text_at("note"); !note.empty()) {
    sink_.put("\n> **Left**: " + markdown_text(note) + "\n");
  }
}

void Page::files(const std::string& id, const Json& left) {
  sink_.put("\nGenerated: " + counted(left.natural_at("files"), "file") + ", " +
            counted(left.natural_at("files_bytes"), "byte") + ", listed in " +
            code_span("executions/" + id + "/generated.jsonl") + "\n\n");
  for (const Json& file : generated_of(outputs_, id, kFilesShown)) {
    const Json* const path = file.find("path");
    const std::string_view unread = file.text_at("unread");
    sink_.put("- " + code_span(path == nullptr ? "" : value_bytes(*path)) + ", " +
              (unread.empty() ? counted(file.natural_at("bytes"), "byte")
                              : "not read: " + markdown_text(unread)) +
              "\n");
  }
  const std::uint64_t all = left.natural_at("files") + left.natural_at("unread");
  if (all > kFilesShown) {
    sink_.put("- and " + grouped(all - kFilesShown) + " more\n");
  }
}

void Page::tail(const std::string& id, int fd, std::uint64_t size) {
  const std::uint64_t from = size > kOutputBytes ? size - kOutputBytes : 0;
  const Result<Bytes> bytes = read_at(fd, from, static_cast<std::size_t>(size - from));
  if (!bytes) {
    sink_.put("\nThe output can't be read: " + markdown_text(bytes.failure().text()) + "\n");
    return;
  }
  std::string_view text = as_text(*bytes);
  std::uint64_t left_out = from;
  // Start with a whole line where one begins within the tail.
  const std::size_t newline = from == 0 ? std::string_view::npos : text.find('\n');
  if (newline != std::string_view::npos && newline + 1 < text.size()) {
    left_out += newline + 1;
    text.remove_prefix(newline + 1);
  }
  sink_.put("\nOutput, " + counted(size, "byte"));
  if (left_out > 0) {
    sink_.put(", the first " + grouped(left_out) + " left out here; all of it is in " +
              code_span("executions/" + id + "/output"));
  }
  sink_.put(":\n\n" + fenced(text, "text"));
}

void Page::foot() {
  if (run_.tally.started == 0) {
    sink_.put("\nNothing was run.\n");
  }
  sink_.put("\n---\n\nMade from " + counted(summary_.lines, "line") + " of the journal of " +
            code_span(summary_.id) + "; the last one's digest is\n" +
            code_span(summary_.head.hex()) +
            ".\nThis page is a view. What it says is checked by `runbookctl record verify`.\n");
}

}  // namespace

Status write_run_markdown(const std::vector<int>& segments, const Summary& summary,
                          std::uint64_t run, const Outputs& outputs, Sink& sink) {
  if (summary.runs.count(run) == 0) {
    return error(Code::Invalid, "the session has no run " + std::to_string(run));
  }
  Page page(summary, run, outputs, sink);
  page.head();
  if (Status read = each_event_for(segments, summary, run,
                                   [&page](const Event& event) -> Status {
                                     page.on_event(event);
                                     return done();
                                   });
      !read) {
    return read;
  }
  page.foot();
  return sink.finish();
}

}  // namespace rb::rdr
