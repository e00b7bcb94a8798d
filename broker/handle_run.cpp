// Runs and executions under way: close, stop.
#include <algorithm>

#include "broker/broker.h"
#include "broker/requests.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using front::Reason;

// completed: every block that can run has passed; partial: something ran; opened: nothing did.
std::string closing_status(const Session& session, const Run& run) {
  if (run.blocks.empty()) {
    return "opened";
  }
  const auto runbook = session.runbooks.find(run.runbook);
  if (runbook == session.runbooks.end() || !runbook->second.registry) {
    return "partial";
  }
  const auto& blocks = runbook->second.registry->blocks;
  const bool all = std::all_of(blocks.begin(), blocks.end(), [&run](const Executable& block) {
    const auto last = run.blocks.find(block.id);
    return !block.runnable || (last != run.blocks.end() && last->second == "passed");
  });
  return all ? "completed" : "partial";
}

void stop_all(Broker& broker, const Session& session, std::uint32_t run, const std::string& cause) {
  for (const auto& [id, execution] : session.executions) {
    if (!execution->over() && (run == 0 || execution->run == run)) {
      broker.executions.stop(*execution,
                             static_cast<std::uint32_t>(Millis(limits::kStopGrace).count()), cause);
    }
  }
}

}  // namespace

Status close_run(Session& session, Run& run, const Actor* actor) {
  const std::string status = closing_status(session, run);
  if (!run.recorded) {  // no start in it was ever recorded: it never was
    run.status = status;
    return done();
  }
  JsonWriter line = session.journal->begin("run-closed", actor);
  line.field("run", run.number).field("runbook", run.runbook).field("status", status);
  if (const auto written = session.journal->append(std::move(line)); !written) {
    return written.failure();
  }
  run.status = status;
  return done();
}

void stop_and_wait(Broker& broker, const SessionPtr& session, std::uint32_t run,
                   const std::string& cause, std::function<void()> then) {
  stop_all(broker, *session, run, cause);
  broker.when_settled(session, run, std::move(then));
}

void handle_close_run(Broker& broker, const CallPtr& call, Operation operation) {
  const auto from = operation.getCloseRun();
  const bool stop = from.getStop();
  const std::string name = wire::text(from.getRunbook());
  const SessionPtr session = call->session;
  const Run* run = session->open_run(name);
  if (run == nullptr) {
    refuse(broker, call, Reason::WRONG_STATE, "no run of this runbook is open");
    return;
  }
  if (run->closing) {
    refuse(broker, call, Reason::WRONG_STATE, "the run is being closed already");
    return;
  }
  if (!stop && session->running(run->number) > 0) {
    refuse(broker, call, Reason::WRONG_STATE, "the run still has executions: close it with --stop");
    return;
  }
  const std::uint32_t number = run->number;
  session->runs[number - 1].closing = true;
  stop_and_wait(broker, session, number, "run closed", [&broker, call, session, number] {
    Run& closing = session->runs[number - 1];
    closing.closing = false;
    const Status closed =
        closing.status == "open" ? close_run(*session, closing, &call->actor) : done();
    if (!closed) {
      refuse(broker, call, Reason::STORAGE, "not recordable: " + closed.failure().text());
      return;
    }
    session->journal->commit([&broker, call, session, number](const Status& durable) {
      if (!durable) {
        refuse(broker, call, Reason::STORAGE, "not recordable: " + durable.failure().text());
        return;
      }
      broker.views.make(session, number, [&broker, call, session, number] {
        finish(broker, call, {Receipt::Kind::Run, session->id, "", number, {}});
      });
    });
  });
}

void handle_stop(Broker& broker, const CallPtr& call, Operation operation) {
  const auto from = operation.getStop();
  const std::uint32_t grace = from.getGraceMs();
  Refusal refusal;
  const ExecutionPtr* found =
      find_unique(call->session->executions, wire::text(from.getExecution()), "execution", refusal);
  if (found == nullptr) {
    refuse(broker, call, refusal.reason, refusal.text);
    return;
  }
  const ExecutionPtr execution = *found;
  const Receipt receipt{Receipt::Kind::Done, call->session->id, execution->id, 0, {}};
  if (execution->over()) {
    finish(broker, call, receipt);
    return;
  }
  // Stopping doesn't wait for the record, and doesn't fail with it.
  JsonWriter line = call->session->journal->begin("stop-requested", &call->actor);
  line.field("execution", execution->id).field("run", execution->run);
  line.field("runbook", execution->runbook).field("block", execution->block);
  line.field("grace_ms", grace).field("request", call->request_hex);
  const auto written = call->session->journal->append(std::move(line));
  broker.executions.stop(*execution, grace, name_of(call->actor.role));
  if (!written) {
    finish(broker, call, receipt);
    return;
  }
  call->session->journal->commit(
      [&broker, call, receipt](const Status&) { finish(broker, call, receipt); });
}

}  // namespace rb::brk
