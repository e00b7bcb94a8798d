#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/ctl/machine.h"
#include "client/lib/escape.h"
#include "client/lib/paths.h"
#include "client/lib/start.h"
#include "client/lib/text.h"
#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using client::DaemonStatus;
using client::Style;

std::string mark(const Context& context, bool good) {
  return context.terminal.data(good ? Style::Good : Style::Warn, good ? "✓" : "–");
}

void print_fact(const Context& context, const Fact& fact) {
  context.print(client::padded(fact.name, 22) + mark(context, fact.good) + " " + fact.text +
                (fact.advice.empty() ? "" : "\n" + std::string(24, ' ') + "→ " + fact.advice) +
                "\n");
}

// The daemon's sentence begins with the profile's name, which stands before it already.
std::string profile_text(const client::ProfileInfo& profile) {
  const std::string prefix = profile.name + ": ";
  const std::string why = client::label(
      profile.why.starts_with(prefix) ? profile.why.substr(prefix.size()) : profile.why);
  if (!profile.usable) {
    return "refused here" + (why.empty() ? "" : ": " + why);
  }
  return why.empty() ? "enforced" : why;
}

void print_daemon(const Context& context, const DaemonStatus& status) {
  context.print(client::padded("daemon", 22) + mark(context, true) + " version " +
                client::label(status.version) + ", pid " + std::to_string(status.broker_pid) +
                ", since " + client::time_text(status.started_at_ms, wall_now_ms()) + "\n");
  context.print(client::padded("record", 22) + mark(context, true) + " " +
                client::label(client::tilde(status.state_folder)) + "\n");
  for (const client::ProfileInfo& profile : status.profiles) {
    context.print(client::padded("profile " + client::label(profile.name), 22) +
                  mark(context, profile.usable) + " " + profile_text(profile) + "\n");
  }
  context.print(client::padded("the wall", 22) + mark(context, true) +
                " whatever else runs as you reaches the operator's socket: it is you\n");
}

std::string as_json(const std::vector<Fact>& facts, const DaemonStatus* status) {
  JsonWriter out;
  out.begin_object().key("machine").begin_array();
  for (const Fact& fact : facts) {
    out.begin_object().field("name", fact.name).field("ok", fact.good);
    out.field("text", fact.text).field("advice", fact.advice).end_object();
  }
  out.end_array().key("daemon");
  if (status == nullptr) {
    return out.null().end_object().take();
  }
  out.begin_object().field("version", status->version).field("pid", status->broker_pid);
  out.field("started_at", wall_text(status->started_at_ms)).field("sessions", status->sessions);
  out.field("executions", status->executions).field("state", status->state_folder);
  out.end_object().key("profiles").begin_array();
  for (const client::ProfileInfo& profile : status->profiles) {
    out.begin_object().field("name", profile.name).field("usable", profile.usable);
    out.field("why", profile.why).end_object();
  }
  return out.end_array().end_object().take();
}

int run_doctor(Context& context, const Arguments&) {
  const std::vector<Fact> facts = look_at_machine();
  Got<DaemonStatus> status;
  client::Client* daemon = context.daemon();
  if (daemon != nullptr) {
    status = expect<DaemonStatus>(
        context, daemon->ask({"", [](rb::front::Query::Builder into) { into.setStatus(); }}));
  }
  if (context.json) {
    context.print(as_json(facts, status ? &*status : nullptr) + "\n");
  } else {
    for (const Fact& fact : facts) {
      print_fact(context, fact);
    }
    if (status) {
      print_daemon(context, *status);
    }
  }
  if (daemon == nullptr) {
    return kFailure;
  }
  return status.status;
}

}  // namespace

const Command kDoctor{"doctor",  "what this machine can enforce, and what doesn't bind", {}, {}, "",
                      run_doctor};

}  // namespace rb::ctl
