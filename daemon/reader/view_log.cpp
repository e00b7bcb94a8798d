#include "daemon/reader/view_log.h"

#include <algorithm>

#include "daemon/reader/view_text.h"

namespace rb::rdr {
namespace {

struct Entry {
  std::string_view level = "INFO ";
  std::string text;
};

// " by operator runbookctl (pid 4711)"
std::string by(const Event& event) {
  const Json* const actor = event.fields.find("actor");
  const std::string who = actor == nullptr ? "" : actor_text(*actor);
  return who.empty() ? "" : " by " + who;
}

// In quotes that nothing inside can end; cut where it is long, since run.json has all of it.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 200;
  std::string out = "\"";
  for (const char c : text.substr(0, kShown)) {
    out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out + (text.size() > kShown ? "…\"" : "\"");
}

std::string brief(std::string_view hex) {
  return std::string(hex.substr(0, 12));
}

// The first of these fields that says anything.
std::string_view first_of(const Event& event, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const std::string_view text = event.text(name); !text.empty()) {
      return text;
    }
  }
  return {};
}

Entry on_started(const Event& event) {
  std::string text = "started, profile " + std::string(event.text("profile")) + by(event) +
                     ", script " + brief(event.text("script_sha256"));
  const Json* const inputs = event.fields.find("inputs");
  for (std::size_t i = 0; inputs != nullptr && i < inputs->names().size(); ++i) {
    text += ", " + inputs->names()[i] + "=" + quoted(value_bytes(inputs->items()[i]));
  }
  return {"INFO ", text};
}

Entry on_finished(const Event& event) {
  const std::string_view outcome = event.text("outcome");
  const std::string text =
      verdict(event) + " after " + duration_text(event.natural("duration_ms")) + ", " +
      counted(event.natural("output_bytes"), "byte") + " of output" +
      (event.fields.boolean_at("may_have_left") ? ", may have left processes" : "");
  return {outcome == "passed" ? "INFO " : outcome == "error" ? "ERROR" : "WARN ", text};
}

Entry on_session_started(const Event& event) {
  return {"INFO ", "session " + std::string(event.text("session")) + " of " +
                       std::string(event.text("who")) + ": " + quoted(event.text("why")) +
                       by(event)};
}

Entry on_opened(const Event& event) {
  return {"INFO ", "opened " + quoted(event.text("shown_path")) + " " +
                       quoted(event.text("title")) + ", content " +
                       brief(event.text("tree_digest")) + by(event)};
}

Entry plain(std::string_view level, std::string text) {
  return {level, std::move(text)};
}

Entry entry_of(const Event& event) {
  const std::string& type = event.type;
  const std::string detail(
      first_of(event, {"text", "why", "reason", "cause", "status", "shown_path"}));
  if (type == "session-started") {
    return on_session_started(event);
  }
  if (type == "opened") {
    return on_opened(event);
  }
  if (type == "started") {
    return on_started(event);
  }
  if (type == "finished") {
    return on_finished(event);
  }
  if (type == "note") {
    return plain("INFO ", "note: " + detail + by(event));
  }
  const bool warns = type == "refused" || type == "open-refused" || type == "recovered" ||
                     type == "front-replaced" || type == "segment-opened";
  if (type == "session-ended") {
    return plain("INFO ", "session ended" + by(event));
  }
  std::string words = type;
  std::replace(words.begin(), words.end(), '-', ' ');
  return plain(warns ? "WARN " : "INFO ",
               words + (detail.empty() ? "" : ": " + detail) + by(event));
}

// "deploy restart #e3"; "session" where no runbook is concerned. Brackets of theirs would end ours.
std::string tags_of(const Event& event) {
  std::string out;
  const auto add = [&out](std::string_view text, std::string_view mark) {
    if (!text.empty()) {
      out += (out.empty() ? "" : " ") + std::string(mark) + std::string(text);
    }
  };
  add(event.text("runbook"), "");
  add(event.text("block"), "");
  add(event.text("execution"), "#");
  std::replace(out.begin(), out.end(), '[', '(');
  std::replace(out.begin(), out.end(), ']', ')');
  return out.empty() ? "session" : out;
}

}  // namespace

std::string log_line(const Event& event) {
  const Entry entry = entry_of(event);
  return one_line(event.at) + " " + std::string(entry.level) + " [" + one_line(tags_of(event)) +
         "] " + one_line(entry.text) + "\n";
}

Status write_session_log(const std::vector<int>& segments, Sink& sink) {
  if (Status read = each_event(segments,
                               [&sink](const Event& event) -> Status {
                                 sink.put(log_line(event));
                                 return done();
                               });
      !read) {
    return read;
  }
  return sink.finish();
}

}  // namespace rb::rdr
