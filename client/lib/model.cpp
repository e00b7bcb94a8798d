#include "client/lib/model.h"

#include <array>
#include <utility>

#include "protocol/wire.h"

namespace rb::client {
namespace {

namespace wire = rb::wire;

template <typename T, typename List, typename From>
std::vector<T> list_of(List from, From one) {
  std::vector<T> out;
  out.reserve(from.size());
  for (const auto item : from) {
    out.push_back(one(item));
  }
  return out;
}

SessionInfo session_from(rb::front::SessionInfo::Reader from) {
  SessionInfo out;
  out.id = wire::text(from.getId());
  out.who = wire::text(from.getWho());
  out.why = wire::text(from.getWhy());
  out.started_at_ms = from.getStartedAtMs();
  out.ended_at_ms = from.getEndedAtMs();
  out.status = wire::text(from.getStatus());
  out.current = from.getCurrent();
  out.has_environment = from.getHasEnvironment();
  out.last_event = from.getLastEvent();
  out.folder = wire::text(from.getFolder());
  out.head = wire::bytes(from.getHead());
  return out;
}

RunInfo run_from(rb::front::RunInfo::Reader from) {
  RunInfo out;
  out.number = from.getNumber();
  out.runbook = wire::text(from.getRunbook());
  out.status = wire::text(from.getStatus());
  out.folder = wire::text(from.getFolder());
  out.work = wire::text(from.getWork());
  return out;
}

BlockInfo block_from(rb::front::BlockInfo::Reader from) {
  BlockInfo out;
  out.id = wire::text(from.getId());
  out.type = wire::text(from.getType());
  out.line = from.getLine();
  out.kind = wire::text(from.getKind());
  out.language = wire::text(from.getLanguage());
  out.digest = wire::bytes(from.getDigest());
  out.runnable = from.getRunnable();
  out.why_not = wire::text(from.getWhyNot());
  out.title = wire::text(from.getTitle());
  out.script = wire::bytes(from.getScript());
  out.inputs = list_of<InputInfo>(from.getInputs(), input_from_wire);
  out.profile = wire::text(from.getProfile());
  out.state = wire::text(from.getState());
  out.path = wire::text(from.getPath());
  return out;
}

RunbookInfo runbook_from(rb::front::RunbookInfo::Reader from) {
  RunbookInfo out;
  out.name = wire::text(from.getName());
  out.title = wire::text(from.getTitle());
  out.shown_path = wire::text(from.getShownPath());
  out.tree_digest = wire::bytes(from.getTreeDigest());
  out.bound = from.getBound();
  out.blocks = list_of<BlockInfo>(from.getBlocks(), block_from);
  out.run = run_from(from.getRun());
  out.format = wire::text(from.getFormat());
  return out;
}

Opened opened_from(rb::front::Opened::Reader from) {
  Opened out;
  out.info = runbook_from(from.getInfo());
  out.vetted = from.getVetted();
  out.problems = list_of<Problem>(from.getProblems(), problem_from_wire);
  out.is_new = from.getIsNew();
  return out;
}

Started started_from(rb::front::Started::Reader from) {
  Started out;
  out.execution = wire::text(from.getExecution());
  out.run = run_from(from.getRun());
  out.session = wire::text(from.getSession());
  out.event = from.getEvent();
  out.profile = wire::text(from.getProfile());
  out.notice = wire::text(from.getNotice());
  return out;
}

DaemonStatus status_from(rb::front::Status::Reader from) {
  DaemonStatus out;
  out.version = wire::text(from.getVersion());
  out.broker_pid = from.getBrokerPid();
  out.started_at_ms = from.getStartedAtMs();
  out.sessions = from.getSessions();
  out.executions = from.getExecutions();
  out.state_folder = wire::text(from.getStateFolder());
  out.profiles =
      list_of<ProfileInfo>(from.getProfiles(), [](rb::front::ProfileInfo::Reader profile) {
        return ProfileInfo{wire::text(profile.getName()), profile.getUsable(),
                           wire::text(profile.getWhy())};
      });
  return out;
}

ExecutionInfo execution_from(rb::front::ExecutionInfo::Reader from) {
  ExecutionInfo out;
  out.id = wire::text(from.getId());
  out.session = wire::text(from.getSession());
  out.runbook = wire::text(from.getRunbook());
  out.run = from.getRun();
  out.block = wire::text(from.getBlock());
  out.state = from.getState();
  out.outcome = from.getOutcome();
  out.started_at_ms = from.getStartedAtMs();
  out.actor = wire::text(from.getActor());
  out.output_bytes = from.getOutputBytes();
  out.exit = from.getExit();
  out.signal = from.getSignal();
  out.profile = wire::text(from.getProfile());
  out.duration_ms = from.getDurationMs();
  out.cause = wire::text(from.getCause());
  return out;
}

OutputInfo output_from(rb::front::OutputInfo::Reader from) {
  return OutputInfo{execution_from(from.getExecution()), from.getLength(), from.getOver()};
}

OutputBytes bytes_from(rb::front::OutputBytes::Reader from) {
  return OutputBytes{from.getOffset(), wire::bytes(from.getBytes()), from.getLength(),
                     from.getOver()};
}

constexpr std::array<const char*, 9> kOutcomes = {
    "", "passed", "failed", "timeout", "stopped", "error", "interrupted", "cancelled", "lost"};
constexpr std::array<const char*, 5> kStates = {"", "preparing", "running", "stopping", "over"};
constexpr std::array<const char*, 20> kReasons = {
    "none",          "malformed",      "not-permitted", "bad-mac",         "replayed",
    "no-session",    "unknown",        "ambiguous",     "wrong-digest",    "wrong-state",
    "missing-input", "bad-input",      "not-runnable",  "refused-profile", "unvetted",
    "limit",         "no-environment", "storage",       "unavailable",     "needs-confirmation"};

template <typename Names>
const char* at(const Names& names, unsigned index) {
  return index < names.size() ? names[index] : "unknown";
}

}  // namespace

InputInfo input_from_wire(rb::front::InputInfo::Reader from) {
  InputInfo out;
  out.name = wire::text(from.getName());
  out.type = wire::text(from.getType());
  out.description = wire::text(from.getDescription());
  out.required = from.getRequired();
  out.has_default = from.getHasDefault();
  out.default_value = wire::bytes(from.getDefault());
  out.options = list_of<std::string>(from.getOptions(),
                                     [](capnp::Text::Reader text) { return wire::text(text); });
  out.sensitive = from.getSensitive();
  out.inputs_id = wire::text(from.getInputsId());
  return out;
}

Problem problem_from_wire(rb::front::Problem::Reader from) {
  Problem out;
  switch (from.getSeverity()) {
    case rb::front::Severity::WARNING:
      out.severity = Severity::Warning;
      break;
    case rb::front::Severity::ERROR:
      out.severity = Severity::Error;
      break;
    case rb::front::Severity::REFUSAL:
    default:  // what a newer peer might say counts as the worst
      out.severity = Severity::Refusal;
  }
  out.file = wire::text(from.getFile());
  out.line = from.getLine();
  out.column = from.getColumn();
  out.code = wire::text(from.getCode());
  out.construct = wire::text(from.getConstruct());
  out.text = wire::text(from.getText());
  out.excerpt = wire::text(from.getExcerpt());
  out.advice = wire::text(from.getAdvice());
  out.block = wire::text(from.getBlock());
  out.end_column = from.getEndColumn();
  return out;
}

Result<Answer> answer_from_wire(rb::front::Answer::Reader from) {
  using Wire = rb::front::Answer;
  Answer out;
  switch (from.which()) {
    case Wire::REFUSED:
      out.value = Refusal{from.getRefused().getReason(), wire::text(from.getRefused().getText())};
      return out;
    case Wire::DONE:
      out.value = Done{};
      return out;
    case Wire::SESSION:
      out.value = session_from(from.getSession());
      return out;
    case Wire::OPENED:
      out.value = opened_from(from.getOpened());
      return out;
    case Wire::STARTED:
      out.value = started_from(from.getStarted());
      return out;
    case Wire::STATUS:
      out.value = status_from(from.getStatus());
      return out;
    case Wire::SESSIONS:
      out.value = Sessions{list_of<SessionInfo>(from.getSessions(), session_from)};
      return out;
    case Wire::EXECUTIONS:
      out.value = Executions{list_of<ExecutionInfo>(from.getExecutions(), execution_from)};
      return out;
    case Wire::RUNBOOKS:
      out.value = Runbooks{list_of<RunbookInfo>(from.getRunbooks(), runbook_from)};
      return out;
    case Wire::RUNBOOK:
      out.value = opened_from(from.getRunbook());
      return out;
    case Wire::OUTPUT:
      out.value = output_from(from.getOutput());
      return out;
    case Wire::OUTPUT_BYTES:
      out.value = bytes_from(from.getOutputBytes());
      return out;
    case Wire::RUN:
      out.value = run_from(from.getRun());
      return out;
    case Wire::UNSET:
      break;
  }
  return error(Code::Invalid, "an answer of a kind this version doesn't know");
}

const char* name_of(Outcome outcome) {
  return at(kOutcomes, static_cast<unsigned>(outcome));
}
const char* name_of(State state) {
  return at(kStates, static_cast<unsigned>(state));
}
const char* name_of(Reason reason) {
  return at(kReasons, static_cast<unsigned>(reason));
}

Outcome outcome_named(std::string_view name) {
  for (std::size_t i = 1; i < kOutcomes.size(); ++i) {
    if (name == kOutcomes[i]) {
      return static_cast<Outcome>(i);
    }
  }
  return Outcome::UNSET;
}

}  // namespace rb::client
