#include "client/ctl/executions.h"

#include "client/lib/escape.h"
#include "client/lib/text.h"
#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using client::ExecutionInfo;
using client::State;

bool over(const ExecutionInfo& info) {
  return info.state == State::OVER;
}

// --latest, or the only one that runs.
Got<std::string> choose_execution(Context& context, client::Client& daemon, bool latest) {
  Got<std::string> out;
  auto list = expect<client::Executions>(context, daemon.ask(query_executions(context.session)));
  if (!list) {
    out.status = list.status;
    return out;
  }
  std::vector<const ExecutionInfo*> running;
  for (const ExecutionInfo& info : list->list) {
    if (!over(info)) {
      running.push_back(&info);
    }
  }
  if (latest && !list->list.empty()) {
    const ExecutionInfo* last = &list->list.front();
    for (const ExecutionInfo& info : list->list) {
      last = info.started_at_ms >= last->started_at_ms ? &info : last;
    }
    out.value = last->id;
  } else if (!latest && running.size() == 1) {
    out.value = running[0]->id;
  } else if (latest || running.empty()) {
    out.status =
        context.fail(kUnknown, latest ? "nothing was executed in this session yet"
                                      : "nothing runs; name an execution, or -l for the latest");
  } else {
    out.status = context.fail(
        kUnknown, std::to_string(running.size()) + " executions run: name one (runbookctl ps)");
  }
  return out;
}

std::string outcome_json(const client::OutputInfo& info, const client::Ended& ended) {
  JsonWriter line;
  line.begin_object().field("event", "finished").field("execution", info.execution.id);
  line.field("block", info.execution.block).field("at", wall_text(wall_now_ms()));
  line.field("outcome", client::name_of(ended.outcome));
  ended.exit >= 0 ? line.field("exit", ended.exit) : line.key("exit").null();
  ended.signal != 0 ? line.field("signal", ended.signal) : line.key("signal").null();
  line.field("cause", ended.cause);
  line.field("duration_ms", static_cast<std::int64_t>(ended.duration.count()));
  line.field("output_bytes", ended.output_bytes).field("profile", info.execution.profile);
  return line.end_object().take();
}

}  // namespace

Got<Found> find_execution(Context& context, client::Client& daemon, const Arguments& arguments) {
  Got<Found> out;
  std::string name = arguments.operand(0);
  if (name.empty()) {
    Got<std::string> chosen = choose_execution(context, daemon, arguments.has("--latest"));
    if (!chosen) {
      out.status = chosen.status;
      return out;
    }
    name = *chosen;
  }
  auto info = expect<client::OutputInfo>(context, daemon.ask(query_output(context.session, name)));
  if (!info) {
    out.status = info.status;
    return out;
  }
  out.value = Found{std::move(*info), info.fds.empty() ? Fd() : std::move(info.fds[0])};
  return out;
}

int subscribe_to_ends(Context& context, client::Client& daemon, Follow& follow, bool output) {
  Got<client::SessionInfo> session = find_session(context, daemon);
  if (!session) {
    return session.status;
  }
  context.session = session->id;
  follow.subscribe(session->id, output, session->last_event + 1);
  return kYes;
}

int watch_execution(Context& context, client::Client& daemon, Follow& follow, Found found,
                    const std::function<bool()>& stopped_by_us) {
  const ExecutionInfo execution = found.info.execution;
  const Subject subject{execution.id, execution.session, execution.block};
  client::Ended ended;
  if (found.info.over) {
    ended = client::ended_from(execution);
    if (Status shown = follow.show_all(subject, std::move(found.output), found.info.length);
        !shown) {
      return context.fail(shown.failure());
    }
  } else {
    const Result<client::Ended> end = follow.until_end(subject, std::move(found.output));
    if (!end) {
      return end.failure().what.empty() ? int{kYes} : context.fail(end.failure());
    }
    ended = *end;
  }
  (void)daemon;
  if (context.json) {
    follow.write_json(outcome_json(found.info, ended));
    follow.settle();
  } else {
    context.talk(client::label(execution.id) + "  " + client::label(execution.block) + "  " +
                 client::ending_text(ended) + "  " + client::duration_text(ended.duration));
  }
  return client::exit_status(ended, stopped_by_us());
}

}  // namespace rb::ctl
