#include "broker/answers.h"

#include <array>

#include "broker/broker.h"
#include "common/clock.h"
#include "policy/builtin.h"
#include "policy/decide.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using front::Answer;

unsigned size_of(std::size_t count) {
  return static_cast<unsigned>(count);
}

void fill_input(const InputSpec& from, front::InputInfo::Builder into) {
  into.setName(wire::text(from.name));
  into.setType(wire::text(from.type));
  into.setDescription(wire::text(from.description));
  into.setRequired(from.required);
  into.setHasDefault(from.has_fallback);
  into.setDefault(wire::data(as_bytes(from.fallback)));
  auto options = into.initOptions(size_of(from.options.size()));
  for (unsigned i = 0; i < options.size(); ++i) {
    options.set(i, wire::text(from.options[i]));
  }
  into.setSensitive(from.sensitive);
  into.setInputsId(wire::text(from.inputs_id));
}

void fill_block(const Executable& from, const Run* run, front::BlockInfo::Builder into) {
  into.setId(wire::text(from.id));
  into.setType(wire::text(from.type));
  into.setLine(from.line);
  into.setKind(wire::text(from.kind));
  into.setLanguage(wire::text(from.language));
  if (from.runnable) {
    into.setDigest(wire::data(from.digest.bytes));
  }
  into.setRunnable(from.runnable);
  into.setWhyNot(wire::text(from.why_not));
  into.setTitle(wire::text(from.title));
  into.setScript(wire::data(*from.script));
  into.setPath(wire::text(from.path));
  into.setProfile(wire::text(from.profile.empty() ? std::string(policy::default_profile(from.type))
                                                  : from.profile));
  auto inputs = into.initInputs(size_of(from.inputs.size()));
  for (unsigned i = 0; i < inputs.size(); ++i) {
    fill_input(from.inputs[i], inputs[i]);
  }
  if (run != nullptr) {
    const auto last = run->blocks.find(from.id);
    into.setState(wire::text(last == run->blocks.end() ? std::string() : last->second));
  }
}

void fill_problems(const Receipt& receipt, front::Opened::Builder into) {
  if (!receipt.reading) {
    return;
  }
  (void)wire::read<reader::Outcome>(*receipt.reading, limits::kTrustedNesting,
                                    [&into](reader::Outcome::Reader from) {
                                      into.setProblems(from.getProblems());
                                      return done();
                                    });
}

void send_opened(Broker& broker, RequestIds::Waiter to, const Receipt& receipt, Session* session) {
  const auto found = session == nullptr ? decltype(session->runbooks.end()){}
                                        : session->runbooks.find(receipt.subject);
  const bool vetted = session != nullptr && found != session->runbooks.end();
  const auto fill = [&](Answer::Builder answer) {
    auto opened = answer.initOpened();
    opened.setVetted(vetted);
    fill_problems(receipt, opened);
    if (vetted) {
      opened.setIsNew(found->second.is_new);
      fill_runbook(broker, *session, found->second, opened.initInfo());
    }
  };
  send_answer(broker, to, fill, vetted ? document_of(found->second) : std::vector<Fd>());
}

void send_started(Broker& broker, RequestIds::Waiter to, const Execution& execution,
                  const Session& session) {
  const auto fill = [&](Answer::Builder answer) {
    auto started = answer.initStarted();
    started.setExecution(wire::text(execution.id));
    started.setSession(wire::text(session.id));
    started.setEvent(execution.event);
    started.setProfile(wire::text(execution.profile));
    started.setNotice(wire::text(broker.facts.of(execution.profile).notice));
    fill_run(broker, session, session.runs[execution.run - 1], started.initRun());
  };
  send_answer(broker, to, fill, output_file(broker, execution));
}

}  // namespace

void send_answer(Broker& broker, RequestIds::Waiter to,
                 const std::function<void(Answer::Builder)>& fill, std::vector<Fd> fds) {
  Bytes message = wire::build<broker::ToFront>([&](auto root) {
    auto answered = root.initAnswer();
    answered.setConnection(to.connection);
    auto answer = answered.initAnswer();
    answer.setSerial(to.serial);
    fill(answer);
  });
  if (message.size() > limits::kSpilledBytes) {
    send_receipt(broker, to,
                 {Receipt::Kind::Refused,
                  "",
                  "",
                  0,
                  {front::Reason::LIMIT, "the answer is larger than a message can be"}});
    return;
  }
  broker.fronts.answer(to.connection, std::move(message), std::move(fds));
}

