#include "broker/executions.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>

#include "broker/broker.h"
#include "common/folder.h"
#include "common/hmac.h"
#include "common/io.h"
#include "common/log.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using monitor::FromMonitor;
using monitor::ToMonitor;

constexpr Nanos kPatience = std::chrono::seconds(5);  // with a socket found in monitors/

template <typename Fill>
Bytes to_monitor(Fill&& fill) {
  return wire::build<ToMonitor>(std::forward<Fill>(fill));
}

Outcome outcome_from(const Execution& execution, event::Ending::Reader from) {
  Outcome out;
  out.session = execution.session;
  out.execution = execution.id;
  const auto outcome = static_cast<std::uint16_t>(from.getOutcome());
  out.outcome = outcome >= 1 && outcome <= 8 ? static_cast<Ended>(outcome) : Ended::Error;
  out.exit = from.getExit();
  out.signal = from.getSignal();
  out.cause = to_valid_utf8(wire::text(from.getCause())).substr(0, kCauseBytes);
  out.duration_ms = from.getDurationMs();
  out.output_bytes = from.getOutputBytes();
  out.output_sha256 =
      digest_from_bytes({from.getOutputSha256().begin(), from.getOutputSha256().size()})
          .value_or(Digest{});
  out.ended_at_ms = from.getEndedAtMs();
  out.warn = from.getWarn();
  out.may_have_left = from.getMayHaveLeft();
  return out;
}

Result<Fd> connect_monitor(int monitors, const std::string& name) {
  Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(monitors) + "/" + name;
  if (!fd || path.size() >= sizeof address.sun_path) {
    return error(Code::TooLarge, "socket name");
  }
  path.copy(address.sun_path, path.size());
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0) {
    return errno_error("connect to the monitor of " + name);
  }
  return fd;
}

}  // namespace

// What a monitor may say, and while what is known of it: anything else ends the link, and its
// execution's end is then taken from its files.
struct Executions::Row {
  FromMonitor::Which message;
  bool mine;   // permitted from a monitor this broker started
  bool found;  // permitted from one found by its socket
  void (Executions::*handle)(const ExecutionPtr&, From);
};
const std::array<Executions::Row, 7> Executions::kTable = {{
    {FromMonitor::READY, true, false, &Executions::handle_ready},
    {FromMonitor::SETUP_FAILED, true, true, &Executions::handle_setup_failed},
    {FromMonitor::STARTED, true, true, &Executions::handle_started},
    {FromMonitor::PROGRESS, true, true, &Executions::handle_progress},
    {FromMonitor::FINISHED, true, true, &Executions::handle_finished},
    {FromMonitor::CHALLENGE, false, true, &Executions::handle_challenge},
    {FromMonitor::STATE, false, true, &Executions::handle_state},
}};

Executions::Executions(Broker& broker) : broker_(broker) {}

std::string Executions::leaf_name(const Execution& execution) {
  return execution.session + "." + execution.id;
}

void Executions::keep_spare() {
  if (spare_) {
    return;
  }
  Result<std::pair<Fd, Fd>> pair = link_pair();
  if (!pair || !have_template()) {
    return;
  }
  std::vector<Fd> theirs;
  theirs.push_back(std::move(pair->second));
  template_->send(to_monitor([](auto root) { root.setSpare(); }), std::move(theirs));
  spare_ = std::move(pair->first);
}

bool Executions::have_template() {
  if (template_ && template_->is_open()) {
    return true;
  }
  Result<std::pair<Fd, Fd>> pair = link_pair();
  const Result<pid_t> made =
      pair ? broker_.children.spawn("runbook-monitor", {"template"}, pair->second, {})
           : Result<pid_t>(pair.failure());
  if (!made) {
    return false;
  }
  broker_.cgroups.adopt(*made);
  template_ = std::make_unique<PacketLink>(
      broker_.loop, std::move(pair->first), [](const Packet&) {},
      [this](const Error&) { spare_.reset(); });  // it may never have been made
  return true;
}

