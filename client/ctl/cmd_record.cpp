#include <fcntl.h>

#include <algorithm>

#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/lib/escape.h"
#include "client/lib/paths.h"
#include "client/lib/record_list.h"
#include "client/lib/record_verify.h"
#include "client/lib/record_view.h"
#include "client/lib/text.h"
#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using client::RecordedRun;
using client::RecordedSession;
using client::Style;
using client::Verdict;

constexpr OptionSpec kVerifyOptions[] = {
    {"--anchor", 0, "HEAD",
     "a digest that was written down elsewhere: some line must have it (12 to 64 digits)",
     Complete::Nothing, true},
};
constexpr OperandSpec kShowOperands[] = {
    {"RUN", "a run's number, a runbook's name, a run's folder, or a session; the latest run", false,
     false, Complete::Nothing},
};

// The state folder; closed and `nothing` where there is none yet.
struct State {
  Fd folder;
  bool nothing = false;
};

Result<State> open_state() {
  const std::string path = client::state_folder();
  State state;
  state.folder = Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!state.folder && errno != ENOENT) {
    return errno_error("open " + path);
  }
  state.nothing = !state.folder;
  return state;
}

Result<std::vector<RecordedSession>> read_list() {
  Result<State> state = open_state();
  if (!state) {
    return state.failure();
  }
  return state->nothing ? std::vector<RecordedSession>() : client::list_record(state->folder.get());
}

