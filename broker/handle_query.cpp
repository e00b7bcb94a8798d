// Queries: they change nothing, and both roles may ask them.
#include <unistd.h>

#include "broker/answers.h"
#include "broker/broker.h"
#include "broker/requests.h"
#include "common/io.h"
#include "policy/builtin.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using front::Answer;

constexpr std::size_t kMostListed = 2000;  // executions in one answer, the latest

void refuse_query(Broker& broker, const CallPtr& call, const Refusal& refusal) {
  send_receipt(broker, {call->actor.connection, call->serial},
               {Receipt::Kind::Refused, "", "", 0, refusal});
}

void answer(Broker& broker, const CallPtr& call, const std::function<void(Answer::Builder)>& fill,
            std::vector<Fd> fds = {}) {
  send_answer(broker, {call->actor.connection, call->serial}, fill, std::move(fds));
}

void fill_status(const Broker& broker, front::Status::Builder into) {
  into.setVersion(RUNBOOKD_VERSION);
  into.setBrokerPid(static_cast<std::uint32_t>(::getpid()));
  into.setStartedAtMs(broker.started_ms);
  into.setSessions(static_cast<std::uint32_t>(broker.sessions.open_count()));
  into.setExecutions(static_cast<std::uint32_t>(broker.sessions.running()));
  into.setStateFolder(wire::text(broker.places.state_path()));
  const std::vector<policy::Profile> profiles = policy::builtin_profiles();
  auto list = into.initProfiles(static_cast<unsigned>(profiles.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    const Facts::OfProfile& facts = broker.facts.of(profiles[i].name);
    list[i].setName(wire::text(profiles[i].name));
    list[i].setUsable(facts.missing.empty());
    std::string why = facts.missing.empty() ? facts.notice : facts.missing;
    if (!profiles[i].sandboxed() && !broker.cgroups.why_not().empty()) {
      why += "; may leave processes, no control group: " + broker.cgroups.why_not();
    }
    list[i].setWhy(wire::text(why));
  }
}

void handle_sessions(Broker& broker, const CallPtr& call) {
  answer(broker, call, [&](Answer::Builder into) {
    const auto& all = broker.sessions.all();
    auto list = into.initSessions(static_cast<unsigned>(all.size()));
    unsigned at = 0;
    for (const auto& [id, session] : all) {
      fill_session(broker, *session, list[at++]);
    }
  });
}

void handle_executions(Broker& broker, const CallPtr& call, const std::vector<SessionPtr>& of) {
  std::vector<ExecutionPtr> all;
  for (const SessionPtr& session : of) {
    for (const auto& [id, execution] : session->executions) {
      all.push_back(execution);
    }
  }
  std::sort(all.begin(), all.end(), [](const ExecutionPtr& a, const ExecutionPtr& b) {
    return a->started_ms != b->started_ms ? a->started_ms < b->started_ms : a->event < b->event;
  });
  if (all.size() > kMostListed) {
    all.erase(all.begin(), all.end() - kMostListed);
  }
  answer(broker, call, [&](Answer::Builder into) {
    auto list = into.initExecutions(static_cast<unsigned>(all.size()));
    for (unsigned i = 0; i < list.size(); ++i) {
      fill_execution(*all[i], list[i]);
    }
  });
}

void handle_runbooks(Broker& broker, const CallPtr& call, Session& session) {
  answer(broker, call, [&](Answer::Builder into) {
    auto list = into.initRunbooks(static_cast<unsigned>(session.runbooks.size()));
    unsigned at = 0;
    for (const auto& [name, runbook] : session.runbooks) {
      fill_runbook(broker, session, runbook, list[at++]);
    }
  });
}

void handle_runbook(Broker& broker, const CallPtr& call, Session& session,
                    const std::string& wanted) {
  Refusal refusal;
  const Runbook* runbook = find_unique(session.runbooks, wanted, "runbook", refusal);
  if (runbook == nullptr) {
    refuse_query(broker, call, refusal);
    return;
  }
  answer(
      broker, call,
      [&](Answer::Builder into) {
        auto opened = into.initRunbook();
        opened.setVetted(true);
        fill_runbook(broker, session, *runbook, opened.initInfo());
      },
      document_of(*runbook));
}

void handle_output(Broker& broker, const CallPtr& call, const Session& session,
                   const std::string& wanted) {
  Refusal refusal;
  const ExecutionPtr* found = find_unique(session.executions, wanted, "execution", refusal);
  if (found == nullptr) {
    refuse_query(broker, call, refusal);
    return;
  }
  std::vector<Fd> fds = output_file(broker, **found);
  std::uint64_t length = (*found)->output_bytes;
  if (!(*found)->over() && !fds.empty()) {  // hints are late; the file isn't
    const off_t end = ::lseek(fds.front().get(), 0, SEEK_END);
    length = end > 0 ? static_cast<std::uint64_t>(end) : 0;
    (void)::lseek(fds.front().get(), 0, SEEK_SET);
  }
  answer(
      broker, call,
      [&](Answer::Builder into) {
        auto output = into.initOutput();
        fill_execution(**found, output.initExecution());
        output.setLength(length);
        output.setOver((*found)->over());
      },
      std::move(fds));
}

}  // namespace

void handle_query(Broker& broker, const CallPtr& call, Query query) {
  using Which = front::Query;
  const std::string wanted = wire::text(query.getSession());
  if (query.isStatus()) {
    answer(broker, call, [&](Answer::Builder into) { fill_status(broker, into.initStatus()); });
    return;
  }
  if (query.isSessions()) {
    handle_sessions(broker, call);
    return;
  }
  if (query.isExecutions() && wanted == "*") {
    std::vector<SessionPtr> all;
    for (const auto& [id, session] : broker.sessions.all()) {
      all.push_back(session);
    }
    handle_executions(broker, call, all);
    return;
  }
  const Sessions::Found found = broker.sessions.find(wanted);
  if (!found.session) {
    refuse_query(broker, call, found.refusal);
    return;
  }
  found.session->last_used = boot_now();
  switch (query.which()) {
    case Which::EXECUTIONS:
      return handle_executions(broker, call, {found.session});
    case Which::RUNBOOKS:
      return handle_runbooks(broker, call, *found.session);
    case Which::RUNBOOK:
      return handle_runbook(broker, call, *found.session, wire::text(query.getRunbook()));
    case Which::OUTPUT:
      return handle_output(broker, call, *found.session, wire::text(query.getOutput()));
    case Which::OUTPUT_BYTES:  // the front turns it into `output` and reads the descriptor
    case Which::STATUS:
    case Which::SESSIONS:
    case Which::UNSET:
      return refuse_query(broker, call, {front::Reason::MALFORMED, "no such query"});
  }
}

}  // namespace rb::brk
