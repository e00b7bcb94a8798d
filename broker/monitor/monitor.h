// monitor.h — one execution, from Launch to outcome.   [TRUSTED: monitor]
// A single thread around ppoll. It is readable by nobody from its first instruction; the first
// process of the execution is made before any Launch, so that the moment in which that copy may be
// read comes before there is anything to read. After `go` it needs no broker: the link may go and
// another may come by the listener, proving the execution's key.
// Source: docs/ARCHITECTURE.md §Execution; the permitted messages: supervise.h.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "broker/monitor/launch.h"
#include "broker/monitor/pump.h"
#include "broker/monitor/read_back.h"
#include "broker/monitor/report.h"
#include "broker/monitor/supervise.h"
#include "broker/monitor/verdict.h"
#include "common/clock.h"
#include "common/packet.h"
#include "protocol/wire.h"

namespace rb::mon {

class Monitor {
 public:
  explicit Monitor(Fd link);

  // Until the broker has acknowledged the outcome, or nothing will be executed any more.
  void run();

 private:
  enum Alarm : std::size_t { TimeLimit, Grace, Gone, Sunset, ProgressDue, NextRead, VisitorsLeave };
  static constexpr std::size_t kAlarms = 7;
  struct Visitor {
    Fd fd;
    Bytes challenge;
  };
  struct Failure {
    std::string stage;
    int errnum = 0;
  };

  // The first process (spawn.cpp).
  void start_init(bool sandbox);
  void kill_init();
  void end_init();
  void fresh_sandbox_if_mounts_changed();
  void build(Packet packet);
  [[nodiscard]] Status hand_over(const Packet& packet, const std::vector<int>& fds);
  void enter_cgroup();
  [[nodiscard]] bool kill_cgroup() const;
  [[nodiscard]] bool empty_cgroup() const;
  // What the leaf's file says under that name; 0 where there is none.
  [[nodiscard]] std::uint64_t cgroup_count(const std::string& file, std::string_view name) const;

  // The loop.
  void set_timer();
  void wait();
  void on_ready(std::size_t which);
  void on_packet(Packet packet);
  void on_link();
  void on_report(const Report& record, Fd given);
  void on_control();
  // False when nothing more is to be had now.
  bool on_script_report();
  void on_init_gone();
  void on_signal();
  void on_output();
  void on_alarms();
  void on_visit();
  void on_visitor(std::size_t which);
  void on_stop(monitor::Stop::Reader message);

  void happen(Event event);
  void act(Act what);
  void stop(std::uint32_t grace_ms, Reason reason);
  void limit_hit();
  void release();
  void tell_ready();
  void tell_failed();
  void terminate();
  void kill_tree();
  [[nodiscard]] Leavings leavings() const;
  void name_memory_limit();
  void finish();
  void lose_link();
  // Without a link it does nothing; a link that can't take a message is lost.
  template <typename Fill>
  void send(Fill fill) {
    if (link_ && !send_packet(link_.get(), wire::build<monitor::FromMonitor>(fill), {})) {
      lose_link();
    }
  }
  void send_finished();
  void send_progress();
  void arm(Alarm which, std::optional<Nanos> at);
  void arm_gone(Nanos patience);

  State state_ = State::Empty;
  Launch launch_;
  Pump pump_;
  Fd link_;
  Fd control_;
  Fd init_;    // pidfd of the first process
  Fd script_;  // read end of what the script's process reports
  Fd go_;
  Fd results_;  // folder of $RUNBOOK_OUTPUT
  Fd mounts_;   // tells whether the machine's mounts changed since the sandbox was begun
  Fd signals_;
  Fd timer_;
  std::vector<Visitor> visitors_;
  std::array<std::optional<Nanos>, kAlarms> alarms_;
  Nanos timer_set_ = Nanos::max();
  pid_t init_pid_ = -1;
  bool prepared_ = false;
  bool built_ = false;
  bool started_ = false;
  bool in_cgroup_ = false;
  bool leaving_ = false;
  Failure failure_;
  Seen seen_;
  Nanos launched_at_{};
  Nanos released_at_{};
  std::uint64_t reported_bytes_ = 0;
  OutcomeFiles files_;  // after launch_, whose folder they use
  Outcome outcome_;
  Digest outcome_digest_;
};

}  // namespace rb::mon
