// Monitor's part around its descriptors: the loop, the link, and brokers that come later.
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "broker/monitor/monitor.h"
#include "common/hmac.h"
#include "protocol/wire.h"

namespace rb::mon {
namespace {

constexpr std::size_t kMostVisitors = 4;
constexpr std::size_t kChallengeBytes = 32;
constexpr Nanos kVisitorPatience = std::chrono::seconds(2);

Ended ended_of(event::Outcome outcome) {
  return outcome == event::Outcome::TIMEOUT ? Ended::Timeout : Ended::Stopped;
}

}  // namespace

Monitor::Monitor(Fd link) : link_(std::move(link)) {
  (void)::fcntl(link_.get(), F_SETFL, O_NONBLOCK);
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  (void)::sigprocmask(SIG_BLOCK, &ending, nullptr);
  signals_ = Fd(::signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK));
  timer_ = Fd(::timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK));
  start_init(true);
}

void Monitor::run() {
  while (!leaving_) {
    wait();
  }
  if (outcome_digest_ != Digest{}) {  // nobody waits for it any more
    if (Status words = files_.write_words(outcome_, outcome_digest_); !words) {
      dprintf(STDERR_FILENO, "runbook-monitor: %s\n", words.failure().text().c_str());
    }
  }
  end_init();  // as long as that takes: what is left has its parent until it is gone
}

void Monitor::arm(Alarm which, std::optional<Nanos> at) {
  alarms_[which] = at;
}

void Monitor::set_timer() {
  Nanos next = Nanos::max();
  for (const std::optional<Nanos>& alarm : alarms_) {
    next = alarm ? std::min(next, *alarm) : next;
  }
  if (next == timer_set_) {
    return;
  }
  itimerspec when{};  // the boot clock goes on while the machine sleeps; poll's own doesn't
  if (next != Nanos::max()) {
    when.it_value = {next.count() / 1'000'000'000, next.count() % 1'000'000'000};
  }
  (void)::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
  timer_set_ = next;
}

void Monitor::wait() {
  set_timer();
  // A Launch isn't read before the first process has stopped being readable.
  const bool hears = state_ != State::Empty || prepared_ || !failure_.stage.empty() || !init_;
  const auto entry = [](const Fd& fd, bool wanted = true) {
    return pollfd{wanted ? fd.get() : -1, POLLIN, 0};
  };
  std::vector<pollfd> polled{entry(script_),
                             entry(control_),
                             entry(pump_.source(), !alarms_[NextRead]),
                             entry(init_),
                             entry(signals_),
                             entry(timer_),
                             entry(launch_.listener, visitors_.size() < kMostVisitors),
                             entry(link_, hears)};
  const std::size_t fixed = polled.size();
  for (const Visitor& visitor : visitors_) {
    polled.push_back(entry(visitor.fd));
  }
  if (::ppoll(polled.data(), polled.size(), nullptr, nullptr) < 0) {
    return;
  }
  for (std::size_t i = polled.size(); i-- > fixed;) {
    if (polled[i].revents != 0) {
      on_visitor(i - fixed);
    }
  }
  for (std::size_t i = 0; i < fixed && !leaving_; ++i) {
    if (polled[i].revents != 0) {
      on_ready(i);
    }
  }
}

// In the order of wait(). What came earlier in the same turn may have closed what this is about.
void Monitor::on_ready(std::size_t which) {
  enum : std::size_t { Script, Control, Output, First, Signals, Timer, Listener };
  switch (which) {
    case Script:
      (void)(script_ && on_script_report());
      return;
    case Control:
      if (control_) {
        on_control();
      }
      return;
    case Output:
      on_output();
      return;
    case First:
      if (init_) {
        on_init_gone();
      }
      return;
    case Signals:
      on_signal();
      return;
    case Timer:
      on_alarms();
      return;
    case Listener:
      on_visit();
      return;
    default:  // the link, last: whatever else was heard came before it
      if (link_) {
        on_link();
      }
  }
}

void Monitor::on_init_gone() {
  while (script_ && on_script_report()) {  // what it said before it went
  }
  while (control_) {
    on_control();
  }
  if (!init_) {  // its last words have ended it already
    return;
  }
  siginfo_t facts{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(init_.get()), &facts, WEXITED);
  init_.reset();
  if (failure_.stage.empty()) {
    failure_ = {"the sandbox ended while it was prepared", 0};
  }
  happen(Event::TreeGone);
}

void Monitor::on_signal() {
  signalfd_siginfo facts{};
  (void)!::read(signals_.get(), &facts, sizeof facts);
  stop(launch_.limits.stop_grace_ms, {Ended::Stopped, "signal"});
}

void Monitor::lose_link() {
  link_.reset();
  happen(Event::LinkLost);
}

void Monitor::on_link() {
  if (state_ == State::Empty) {
    fresh_sandbox_if_mounts_changed();
  }
  Result<Packet> packet = receive_packet(link_.get());
  if (packet) {
    on_packet(std::move(*packet));
  } else if (packet.failure().errnum != EAGAIN) {
    lose_link();
  }
}

