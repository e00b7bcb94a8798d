#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/ctl/event_stream.h"
#include "client/ctl/session_text.h"
#include "client/lib/escape.h"
#include "client/lib/paths.h"
#include "client/lib/text.h"

namespace rb::ctl {
namespace {

using client::SessionInfo;

// An operation whose whole answer is yes or no.
int act(Context& context,
        std::function<void(rb::front::Operation::Builder, const client::Greeting&)> fill) {
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  client::Operation operation;
  operation.session = context.session;
  operation.fill = std::move(fill);
  return expect<Done>(context, daemon->act(std::move(operation))).status;
}

int run_start(Context& context, const Arguments& arguments) {
  const std::string who = arguments.value("--as").value_or(login_name());
  const std::string why = arguments.value("--why").value_or("");
  if (who.empty() || why.empty()) {
    return context.fail(kFailure, "a session needs a reason: --why TEXT");
  }
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  Got<SessionInfo> started =
      expect<SessionInfo>(context, daemon->act(start_session(who, why, false)));
  if (started) {
    context.print(context.json ? session_json(*started) + "\n" : started->id + "\n");
  }
  return started.status;
}

int run_note(Context& context, const Arguments& arguments) {
  std::string text;
  for (const std::string& word : arguments.operands_from(0)) {
    text += (text.empty() ? "" : " ") + word;
  }
  return act(context, [text](rb::front::Operation::Builder into, const client::Greeting&) {
    into.setNote(text);
  });
}

int run_show(Context& context, const Arguments&) {
  int status = kYes;
  client::Client* daemon = context.running_daemon(status);
  if (daemon == nullptr) {
    return status != kYes ? status : context.fail(kUnknown, "no session runs");
  }
  Got<SessionInfo> session = find_session(context, *daemon);
  if (session) {
    context.print(context.json ? session_json(*session) + "\n" : session_text(*session));
  }
  return session.status;
}

int run_list(Context& context, const Arguments&) {
  int status = kYes;
  std::vector<SessionInfo> list;
  if (client::Client* daemon = context.running_daemon(status)) {
    auto sessions = expect<client::Sessions>(context, daemon->ask(query_sessions()));
    if (!sessions) {
      return sessions.status;
    }
    list = std::move(sessions->list);
  }
  if (status == kYes) {
    context.print(context.json ? sessions_json(list) : sessions_text(list));
  }
  return status;
}

int run_log(Context& context, const Arguments& arguments) {
  int status = kYes;
  client::Client* daemon = context.running_daemon(status);
  if (daemon == nullptr) {
    return status != kYes ? status : context.fail(kUnknown, "no session runs");
  }
  return print_events(context, *daemon, 1, arguments.has("--follow"));
}

int run_env(Context& context, const Arguments& arguments) {
  if (!arguments.has("--from-here")) {
    return context.fail(kFailure,
                        "`session env --from-here` gives the session this shell's "
                        "environment, folder and umask");
  }
  return act(context, [](rb::front::Operation::Builder into, const client::Greeting& greeting) {
    client::fill_environment(into.initReplaceEnvironment(), greeting);
  });
}

int run_end(Context& context, const Arguments&) {
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  client::Operation end;
  end.session = context.session;
  end.fill = [](rb::front::Operation::Builder into, const client::Greeting&) {
    into.setEndSession();
  };
  Result<client::Answer> answer = daemon->act(std::move(end));
  if (answer && std::holds_alternative<Done>(answer->value)) {
    return kYes;
  }
  Got<SessionInfo> ended = expect<SessionInfo>(context, std::move(answer));
  if (ended) {  // the head on the operator's screen: an anchor outside the record
    context.print(context.json ? session_json(*ended) + "\n" : ended_text(*ended));
  }
  return ended.status;
}

constexpr OptionSpec kStartOptions[] = {
    {"--as", 0, "NAME", "who works (the login name)"},
    {"--why", 0, "TEXT", "the reason, as the record will show it"},
};
constexpr OperandSpec kNoteOperands[] = {{"TEXT", "one line for the record", true, true}};
constexpr OptionSpec kFollow[] = {{"--follow", 'f', "", "go on until Ctrl-C"}};
constexpr OptionSpec kEnvOptions[] = {
    {"--from-here", 0, "", "take this shell's environment, folder and umask"}};

}  // namespace

const Command kSessionStart{
    "session start", "begin a session: who works, and why", {}, kStartOptions, "", run_start};
const Command kSessionNote{"session note", "put a line into the record", kNoteOperands, {}, "",
                           run_note};
const Command kSessionShow{"session show", "the session's facts", {}, {}, "", run_show};
const Command kSessionLog{"session log", "what happened in it", {}, kFollow, "", run_log};
const Command kSessionList{"session list", "every session the daemon knows", {}, {}, "", run_list};
const Command kSessionEnv{"session env", "give it this shell's environment", {}, kEnvOptions, "",
                          run_env};
const Command kSessionEnd{"session end", "end it, with everything that still runs", {}, {}, "",
                          run_end};

}  // namespace rb::ctl
