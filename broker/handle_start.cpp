// start: every check, then the order of DESIGN §8: launch (the sandbox is being built meanwhile) →
// ledger → start line → sync → go → answer. Attacks A6, A7, B2, B9.
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "broker/starting.h"
#include "common/folder.h"
#include "common/io.h"
#include "policy/builtin.h"
#include "policy/decide.h"
#include "protocol/folder_id.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using front::Reason;
using MaybeRefusal = std::optional<Refusal>;

Starting from_wire(const CallPtr& call, front::Start::Reader from) {
  Starting out;
  out.call = call;
  out.runbook_name = wire::text(from.getRunbook());
  out.block = wire::text(from.getBlock());
  out.asked_profile = wire::text(from.getProfile());
  out.work_path = wire::text(from.getWorkPath());
  out.digest = digest_from_bytes({from.getDigest().begin(), from.getDigest().size()});
  std::size_t total = 0;
  for (const auto input : from.getInputs()) {
    const auto value = input.getValue();
    total += value.size();
    if (total <= limits::kInputsBytes) {
      out.given.push_back({wire::text(input.getName()), wire::text(input.getInputsId()),
                           std::string(as_text({value.begin(), value.size()}))});
    }
  }
  out.timeout_ms = from.getTimeoutMs();
  out.new_run = from.getNewRun();
  out.verbatim = from.getVerbatim();
  return out;
}

// Values that no front could read: sealed to this broker, for this very request.
MaybeRefusal open_secrets(const Broker& broker, Operation operation, Starting& start) {
  const auto box = operation.getStart().getSecrets();
  if (box.size() == 0) {
    return std::nullopt;
  }
  std::optional<Bytes> plain = seal::open_box({box.begin(), box.size()}, broker.box);
  const auto take = [&](front::Secrets::Reader from) -> Status {
    if (digest_from_bytes({from.getRequest().begin(), from.getRequest().size()}) !=
        start.call->content) {
      return error(Code::Invalid, "of another request");
    }
    for (const auto input : from.getInputs()) {
      start.given.push_back(
          {wire::text(input.getName()), wire::text(input.getInputsId()),
           std::string(as_text({input.getValue().begin(), input.getValue().size()})), true});
    }
    return done();
  };
  const bool taken = plain && plain->size() <= 2 * limits::kInputsBytes &&
                     wire::read<front::Secrets>(*plain, limits::kClientNesting, take).ok();
  if (plain) {
    seal::wipe(*plain);
  }
  return taken ? std::nullopt
               : MaybeRefusal(Refusal{Reason::MALFORMED,
                                      "the sealed inputs aren't sealed for this request"});
}

MaybeRefusal find_block(Starting& start) {
  Refusal refusal;
  start.runbook = find_unique(start.session().runbooks, start.runbook_name, "runbook", refusal);
  if (start.runbook == nullptr) {
    return refusal;
  }
  start.executable = start.runbook->registry->block(start.block);
  if (start.executable == nullptr) {
    return Refusal{Reason::UNKNOWN, start.runbook->name + " has no block of this name"};
  }
  if (!start.executable->runnable) {
    return Refusal{Reason::NOT_RUNNABLE, start.executable->why_not.empty()
                                             ? "this block can't be run"
                                             : start.executable->why_not};
  }
  if (start.digest != start.executable->digest) {
    return Refusal{Reason::WRONG_DIGEST,
                   "what was shown isn't what is registered now: open the runbook again"};
  }
  return std::nullopt;
}

MaybeRefusal choose_profile(const Broker& broker, Starting& start) {
  const policy::Request request{policy::Role::Operator, start.executable->type,
                                start.executable->profile, start.asked_profile};
  policy::Decision decision = policy::decide(request);
  if (const auto* refused = std::get_if<policy::Refuse>(&decision)) {
    return Refusal{
        refused->why == policy::Why::NotPermitted ? Reason::NOT_PERMITTED : Reason::REFUSED_PROFILE,
        refused->text};
  }
  start.profile = std::get<policy::Allow>(std::move(decision)).profile;
  if (const std::string& why = broker.facts.of(start.profile.name).missing; !why.empty()) {
    return Refusal{Reason::REFUSED_PROFILE,
                   "this machine can't enforce " + start.profile.name + ": " + why};
  }
  start.limits = policy::default_limits(start.profile, start.markdown());
  if (start.executable->timeout_ms > 0) {
    start.limits.timeout_ms = start.executable->timeout_ms;
  }
  if (start.timeout_ms > 0) {
    start.limits.timeout_ms = start.timeout_ms;
  }
  if (start.limits.open_files == 0) {  // ours was raised; a script gets what we were given
    start.limits.open_files = broker.options.open_files;
  }
  return std::nullopt;
}