void Monitor::on_packet(Packet packet) {
  auto kind = monitor::ToMonitor::UNSET;
  const Status read = wire::read<monitor::ToMonitor>(
      packet.bytes, limits::kTrustedNesting, [&](monitor::ToMonitor::Reader message) -> Status {
        kind = message.which();
        if (kind == monitor::ToMonitor::STOP) {
          on_stop(message.getStop());
        } else if (kind == monitor::ToMonitor::SUNSET) {
          arm(Sunset, boot_now() + std::chrono::milliseconds(message.getSunset()));
        }
        return done();
      });
  if (!read) {
    kind = monitor::ToMonitor::UNSET;
  }
  switch (kind) {
    case monitor::ToMonitor::LAUNCH: {
      const bool first = state_ == State::Empty;
      happen(Event::Launch);
      if (first) {
        build(std::move(packet));
      }
      return;
    }
    case monitor::ToMonitor::GO:
      happen(Event::Go);
      return;
    case monitor::ToMonitor::ACKNOWLEDGE:
      happen(Event::Acknowledge);
      return;
    case monitor::ToMonitor::CONTINUE:
      arm(Sunset, std::nullopt);
      return;
    case monitor::ToMonitor::STOP:
    case monitor::ToMonitor::SUNSET:
      return;
    case monitor::ToMonitor::GREET:  // only as the answer to a challenge
    case monitor::ToMonitor::SPARE:  // a template's
    case monitor::ToMonitor::UNSET:
      break;
  }
  act(Act::Breach);
}

void Monitor::on_stop(monitor::Stop::Reader message) {
  stop(message.getGraceMs(), {ended_of(message.getOutcome()), wire::text(message.getCause())});
}

// Somebody connected to our place in monitors/: nobody until the challenge is answered.
void Monitor::on_visit() {
  Visitor visitor;
  visitor.fd =
      Fd(::accept4(launch_.listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  ucred peer{};
  socklen_t size = sizeof peer;
  if (!visitor.fd || ::getsockopt(visitor.fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ||
      peer.uid != ::geteuid()) {
    return;
  }
  visitor.challenge.resize(kChallengeBytes);
  if (::getrandom(visitor.challenge.data(), kChallengeBytes, 0) !=
      static_cast<ssize_t>(kChallengeBytes)) {
    return;
  }
  const Bytes message = wire::build<monitor::FromMonitor>([&](monitor::FromMonitor::Builder root) {
    root.setChallenge(wire::data(visitor.challenge));
  });
  if (send_packet(visitor.fd.get(), message, {})) {
    visitors_.push_back(std::move(visitor));
    arm(VisitorsLeave, boot_now() + kVisitorPatience);
  }
}

void Monitor::on_visitor(std::size_t which) {
  Visitor visitor = std::move(visitors_[which]);
  visitors_.erase(visitors_.begin() + static_cast<std::ptrdiff_t>(which));
  const Result<Packet> packet = receive_packet(visitor.fd.get());
  bool proven = false;
  if (packet) {
    (void)wire::read<monitor::ToMonitor>(
        packet->bytes, limits::kTrustedNesting, [&](monitor::ToMonitor::Reader message) -> Status {
          const Digest wanted = hmac_sha256(launch_.key, visitor.challenge);
          proven = message.which() == monitor::ToMonitor::GREET &&
                   same_bytes(wire::bytes(message.getGreet()), wanted.bytes);
          return done();
        });
  }
  if (!proven) {
    return;
  }
  link_ = std::move(visitor.fd);
  arm(Sunset, std::nullopt);
  send([&](monitor::FromMonitor::Builder message) {
    monitor::State::Builder state = message.initState();
    state.setExecution(wire::text(launch_.execution));
    state.setRunning(state_ != State::Over);
    state.setOutputBytes(pump_.length());
  });
  if (state_ == State::Over) {
    send_finished();
  }
}

void Monitor::send_progress() {
  int unread = 0;
  reported_bytes_ = pump_.length();
  if (!link_) {
    return;
  }
  if (::ioctl(link_.get(), SIOCOUTQ, &unread) < 0 || unread == 0) {  // else the last is unread yet
    send([&](monitor::FromMonitor::Builder message) { message.setProgress(reported_bytes_); });
  } else {
    reported_bytes_ = 0;
  }
}

void Monitor::send_finished() {
  send([&](monitor::FromMonitor::Builder message) {
    event::Ending::Builder ending = message.initFinished();
    ending.setOutcome(static_cast<event::Outcome>(outcome_.outcome));
    ending.setExit(outcome_.exit);
    ending.setSignal(outcome_.signal);
    ending.setCause(wire::text(outcome_.cause));
    ending.setDurationMs(outcome_.duration_ms);
    ending.setOutputBytes(outcome_.output_bytes);
    ending.setOutputSha256(wire::data(outcome_.output_sha256.bytes));
    ending.setEndedAtMs(outcome_.ended_at_ms);
    ending.setWarn(outcome_.warn);
    ending.setMayHaveLeft(outcome_.may_have_left);
    ending.setOutcomeSha256(wire::data(outcome_digest_.bytes));
  });
}

}  // namespace rb::mon