Status Executions::launch(const ExecutionPtr& execution, Bytes message, std::vector<Fd> fds) {
  keep_spare();
  if (!spare_) {
    return error(Code::System, "the monitor can't be started");
  }
  listen_to(execution, std::move(spare_));
  execution->link->send(std::move(message), std::move(fds));
  return execution->link->is_open() ? done()
                                    : Status(error(Code::Closed, "the monitor ended at once"));
}

void Executions::listen_to(const ExecutionPtr& execution, Fd link) {
  const std::weak_ptr<Execution> weak = execution;
  execution->link = std::make_unique<PacketLink>(
      broker_.loop, std::move(link),
      [this, weak](const Packet& packet) {
        if (const ExecutionPtr one = weak.lock()) {
          on_packet(one, packet);
        }
      },
      [this, weak](const Error&) {
        if (const ExecutionPtr one = weak.lock()) {
          on_link_end(one);
        }
      });
}

void Executions::start_is_durable(const ExecutionPtr& execution) {
  execution->durable = true;
  if (execution->over()) {
    record_end(execution);
  } else if (execution->link) {
    execution->link->send(to_monitor([](auto root) { root.setGo(); }));
  }
}

// End of file before `go`: the monitor leaves without executing anything.
void Executions::abandon(const ExecutionPtr& execution) {
  Outcome outcome;
  outcome.outcome = Ended::Cancelled;
  outcome.cause = "not recordable";
  execution->ending = outcome;
  execution->state = State::Over;
  forget(execution);
}

void Executions::stop(Execution& execution, std::uint32_t grace_ms, const std::string& cause) {
  if (execution.over() || !execution.link) {
    return;
  }
  execution.state = State::Stopping;
  execution.link->send(to_monitor([&](auto root) {
    auto stop = root.initStop();
    stop.setGraceMs(grace_ms);
    stop.setOutcome(event::Outcome::STOPPED);
    stop.setCause(wire::text(cause));
  }));
}

void Executions::sunset_all(std::uint32_t milliseconds) {
  for (const auto& [id, session] : broker_.sessions.all()) {
    for (const auto& [name, execution] : session->executions) {
      if (!execution->over() && execution->link) {
        execution->link->send(to_monitor([&](auto root) { root.setSunset(milliseconds); }));
      }
    }
  }
}

void Executions::on_packet(const ExecutionPtr& execution, const Packet& packet) {
  if (execution->over()) {
    return;
  }
  const Status handled =
      wire::read<FromMonitor>(packet.bytes, limits::kTrustedNesting, [&](From from) -> Status {
        const auto row = std::find_if(kTable.begin(), kTable.end(),
                                      [&](const Row& one) { return one.message == from.which(); });
        const bool challenge = from.isChallenge();
        if (row == kTable.end() || !packet.fds.empty() ||
            !(execution->recovered ? row->found : row->mine) ||
            (execution->recovered && !challenge && !execution->proven)) {
          return error(Code::Invalid, "a message that isn't permitted now");
        }
        (this->*row->handle)(execution, from);
        return done();
      });
  if (!handled) {
    log::warn("monitor of " + execution->id + ": " + handled.failure().text());
    execution->link->close();
    on_link_end(execution);
  }
}

void Executions::handle_ready(const ExecutionPtr&, From) {}

void Executions::handle_setup_failed(const ExecutionPtr& execution, From from) {
  const auto failure = from.getSetupFailed();
  std::string cause = wire::text(failure.getStage());
  if (failure.getText().size() > 0) {
    cause += ": " + wire::text(failure.getText());
  }
  if (failure.getErrnum() > 0) {
    cause += std::string(": ") + std::strerror(failure.getErrnum());
  }
  end_without_monitor(execution, Ended::Error, to_valid_utf8(cause));
}

void Executions::handle_started(const ExecutionPtr& execution, From) {
  if (execution->state == State::Preparing) {
    execution->state = State::Running;
  }
  // For whoever comes next: not before, when it would take a processor from this one.
  keep_spare();
  prepare_files(*broker_.sessions.all().at(execution->session));
}

void Executions::handle_progress(const ExecutionPtr& execution, From from) {
  execution->output_bytes = from.getProgress();
  broker_.fronts.progress(*execution);
}