MaybeRefusal check_room(const Broker& broker, Starting& start) {
  if (!start.session().environment) {
    return Refusal{Reason::NO_ENVIRONMENT, "the session's environment is needed again"};
  }
  if (broker.sessions.running() >= limits::kExecutionsAtOnce) {
    return Refusal{Reason::LIMIT, "too many executions at once: wait for one to end"};
  }
  if (broker.places.free_bytes() < limits::kFreeSpaceFloorBytes) {
    return Refusal{Reason::STORAGE, "less than 64 MiB are free for the record"};
  }
  if (Status reserved = start.session().journal->reserve(); !reserved) {
    return Refusal{Reason::STORAGE, "not recordable: " + reserved.failure().text()};
  }
  const Run* run = start.session().open_run(start.runbook->name);
  if (run != nullptr && run->closing) {
    return Refusal{Reason::WRONG_STATE, "the run is being closed"};
  }
  if (run != nullptr && start.new_run && start.session().running(run->number) > 0) {
    return Refusal{Reason::WRONG_STATE, "the open run still has executions: stop them first"};
  }
  return std::nullopt;
}

// A program that a script could exchange, or that lies elsewhere inside, isn't the one that the
// record would name.
bool is_shown(const Starting& start, const std::string& program) {
  if (!start.profile.sandboxed()) {
    return true;
  }
  const auto in = [&](const std::string& folder) { return is_beneath(program, folder); };
  const auto& granted = start.grants.places;
  const std::string home(start.session().environment->value("HOME"));
  const auto below = [&](std::span<const std::string_view> folders, const std::string& top) {
    return std::any_of(folders.begin(), folders.end(),
                       [&](std::string_view one) { return in(top + "/" + std::string(one)); });
  };
  if (std::any_of(granted.begin(), granted.end(),
                  [&](const Grant& grant) { return grant.writable && in(grant.path); })) {
    return false;
  }
  return below(policy::system_folders(), "") ||
         (!home.empty() && below(policy::tool_folders(start.profile), home)) ||
         std::any_of(granted.begin(), granted.end(),
                     [&](const Grant& grant) { return in(grant.path); });
}

MaybeRefusal make_script(Broker& broker, Starting& start) {
  auto joined = join(*start.executable, start.given, {start.verbatim, start.markdown()});
  if (const Refusal* refused = std::get_if<Refusal>(&joined)) {
    return *refused;
  }
  start.joined = std::get<Joined>(std::move(joined));
  const auto may_run = [&start](const std::string& program) { return is_shown(start, program); };
  Result<Interpreter> interpreter = broker.interpreters.resolve(
      start.executable->interpreter, start.session().environment->value("PATH"), may_run);
  if (!interpreter) {
    return Refusal{Reason::NOT_RUNNABLE, interpreter.failure().text()};
  }
  start.interpreter = std::move(*interpreter);
  return std::nullopt;
}

Ground ground_of(const Broker& broker, const Starting& start) {
  return {broker, *start.session().environment, start.runbook->folder_path};
}

// A folder given with --work: the kernel says where it lies, and it holds nothing that must not be
// written to from a script.
MaybeRefusal check_work(const Broker& broker, Starting& start) {
  // The sealed copy would lie over the work folder, and nothing can be made in it.
  if (start.profile.sandboxed() &&
      is_beneath(broker.places.state_path(), start.runbook->folder_path)) {
    return Refusal{Reason::REFUSED_PROFILE,
                   "a sandbox can't show " + start.runbook->folder_path +
                       ": it holds the record. Move the runbook into a folder of its own"};
  }
  if (!start.work) {
    return std::nullopt;
  }
  start.work_path = place_of(start.work.get());
  const std::string why = why_not_granted(ground_of(broker, start), start.work, true);
  if (!why.empty()) {
    return Refusal{Reason::BAD_INPUT, "the work folder " + start.work_path + why};
  }
  return std::nullopt;
}

