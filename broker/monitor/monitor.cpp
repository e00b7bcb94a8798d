#include "broker/monitor/monitor.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "broker/monitor/kernel.h"
#include "broker/monitor/walk.h"
#include "policy/builtin.h"

namespace rb::mon {
namespace {

constexpr Nanos kBetweenProgress = std::chrono::milliseconds(10);
// After KILL; and after the script's own end, when PID 1 first lingers and asks what is left.
constexpr Nanos kGoneAfterKill = std::chrono::seconds(10);
constexpr Nanos kGoneAfterEnd = std::chrono::seconds(15);

}  // namespace

void Monitor::happen(Event event) {
  const Cell cell = decide_cell(state_, event);
  state_ = cell.next;
  act(cell.act);
}

void Monitor::act(Act what) {
  switch (what) {
    case Act::Nothing:
    case Act::Build:  // done by whoever has the packet
      return;
    case Act::Breach:
      lose_link();
      return;
    case Act::TellReady:
      tell_ready();
      return;
    case Act::Release:
      release();
      return;
    case Act::TellFailed:
      tell_failed();
      return;
    case Act::Abandon:
      failure_ = {"stopped before it started", 0};
      tell_failed();
      return;
    case Act::Terminate:
      terminate();
      return;
    case Act::Kill:
      kill_tree();
      return;
    case Act::Finish:
      finish();
      return;
    case Act::Leave:
      leaving_ = true;
      return;
  }
}

void Monitor::stop(std::uint32_t grace_ms, Reason reason) {
  if (!seen_.wait_status && !seen_.reason) {  // a script that has ended keeps its own outcome
    seen_.reason = std::move(reason);
  }
  const Nanos until = boot_now() + std::chrono::milliseconds(grace_ms);
  if (!alarms_[Grace] || until < *alarms_[Grace]) {  // asking again never prolongs
    arm(Grace, until);
  }
  happen(grace_ms == 0 ? Event::StopNow : Event::Stop);
}

// Also after the script's own end: what it left running wrote too much.
void Monitor::limit_hit() {
  if (!seen_.reason) {
    if (pump_.broken() != 0) {
      seen_.reason = Reason{Ended::Stopped, std::string("output can't be recorded: ") +
                                                std::strerror(pump_.broken())};
    } else {
      seen_.reason = Reason{Ended::Failed, "output limit"};
    }
    stop(launch_.limits.stop_grace_ms, *seen_.reason);
  }
}

void Monitor::release() {
  released_at_ = boot_now();
  if (launch_.limits.timeout_ms != 0) {
    arm(TimeLimit, released_at_ + std::chrono::milliseconds(launch_.limits.timeout_ms));
  }
  const char go = 1;
  (void)!::write(go_.get(), &go, 1);
  go_.reset();
}

void Monitor::tell_ready() {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(boot_now() - launched_at_).count();
  std::string notice = policy::what_does_not_bind(launch_.profile, ::geteuid() == 0);
  if (!launch_.profile.sandboxed() && !in_cgroup_) {
    notice += "; may leave processes";
  }
  send([&](monitor::FromMonitor::Builder message) {
    monitor::Ready::Builder ready = message.initReady();
    ready.setSetupMicros(static_cast<std::uint32_t>(micros));
    ready.setNotice(wire::text(notice));
  });
}

// Told before the kernel has cleared away what was built: that may take long where a file system
// doesn't answer, and whoever asked needn't wait for it.
void Monitor::tell_failed() {
  kill_init();
  files_.discard();
  const std::string reason = failure_.errnum != 0 ? std::strerror(failure_.errnum) : "";
  const std::string text = failure_.stage + (reason.empty() ? "" : ": " + reason);
  send([&](monitor::FromMonitor::Builder message) {
    monitor::Failure::Builder failure = message.initSetupFailed();
    failure.setStage(wire::text(failure_.stage));
    failure.setErrnum(failure_.errnum);
    failure.setText(wire::text(text));
  });
  leaving_ = true;
}

void Monitor::terminate() {
  (void)!::send(control_.get(), &kTerminate, 1, MSG_NOSIGNAL);
}

// A process that waits for a file system which doesn't answer can't be ended by anybody. Its
// execution ends nevertheless, and says so.
void Monitor::arm_gone(Nanos patience) {
  const Nanos until = boot_now() + patience;
  if (!alarms_[Gone] || until < *alarms_[Gone]) {
    arm(Gone, until);
  }
}

void Monitor::kill_tree() {
  seen_.killed_by_us = true;
  arm_gone(kGoneAfterKill);
  if (launch_.profile.sandboxed()) {
    (void)kernel::pidfd_send_signal(init_.get(), SIGKILL);
  } else if (!in_cgroup_ || !kill_cgroup()) {
    (void)!::send(control_.get(), &kKill, 1, MSG_NOSIGNAL);
  }
}

// The kernel ends the whole leaf when its memory is used up, the first process included. It counts
// that: nothing is guessed.
void Monitor::name_memory_limit() {
  const bool killed = !seen_.wait_status ||
                      (WIFSIGNALED(*seen_.wait_status) && WTERMSIG(*seen_.wait_status) == SIGKILL);
  if (!seen_.reason && killed && cgroup_count("memory.events", "oom_kill") > 0) {
    seen_.reason = Reason{Ended::Failed, "memory limit"};
    seen_.killed_by_us = true;
  }
}

void Monitor::finish() {
  const Nanos ended_at = boot_now();
  outcome_.ended_at_ms = wall_now_ms();
  if (!launch_.profile.sandboxed()) {
    // Without a cgroup a service asked from inside may still work for it: nobody can tell.
    outcome_.may_have_left = !in_cgroup_ || !empty_cgroup();
    outcome_.may_have_left |= !kill_descendants();
  }
  if (in_cgroup_) {
    name_memory_limit();
  }
  if (!pump_.drain()) {
    outcome_.may_have_left = true;
    pump_.note("a process that outlives this execution still writes: what follows isn't kept");
  }
  if (Status synced = pump_.sync(); !synced && !seen_.reason) {
    seen_.reason = Reason{Ended::Stopped, synced.failure().text()};
  }
  if (pump_.full() && !seen_.reason) {
    seen_.reason = Reason{Ended::Failed, "output limit"};
  }
  judge(seen_, outcome_);
  if (!init_) {
    outcome_.left = read_back(leavings(), outcome_.outcome == Ended::Passed);
  } else if (left_anything(leavings())) {
    outcome_.left.note = "nothing was read: processes may remain";
  }
  outcome_.session = launch_.session;
  outcome_.execution = launch_.execution;
  outcome_.duration_ms = static_cast<std::uint64_t>(
      std::chrono::duration_cast<Millis>(ended_at - released_at_).count());
  outcome_.output_bytes = pump_.length();
  outcome_.output_sha256 = pump_.digest();
  const Result<Digest> written = files_.write(outcome_);
  if (!written) {  // nobody may believe an outcome that isn't durable: recovery says interrupted
    dprintf(STDERR_FILENO, "runbook-monitor: outcome: %s\n", written.failure().text().c_str());
    leaving_ = true;
    return;
  }
  outcome_digest_ = *written;
  alarms_ = {};
  if (link_) {
    send_finished();
  } else {
    leaving_ = true;
  }
}

Leavings Monitor::leavings() const {
  return {launch_.folder.get(), results_.get(), launch_.generated.get()};
}

void Monitor::on_report(const Report& record, Fd given) {
  switch (record.kind) {
    case Report::Kind::Prepared:
      prepared_ = true;
      return;
    case Report::Kind::Failed:
      if (state_ == State::Running || state_ == State::Stopping) {
        seen_.exec_errno = record.value != 0 ? record.value : EIO;
        return;
      }
      failure_ = {record.stage(), record.value};
      happen(Event::BuildFailed);
      return;
    case Report::Kind::Terminal:
      pump_.set_source(std::move(given));
      return;
    case Report::Kind::Results:
      results_ = std::move(given);
      return;
    case Report::Kind::Waiting:
      built_ = true;
      happen(Event::Built);
      return;
    case Report::Kind::Alone:
      // The rest of its end is the kernel's work, and can go on meanwhile; but what was left is
      // read when PID 1 is reaped, not before.
      if (launch_.profile.sandboxed() && !left_anything(leavings())) {
        happen(Event::TreeGone);
      }
      return;
    case Report::Kind::Exited:
      seen_.wait_status = record.value;
      arm_gone(kGoneAfterEnd);
      if (state_ == State::Building || state_ == State::Promised || state_ == State::Ready) {
        failure_ = {"the script's process ended before it started", 0};
        happen(Event::BuildFailed);
      }
      return;
  }
}

void Monitor::on_control() {
  Result<Packet> packet = receive_packet(control_.get());
  if (!packet) {
    control_.reset();
    return;
  }
  Report record;
  if (packet->bytes.size() == sizeof record) {
    std::memcpy(static_cast<void*>(&record), packet->bytes.data(), sizeof record);
    on_report(record, packet->fds.empty() ? Fd() : std::move(packet->fds.front()));
  }
}

bool Monitor::on_script_report() {
  Report record;
  const ssize_t got = ::read(script_.get(), &record, sizeof record);
  if (got == sizeof record) {
    on_report(record, Fd());
    return script_.open();
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return false;
  }
  script_.reset();
  // The end of file of a close-on-exec descriptor: executed, unless a failure came before.
  if (released_at_ != Nanos{} && built_ && seen_.exec_errno == 0 && !started_) {
    started_ = true;
    send([](monitor::FromMonitor::Builder message) { message.setStarted(); });
  }
  return false;
}

void Monitor::on_output() {
  const Pump::Got got = pump_.turn();
  if (got == Pump::Got::Full || got == Pump::Got::Broken) {
    limit_hit();
  }
  if (got == Pump::Got::Some && pump_.pause() != Nanos(0)) {
    arm(NextRead, boot_now() + pump_.pause());
  }
  if (pump_.length() != reported_bytes_ && !alarms_[ProgressDue]) {
    send_progress();
    arm(ProgressDue, boot_now() + kBetweenProgress);
  }
}

void Monitor::on_alarms() {
  const Nanos now = boot_now();
  const auto due = [&](Alarm which) {
    if (!alarms_[which] || *alarms_[which] > now) {
      return false;
    }
    alarms_[which].reset();
    return true;
  };
  if (due(TimeLimit)) {
    stop(launch_.limits.stop_grace_ms, {Ended::Timeout, "timeout"});
  }
  if (due(Sunset)) {
    stop(launch_.limits.stop_grace_ms, {Ended::Stopped, "service"});
  }
  if (due(Grace)) {
    happen(Event::GraceOver);
  }
  if (due(Gone)) {
    seen_.does_not_end = true;
    happen(Event::NeverGone);
  }
  if (due(VisitorsLeave)) {
    visitors_.clear();
  }
  (void)due(NextRead);
  if (due(ProgressDue) && pump_.length() != reported_bytes_) {
    send_progress();
    arm(ProgressDue, now + kBetweenProgress);
  }
}

}  // namespace rb::mon