// "2026-11-30 16:20:33" of the journal's spelling, UTC.
std::string when(const std::string& at) {
  return at.size() < 19 || at[10] != 'T' ? client::label(at)
                                         : client::label(at.substr(0, 10) + " " + at.substr(11, 8));
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string counted(std::uint64_t number, const char* noun) {
  return grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

// ---- record list

void run_json(JsonWriter& out, const RecordedRun& run) {
  out.begin_object().field("run", run.number).field("runbook", run.runbook);
  out.field("status", run.status).field("opened_at", run.opened_at);
  run.closed_at.empty() ? out.key("closed_at").null() : out.field("closed_at", run.closed_at);
  out.field("folder", run.folder()).field("executions", run.executions.size());
  out.key("outcomes").begin_object();
  for (const auto& [outcome, count] : run.outcomes) {
    out.field(outcome, count);
  }
  out.end_object().end_object();
}

std::string list_json(const std::vector<RecordedSession>& sessions) {
  JsonWriter out;
  out.begin_object().key("sessions").begin_array();
  for (const RecordedSession& session : sessions) {
    out.begin_object().field("session", session.id).field("who", session.who);
    out.field("why", session.why).field("status", session.status);
    out.field("started_at", session.started_at);
    session.ended_at.empty() ? out.key("ended_at").null() : out.field("ended_at", session.ended_at);
    out.field("lines", session.lines).field("head", session.head.hex());
    out.key("runs").begin_array();
    for (const RecordedRun& run : session.runs) {
      run_json(out, run);
    }
    out.end_array().end_object();
  }
  return out.end_array().end_object().take() + "\n";
}

std::string list_text(const std::vector<RecordedSession>& sessions) {
  client::Table table({"SESSION", "WHO", "STARTED (UTC)", "STATUS", "WHAT"});
  for (const RecordedSession& session : sessions) {
    table.add({client::label(session.id), client::label(session.who), when(session.started_at),
               client::label(session.status), client::label(session.why)});
    for (const RecordedRun& run : session.runs) {
      const std::string outcomes = client::outcomes_text(run);
      table.add({"  run " + std::to_string(run.number), "", when(run.opened_at),
                 client::label(run.status),
                 client::label(run.runbook + (outcomes.empty() ? "" : ": " + outcomes))});
    }
  }
  return table.text();
}

int run_list(Context& context, const Arguments&) {
  const auto sessions = read_list();
  if (!sessions) {
    return context.fail(sessions.failure());
  }
  context.print(context.json ? list_json(*sessions) : list_text(*sessions));
  return kYes;
}

// ---- record show

struct Chosen {
  const RecordedSession* session = nullptr;
  std::vector<const RecordedRun*> runs;
};

bool has_prefix(const std::string& text, const std::string& prefix) {
  return text.compare(0, prefix.size(), prefix) == 0;
}

// The session asked for by id or unique prefix; nullptr when there is none, or several.
const RecordedSession* session_named(const std::vector<RecordedSession>& sessions,
                                     const std::string& wanted) {
  const RecordedSession* found = nullptr;
  for (const RecordedSession& session : sessions) {
    if (!has_prefix(session.id, wanted)) {
      continue;
    }
    if (found != nullptr) {
      return nullptr;
    }
    found = &session;
  }
  return found;
}

// The last run that `wanted` names: its number, its folder's name, or its runbook's name.
const RecordedRun* run_named(const RecordedSession& session, const std::string& wanted) {
  const auto fits = [&](const RecordedRun& run) {
    return wanted.empty() || std::to_string(run.number) == wanted || run.runbook == wanted ||
           run.runbook + "-" + std::to_string(run.number) == wanted;
  };
  const auto at = std::find_if(session.runs.rbegin(), session.runs.rend(), fits);
  return at == session.runs.rend() ? nullptr : &*at;
}

Chosen choose(const std::vector<RecordedSession>& sessions, const std::string& session_wanted,
              const std::string& wanted) {
  for (const RecordedSession& session : sessions) {  // newest first
    if (!session_wanted.empty() && !has_prefix(session.id, session_wanted)) {
      continue;
    }
    if (const RecordedRun* run = run_named(session, wanted)) {
      return {&session, {run}};
    }
  }
  Chosen all;
  all.session = wanted.size() < 8 ? nullptr : session_named(sessions, wanted);
  for (std::size_t i = 0; all.session != nullptr && i < all.session->runs.size(); ++i) {
    all.runs.push_back(&all.session->runs[i]);
  }
  return all;
}

int show_runs(Context& context, const Chosen& chosen) {
  const Result<State> state = open_state();
  if (!state) {
    return context.fail(state.failure());
  }
  const auto view = context.json ? client::RunView::Json : client::RunView::Page;
  for (std::size_t i = 0; i < chosen.runs.size(); ++i) {
    const Result<std::string> drawn = client::draw_run(
        state->folder.get(), client::program_folder(), *chosen.session, *chosen.runs[i], view);
    if (!drawn) {
      return context.fail(drawn.failure());
    }
    // A page read on a terminal passes its encoder once more: the reader that made it is jailed,
    // not trusted. A file gets what a file in the state folder would hold.
    context.print((i == 0 || context.json ? "" : "\n") +
                  (context.terminal.out ? client::plain(*drawn) : *drawn));
  }
  return kYes;
}

int run_show(Context& context, const Arguments& arguments) {
  const auto sessions = read_list();
  if (!sessions) {
    return context.fail(sessions.failure());
  }
  const std::string wanted = arguments.operand(0);
  if (!context.session.empty() && session_named(*sessions, context.session) == nullptr) {
    return context.fail(kUnknown, "no recorded session is " + client::label(context.session));
  }
  const Chosen chosen = choose(*sessions, context.session, wanted);
  if (chosen.session == nullptr) {
    return context.fail(kUnknown, wanted.empty()
                                      ? "nothing is recorded yet"
                                      : "no recorded run or session is " + client::label(wanted) +
                                            " (runbookctl record list)");
  }
  if (chosen.runs.empty()) {
    context.talk("session " + client::label(chosen.session->id) + " has no run");
    return kYes;
  }
  return show_runs(context, chosen);
}

// ---- record verify

std::string verdict_json(const Verdict& verdict) {
  JsonWriter out;
  out.begin_object().field("ok", verdict.ok()).field("records", verdict.lines);
  out.key("first_bad");
  if (verdict.ok()) {
    out.null();
  } else {
    out.begin_object().field("file", verdict.bad->file).field("line", verdict.bad->line);
    out.field("reason", verdict.bad->reason).end_object();
  }
  out.field("sessions", verdict.sessions).field("executions", verdict.executions);
  out.field("output_bytes", verdict.output_bytes).key("cut").begin_array();
  for (const client::Cut& cut : verdict.cuts) {
    out.begin_object().field("file", cut.file).field("line", cut.line);
    out.field("bytes", cut.bytes).end_object();
  }
  out.end_array().key("head");
  verdict.newest.empty() ? out.null() : out.text(verdict.head.hex());
  return out.end_object().take() + "\n";
}

void say_verdict(const Context& context, const Verdict& verdict, std::size_t anchors) {
  const client::Terminal& terminal = context.terminal;
  for (const client::Cut& cut : verdict.cuts) {
    context.hint(client::label(cut.file) + ": line " + std::to_string(cut.line) + " is cut (" +
                 counted(cut.bytes, "byte") +
                 "): the machine or the daemon stopped while it was written");
  }
  if (!verdict.ok()) {
    const client::Bad& bad = *verdict.bad;
    const std::string place =
        bad.file.empty() ? "" : bad.file + (bad.line == 0 ? "" : ":" + std::to_string(bad.line));
    context.print(terminal.data(Style::Bad, "✗") + " " +
                  client::label(place + (place.empty() ? "" : ": ") + bad.reason) + "\n");
    return;
  }
  std::string text = terminal.data(Style::Good, "✓") + " " + counted(verdict.sessions, "session") +
                     ", " + counted(verdict.executions, "execution") + ", " +
                     counted(verdict.lines, "line");
  if (verdict.output_bytes > 0) {
    text += ", " + client::size_text(verdict.output_bytes) + " of output";
  }
  if (anchors > 0) {
    text += ", " + counted(anchors, "anchor") + " found";
  }
  if (!verdict.newest.empty()) {
    text += ", head " + verdict.head.brief() + " (" + when(verdict.last_time) + " UTC)";
  }
  context.print(text + "\n");
}

int run_verify(Context& context, const Arguments& arguments) {
  const std::vector<std::string> anchors = arguments.values("--anchor");
  const Result<State> state = open_state();
  if (!state) {
    return context.fail(state.failure());
  }
  Verdict nothing;
  if (state->nothing && !anchors.empty()) {
    nothing.bad = client::Bad{"", 0, "there is no record, and so none with such a head"};
  }
  const Result<Verdict> verdict =
      state->nothing ? nothing : client::verify_record(state->folder.get(), anchors);
  if (!verdict) {
    return context.fail(verdict.failure());
  }
  if (context.json) {
    context.print(verdict_json(*verdict));
  } else {
    say_verdict(context, *verdict, anchors.size());
  }
  return verdict->ok() ? kYes : kNo;
}

}  // namespace

const Command kRecordList{"record list", "recorded sessions and their runs", {}, {}, "", run_list};
const Command kRecordShow{"record show",
                          "a run as a page",
                          kShowOperands,
                          {},
                          "  runbookctl record show                 the latest run\n"
                          "  runbookctl record show deploy > page.md\n"
                          "  runbookctl record show 20261130-162033  every run of that session\n",
                          run_show};
const Command kRecordVerify{
    "record verify",
    "check that nothing recorded was changed",
    {},
    kVerifyOptions,
    "Needs no daemon. Every line, script, output and outcome is compared with the digest that a\n"
    "later line holds of it. What comes after the last line is vouched for by an anchor alone:\n"
    "  runbookctl record verify --anchor 9f31c2a0b7d4\n",
    run_verify};

}  // namespace rb::ctl
