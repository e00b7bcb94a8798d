#include <algorithm>

#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/lib/escape.h"
#include "client/lib/events.h"
#include "client/lib/text.h"
#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using client::ExecutionInfo;
using client::State;

constexpr OptionSpec kOptions[] = {
    {"--all", 'a', "", "also those that are over"},
    {"--everywhere", 0, "", "of every session"},
};

std::string state_text(const ExecutionInfo& info) {
  return info.state == State::OVER ? client::ending_text(client::ended_from(info))
                                   : client::name_of(info.state);
}

std::string since_text(const ExecutionInfo& info) {
  if (info.state == State::OVER) {
    return client::duration_text(Millis(static_cast<std::int64_t>(info.duration_ms)));
  }
  const std::int64_t now = wall_now_ms();
  const bool past = info.started_at_ms > 0 && info.started_at_ms < now;
  return client::duration_text(Millis(past ? now - info.started_at_ms : 0));
}

void print_json(const Context& context, const std::vector<ExecutionInfo>& list) {
  JsonWriter out;
  out.begin_object().key("executions").begin_array();
  for (const ExecutionInfo& info : list) {
    out.begin_object().field("id", info.id).field("session", info.session);
    out.field("runbook", info.runbook).field("run", info.run).field("block", info.block);
    out.field("state", client::name_of(info.state));
    info.state == State::OVER ? out.field("outcome", client::name_of(info.outcome))
                              : out.key("outcome").null();
    info.exit >= 0 ? out.field("exit", info.exit) : out.key("exit").null();
    info.signal != 0 ? out.field("signal", info.signal) : out.key("signal").null();
    out.field("started_at", wall_text(info.started_at_ms)).field("actor", info.actor);
    out.field("profile", info.profile).field("duration_ms", info.duration_ms);
    out.field("output_bytes", info.output_bytes).end_object();
  }
  context.print(out.end_array().end_object().take() + "\n");
}

void print_table(const Context& context, const std::vector<ExecutionInfo>& list) {
  client::Table table({"EXEC", "RUNBOOK", "BLOCK", "STATE", "SINCE", "BY", "OUTPUT"});
  for (const ExecutionInfo& info : list) {
    table.add({client::label(info.id), client::label(info.runbook), client::label(info.block),
               state_text(info), since_text(info), client::label(info.actor),
               client::size_text(info.output_bytes)});
  }
  context.print(table.text());
}

int run_ps(Context& context, const Arguments& arguments) {
  int status = kYes;
  std::vector<ExecutionInfo> list;
  if (client::Client* daemon = context.running_daemon(status)) {
    const std::string session = arguments.has("--everywhere") ? "*" : context.session;
    Result<client::Answer> answer = daemon->ask(query_executions(session));
    const auto* refusal = answer ? std::get_if<client::Refusal>(&answer->value) : nullptr;
    const bool none = refusal != nullptr && refusal->reason == client::Reason::NO_SESSION &&
                      context.session.empty();
    if (!none) {
      auto executions = expect<client::Executions>(context, std::move(answer));
      if (!executions) {
        return executions.status;
      }
      list = std::move(executions->list);
    }
  }
  if (status != kYes) {
    return status;
  }
  if (!arguments.has("--all")) {
    list.erase(std::remove_if(list.begin(), list.end(),
                              [](const ExecutionInfo& one) { return one.state == State::OVER; }),
               list.end());
  }
  context.json ? print_json(context, list) : print_table(context, list);
  return kYes;
}

}  // namespace

const Command kPs{"ps", "what runs now", {}, kOptions, "", run_ps};

}  // namespace rb::ctl