void Executions::handle_finished(const ExecutionPtr& execution, From from) {
  if (execution->recovered) {
    if (!end_by_file(execution)) {  // a planted socket may say what it likes
      log::warn("a monitor says that " + execution->id + " is over, and its outcome isn't there");
      execution->link->close();
      on_link_end(execution);
    }
    return;
  }
  const auto ending = from.getFinished();
  Outcome outcome = outcome_from(*execution, ending);
  const auto digest =
      digest_from_bytes({ending.getOutcomeSha256().begin(), ending.getOutcomeSha256().size()});
  // What it left stands in the file alone, which is the one that was written if its digest says so.
  if (read_outcome(*broker_.sessions.all().at(execution->session), *execution) &&
      execution->end_file == digest) {
    outcome.left = execution->ending->left;
  }
  end(execution, std::move(outcome), digest);
}

void Executions::handle_challenge(const ExecutionPtr& execution, From from) {
  const auto challenge = from.getChallenge();
  const Digest proof = hmac_sha256(execution->key, {challenge.begin(), challenge.size()});
  execution->proven = true;
  execution->link->send(to_monitor([&](auto root) { root.setGreet(wire::data(proof.bytes)); }));
}

void Executions::handle_state(const ExecutionPtr& execution, From from) {
  const auto state = from.getState();
  execution->output_bytes = state.getOutputBytes();
  execution->patience.disarm();
  if (execution->state == State::Preparing) {
    execution->state = State::Running;
  }
  execution->link->send(to_monitor([](auto root) { root.setContinue(); }));
  broker_.fronts.progress(*execution);
}

// The monitor is gone, or we no longer trust its link: its tree ends with it, its files remain.
void Executions::on_link_end(const ExecutionPtr& execution) {
  if (!execution->over() && !end_by_file(execution)) {
    end_without_monitor(execution, Ended::Interrupted, "the monitor ended");
  }
}

void Executions::recover(const ExecutionPtr& execution) {
  execution->recovered = true;
  execution->durable = true;
  Result<Fd> link = connect_monitor(broker_.places.monitors(), leaf_name(*execution));
  if (link) {
    listen_to(execution, std::move(*link));
    execution->patience = Timer(broker_.loop, [this, weak = std::weak_ptr<Execution>(execution)] {
      if (const ExecutionPtr one = weak.lock(); one && one->link && !one->over()) {
        log::warn("the monitor of " + one->id + " doesn't answer");
        one->link->close();
        on_link_end(one);
      }
    });
    execution->patience.arm(kPatience);
    return;
  }
  if (!end_by_file(execution)) {
    end_without_monitor(execution, Ended::Interrupted, "runbookd or the machine ended");
  }
}

bool Executions::read_outcome(const Session& session, Execution& execution) {
  const Result<Fd> file = open_regular(session.executions_folder.get(),
                                       execution.id + "/outcome.bin", kOutcomeFileBytes);
  const Result<Bytes> bytes =
      file ? read_all(file->get(), kOutcomeFileBytes) : Result<Bytes>(file.failure());
  Result<Outcome> outcome = bytes ? decode_outcome(*bytes) : Result<Outcome>(bytes.failure());
  if (!outcome || outcome->session != execution.session || outcome->execution != execution.id) {
    return false;
  }
  execution.output_bytes = outcome->output_bytes;
  execution.ending = std::move(*outcome);
  execution.end_file = sha256(*bytes);
  return true;
}

bool Executions::end_by_file(const ExecutionPtr& execution) {
  if (!read_outcome(*broker_.sessions.all().at(execution->session), *execution)) {
    return false;
  }
  end(execution, *execution->ending, execution->end_file);
  return true;
}

void Executions::end_without_monitor(const ExecutionPtr& execution, Ended how,
                                     const std::string& cause) {
  // Outputs of `host` that no monitor read: there may be values among them that are kept nowhere.
  const Session& session = *broker_.sessions.all().at(execution->session);
  if (const Result<Fd> results = open_beneath(session.executions_folder.get(),
                                              execution->id + "/results", O_PATH | O_DIRECTORY)) {
    (void)::unlinkat(results->get(), "output", 0);
  }
  Outcome outcome;
  outcome.session = execution->session;
  outcome.execution = execution->id;
  outcome.outcome = how;
  outcome.cause = cause;
  outcome.output_bytes = execution->output_bytes;
  outcome.ended_at_ms = wall_now_ms();
  end(execution, std::move(outcome), std::nullopt);
}