// The run that this start belongs to; a new one gets its folder and its line with the start's.
Status enter_run(Broker& broker, Starting& start) {
  Session& session = start.session();
  Run* open = session.open_run(start.runbook->name);
  if (open != nullptr && start.new_run) {
    if (Status closed = close_run(session, *open, &start.call->actor); !closed) {
      return closed;
    }
    open = nullptr;
  }
  if (open == nullptr) {
    const auto number = static_cast<std::uint32_t>(session.runs.size() + 1);
    session.runs.push_back({number, start.runbook->name});
    open = &session.runs.back();
  }
  start.run = open;
  const Result<Fd> folder = make_folder(session.runs_folder.get(), open->folder());
  Result<Fd> work = folder ? make_folder(folder->get(), "work") : Result<Fd>(folder.failure());
  if (!work) {
    return work.failure();
  }
  if (start.work) {
    start.give(monitor::Descriptor::WORK, std::move(start.work));
    return done();
  }
  start.work_path =
      broker.places.state_path() + "/sessions/" + session.id + "/runs/" + open->folder() + "/work";
  start.give(monitor::Descriptor::WORK, std::move(*work));
  return done();
}

// executions/<id>/ with the script for people, the output and its index.
Status make_execution(Broker& broker, Starting& start) {
  Session& session = start.session();
  Result<ExecutionFiles> files = take_files(session);
  if (!files) {
    return files.failure();
  }
  const std::string& id = files->id;
  Result<Fd> memory = sealed_memory("script", start.joined.script);
  Result<Fd> listener =
      Places::listen_at(broker.places.monitors(), session.id + "." + id, SOCK_SEQPACKET);
  // A sandbox ends with its first process; a group is worth its cost there where it binds.
  Fd leaf = start.profile.sandboxed() && !broker.cgroups.binds()
                ? Fd()
                : broker.cgroups.make(session.id + "." + id, start.limits);
  Result<Fd> tree = start.runbook->sealed.duplicate();
  for (const Result<Fd>* one : {&memory, &listener, &tree}) {
    if (!*one) {
      return one->failure();
    }
  }
  start.script_file = std::move(files->script);
  start.give(monitor::Descriptor::SCRIPT, std::move(*memory));
  start.give(monitor::Descriptor::OUTPUT, std::move(files->output));
  start.give(monitor::Descriptor::INDEX, std::move(files->index));
  start.give(monitor::Descriptor::FOLDER, std::move(files->folder));
  start.give(monitor::Descriptor::GENERATED, std::move(files->generated));
  start.give(monitor::Descriptor::LISTENER, std::move(*listener));
  start.give(monitor::Descriptor::TREE, std::move(*tree));
  if (leaf) {
    start.give(monitor::Descriptor::CGROUP, std::move(leaf));
  }
  for (Grant& grant : start.grants.places) {
    start.give(monitor::Descriptor::GRANT, std::move(grant.fd));
  }
  start.execution_path =
      broker.places.state_path() + "/sessions/" + session.id + "/executions/" + id;

  const Actor& actor = start.call->actor;
  start.execution = std::make_shared<Execution>();
  Execution& out = *start.execution;
  out.id = id;
  out.session = session.id;
  out.runbook = start.runbook->name;
  out.block = start.block;
  out.profile = start.profile.name;
  out.actor = std::string(name_of(actor.role)) + " (" +
              (actor.program.empty() ? actor.name : actor.program) + ")";
  out.run = start.run->number;
  out.started_ms = wall_now_ms();
  out.key = seal::random_key();
  return done();
}

// What the next broker must know comes first: it may be needed from the next instruction on.
Status record_start(Broker& broker, Starting& start, const Receipt& receipt) {
  Session& session = start.session();
  start.execution->event = session.journal->lines() + (start.run->recorded ? 1 : 2);
  if (Status noted = broker.ledger.append(start_record(*start.execution)); !noted) {
    return noted;
  }
  if (Status noted = note_in_ledger(broker, *start.call, receipt); !noted) {
    return noted;
  }
  if (!start.run->recorded) {
    if (const auto written = record_run(start); !written) {
      return written.failure();
    }
    start.run->recorded = true;
  }
  if (Status written = write_script_file(start); !written) {
    return written;
  }
  const Result<std::uint64_t> number = session.journal->append(start_line(start));
  return number ? done() : Status(number.failure());
}