void send_receipt(Broker& broker, RequestIds::Waiter to, const Receipt& receipt) {
  const auto at = broker.sessions.all().find(receipt.session);
  const SessionPtr session = at == broker.sessions.all().end() ? nullptr : at->second;
  const Refusal gone{front::Reason::UNKNOWN, "what this request did is no longer known"};
  const auto refused = [&](const Refusal& refusal) {
    send_answer(broker, to, [&](Answer::Builder answer) {
      auto out = answer.initRefused();
      out.setReason(refusal.reason);
      out.setText(wire::text(refusal.text));
    });
  };
  switch (receipt.kind) {
    case Receipt::Kind::Refused:
      return refused(receipt.refusal);
    case Receipt::Kind::Done:
      return send_answer(broker, to, [](Answer::Builder answer) { answer.setDone(); });
    case Receipt::Kind::Opened:
      return send_opened(broker, to, receipt, session.get());
    case Receipt::Kind::Session:
      return !session ? refused(gone) : send_answer(broker, to, [&](Answer::Builder answer) {
        fill_session(broker, *session, answer.initSession());
      });
    case Receipt::Kind::Started: {
      const auto found = session ? session->executions.find(receipt.subject)
                                 : decltype(session->executions.end()){};
      if (!session || found == session->executions.end() || found->second->run == 0 ||
          found->second->run > session->runs.size()) {
        return refused(gone);
      }
      return send_started(broker, to, *found->second, *session);
    }
    case Receipt::Kind::Run:
      if (!session || receipt.run == 0 || receipt.run > session->runs.size()) {
        return refused(gone);
      }
      return send_answer(broker, to, [&](Answer::Builder answer) {
        fill_run(broker, *session, session->runs[receipt.run - 1], answer.initRun());
      });
  }
}

void fill_session(const Broker& broker, const Session& from, front::SessionInfo::Builder into) {
  into.setId(wire::text(from.id));
  into.setWho(wire::text(from.who));
  into.setWhy(wire::text(from.why));
  into.setStartedAtMs(from.started_ms);
  into.setEndedAtMs(from.ended_ms);
  into.setStatus(wire::text(from.status));
  into.setCurrent(broker.sessions.current().get() == &from);
  into.setHasEnvironment(from.environment.has_value());
  into.setLastEvent(from.journal ? from.journal->told_line() : from.last_line);
  into.setFolder(wire::text(broker.places.state_path() + "/sessions/" + from.id));
  into.setHead(wire::data(from.journal ? from.journal->head().bytes : from.head.bytes));
}

void fill_run(const Broker& broker, const Session& session, const Run& from,
              front::RunInfo::Builder into) {
  const std::string folder =
      broker.places.state_path() + "/sessions/" + session.id + "/runs/" + from.folder();
  into.setNumber(from.number);
  into.setRunbook(wire::text(from.runbook));
  into.setStatus(wire::text(from.status));
  into.setFolder(wire::text(folder));
  into.setWork(wire::text(folder + "/work"));
}

void fill_execution(const Execution& from, front::ExecutionInfo::Builder into) {
  into.setId(wire::text(from.id));
  into.setSession(wire::text(from.session));
  into.setRunbook(wire::text(from.runbook));
  into.setRun(from.run);
  into.setBlock(wire::text(from.block));
  into.setState(static_cast<event::State>(from.state));
  into.setStartedAtMs(from.started_ms);
  into.setActor(wire::text(from.actor));
  into.setOutputBytes(from.output_bytes);
  into.setProfile(wire::text(from.profile));
  into.setExit(-1);
  if (from.ending) {
    into.setOutcome(static_cast<event::Outcome>(from.ending->outcome));
    into.setExit(from.ending->exit);
    into.setSignal(from.ending->signal);
    into.setDurationMs(from.ending->duration_ms);
    into.setCause(wire::text(from.ending->cause));
  }
}

void fill_runbook(const Broker& broker, Session& session, const Runbook& from,
                  front::RunbookInfo::Builder into) {
  into.setName(wire::text(from.name));
  into.setShownPath(wire::text(from.shown_path));
  into.setTreeDigest(wire::data(from.tree.bytes));
  into.setBound(from.bound);
  const Run* run = session.open_run(from.name);
  if (run != nullptr) {
    fill_run(broker, session, *run, into.initRun());
  }
  if (!from.registry) {
    return;
  }
  into.setTitle(wire::text(from.registry->title));
  into.setFormat(wire::text(from.registry->format));
  auto blocks = into.initBlocks(size_of(from.registry->blocks.size()));
  for (unsigned i = 0; i < blocks.size(); ++i) {
    fill_block(from.registry->blocks[i], run, blocks[i]);
  }
}

std::vector<Fd> document_of(const Runbook& runbook) {
  std::vector<Fd> out;
  if (Result<Fd> copy = runbook.document.duplicate()) {
    out.push_back(std::move(*copy));
  }
  return out;
}

std::vector<Fd> output_file(const Broker& broker, const Execution& execution) {
  std::vector<Fd> out;
  Result<Fd> file = broker.places.open_out("sessions/" + execution.session + "/executions/" +
                                           execution.id + "/output");
  if (file) {
    out.push_back(std::move(*file));
  }
  return out;
}

const char* reason_name(front::Reason reason) {
  constexpr std::array<const char*, 20> kNames = {
      "none",         "malformed",     "notPermitted", "badMac",         "replayed",
      "noSession",    "unknown",       "ambiguous",    "wrongDigest",    "wrongState",
      "missingInput", "badInput",      "notRunnable",  "refusedProfile", "unvetted",
      "limit",        "noEnvironment", "storage",      "unavailable",    "needsConfirmation"};
  const auto at = static_cast<std::size_t>(reason);
  return at < kNames.size() ? kNames[at] : "unknown";
}

}  // namespace rb::brk