void Executions::end(const ExecutionPtr& execution, Outcome outcome,
                     const std::optional<Digest>& file) {
  if (execution->over()) {
    return;
  }
  execution->state = State::Over;
  execution->output_bytes = outcome.output_bytes;
  execution->ending = std::move(outcome);
  execution->end_file = file;
  if (execution->durable) {  // else its start line is still under way, and this follows it
    record_end(execution);
  }
}

void Executions::record_end(const ExecutionPtr& execution) {
  const SessionPtr session = broker_.sessions.all().at(execution->session);
  const Outcome& end = *execution->ending;
  JsonWriter line = session->journal->begin("finished");
  line.field("execution", execution->id).field("run", execution->run);
  line.field("runbook", execution->runbook).field("block", execution->block);
  line.field("outcome", name_of(end.outcome)).field("exit", end.exit).field("signal", end.signal);
  line.field("cause", end.cause).field("warn", end.warn).field("duration_ms", end.duration_ms);
  line.field("output_bytes", end.output_bytes);
  line.field("output_sha256", execution->end_file ? end.output_sha256.hex() : "");
  line.field("outcome_sha256", execution->end_file ? execution->end_file->hex() : "");
  line.field("may_have_left", end.may_have_left).field("recovered", execution->recovered);
  write_left(line, end.left);
  const auto written = session->journal->append(std::move(line));
  if (!written) {
    broker_.storage_failed(*session, written.failure());
    settle(execution);
    return;
  }
  const bool told = execution->end_file && session->journal->tell();
  const auto synced = [this, execution, session, told](const Status& durable) {
    if (!durable) {
      broker_.storage_failed(*session, durable.failure());
    }
    if (!told) {
      settle(execution);
    }
  };
  if (told) {  // it is on disk as outcome.bin: nobody needs to wait for the journal
    session->journal->commit_soon(synced);
    settle(execution);
  } else {
    session->journal->commit(synced);
  }
}

// Its end is on disk (or can't be): the monitor may go, and whoever waited for this goes on.
void Executions::settle(const ExecutionPtr& execution) {
  if (execution->link) {
    execution->link->send(to_monitor([](auto root) { root.setAcknowledge(); }));
  }
  forget(execution);
  const SessionPtr session = broker_.sessions.all().at(execution->session);
  broker_.views.touch(session, execution->run);
  broker_.on_settled(session);
}

void Executions::remove_socket(const Execution& execution) const {
  (void)::unlinkat(broker_.places.monitors(), leaf_name(execution).c_str(), 0);
}

void Executions::sweep_leaves() {
  for (const std::string& leaf : broker_.cgroups.leaves()) {
    const std::size_t dot = std::min(leaf.find('.'), leaf.size());
    const auto session = broker_.sessions.all().find(leaf.substr(0, dot));
    if (session == broker_.sessions.all().end()) {
      continue;  // another daemon's of this user
    }
    const auto execution =
        session->second->executions.find(leaf.substr(std::min(dot + 1, leaf.size())));
    if (execution == session->second->executions.end() || execution->second->over()) {
      broker_.cgroups.remove(leaf);
    }
  }
}

void Executions::forget(const ExecutionPtr& execution) {
  const SessionPtr session = broker_.sessions.all().at(execution->session);
  seal::wipe(execution->key);
  if (execution->link) {
    // It may be on the stack: freed by the next turn, without another callback.
    broker_.loop.post(
        [link = std::shared_ptr<PacketLink>(std::move(execution->link))] { link->close(); });
  }
  remove_socket(*execution);
  broker_.cgroups.remove(leaf_name(*execution));
  if (execution->run >= 1 && execution->run <= session->runs.size()) {
    session->runs[execution->run - 1].blocks[execution->block] =
        std::string(name_of(execution->ending->outcome));
  }
  session->last_used = boot_now();
  execution->settled = true;
}

}  // namespace rb::brk