void not_recordable(Broker& broker, const CallPtr& call, const ExecutionPtr& execution,
                    const Error& why) {
  if (execution) {
    broker.executions.abandon(execution);
  }
  refuse(broker, call, Reason::STORAGE, "not recordable, so not run: " + why.text());
}

void launch(Broker& broker, Starting& start) {
  const ExecutionPtr execution = start.execution;
  const CallPtr call = start.call;
  const SessionPtr session = call->session;
  session->executions[execution->id] = execution;
  start.run->blocks[start.block] = "running";
  if (Status sent =
          broker.executions.launch(execution, launch_message(broker, start), std::move(start.fds));
      !sent) {
    not_recordable(broker, call, execution, sent.failure());
    return;
  }
  const Receipt receipt{Receipt::Kind::Started, session->id, execution->id, 0, {}};
  if (Status recorded = record_start(broker, start, receipt); !recorded) {
    not_recordable(broker, call, execution, recorded.failure());
    return;
  }
  session->journal->commit([&broker, call, execution, receipt](const Status& durable) {
    if (!durable) {
      not_recordable(broker, call, execution, durable.failure());
      broker.storage_failed(*call->session, durable.failure());
      return;
    }
    broker.executions.start_is_durable(execution);
    finish(broker, call, receipt);
  });
}

MaybeRefusal find_grants(const Broker& broker, Operation operation, Starting& start) {
  auto grants =
      resolve_grants(ground_of(broker, start), start.profile, operation.getStart(), start.places);
  if (const Refusal* refused = std::get_if<Refusal>(&grants)) {
    return *refused;
  }
  start.grants = std::get<Grants>(std::move(grants));
  return std::nullopt;
}

// One for each place that the message names, in its order: none missing, none beside.
MaybeRefusal take_descriptors(Operation operation, Starting& start) {
  const auto from = operation.getStart();
  std::vector<Fd>& fds = start.call->fds;
  const std::size_t work = from.getWorkGiven() ? 1 : 0;
  const std::size_t places =
      std::size_t{from.getRead().size()} + from.getWrite().size() + from.getSockets().size();
  if (fds.size() != work + places || (work == 1 && !is_folder(from.getWork(), fds[0].get()))) {
    return Refusal{Reason::MALFORMED, "its descriptors aren't those of the places it names"};
  }
  if (work == 1) {
    start.work = std::move(fds.front());
    fds.erase(fds.begin());
  }
  start.places = std::move(fds);
  return std::nullopt;
}

MaybeRefusal check(Broker& broker, Operation operation, Starting& start) {
  if (MaybeRefusal refused = take_descriptors(operation, start)) {
    return refused;
  }
  if (MaybeRefusal refused = open_secrets(broker, operation, start)) {
    return refused;
  }
  if (MaybeRefusal refused = find_block(start)) {
    return refused;
  }
  if (MaybeRefusal refused = choose_profile(broker, start)) {
    return refused;
  }
  if (MaybeRefusal refused = check_room(broker, start)) {
    return refused;
  }
  if (MaybeRefusal refused = find_grants(broker, operation, start)) {
    return refused;
  }
  if (MaybeRefusal refused = make_script(broker, start)) {
    return refused;
  }
  return check_work(broker, start);
}

void begin(Broker& broker, const CallPtr& call, Operation operation, Starting& start) {
  if (const MaybeRefusal refused = check(broker, operation, start)) {
    refuse(broker, call, refused->reason, refused->text);
    return;
  }
  Status made = enter_run(broker, start);
  if (made) {
    made = make_execution(broker, start);
  }
  if (!made) {
    not_recordable(broker, call, nullptr, made.failure());
    return;
  }
  make_environment(start);
  launch(broker, start);
}

void wipe(std::string& text) {
  seal::wipe({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
}

}  // namespace

void handle_start(Broker& broker, const CallPtr& call, Operation operation) {
  Starting start = from_wire(call, operation.getStart());
  call->about = to_valid_utf8(start.block).substr(0, 256);
  begin(broker, call, operation, start);
  for (Given& given : start.given) {
    wipe(given.value);
  }
  std::for_each(start.joined.variables.begin(), start.joined.variables.end(), wipe);
  std::for_each(start.environment.begin(), start.environment.end(), wipe);
}

}  // namespace rb::brk
