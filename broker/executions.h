// executions.h — monitors, from the spare one that waits to the last acknowledgement.
// [TRUSTED: broker]
// A monitor that this broker started is believed; one found by its socket is asked for what it runs
// and its end is taken from outcome.bin alone. Whatever ends an execution, its end line is written
// once, and durable before anybody hears of it.
// Source: DESIGN §2, §8; attacks A23, B2, B5.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "broker/sessions.h"
#include "protocol/monitor.capnp.h"

namespace rb::brk {

struct Broker;

class Executions {
 public:
  explicit Executions(Broker& broker);

  // Starts the monitor that the next execution will take, unless one waits.
  void keep_spare();
  // Hands a launch to a monitor; nothing is executed before
  // start_is_durable().
  [[nodiscard]] Status launch(const ExecutionPtr& execution, Bytes message, std::vector<Fd> fds);
  // Its start can't be recorded: nothing is executed, and nothing more is said of it.
  void abandon(const ExecutionPtr& execution);
  void stop(Execution& execution, std::uint32_t grace_ms, const std::string& cause);
  // Takes over an execution of an earlier broker: by its monitor if there is one, else by its
  // files.
  void recover(const ExecutionPtr& execution);
  // Takes the ending from a complete outcome.bin; false when there is none.
  [[nodiscard]] static bool read_outcome(const Session& session, Execution& execution);
  // What names it beside others: in monitors/, and among the control groups.
  [[nodiscard]] static std::string leaf_name(const Execution& execution);
  // The name by which a later broker would find its monitor.
  void remove_socket(const Execution& execution) const;
  // Ends and removes the control groups of executions that are over, and were left by an earlier
  // broker.
  void sweep_leaves();
  // Tells every monitor to stop unless a broker greets it before.
  void sunset_all(std::uint32_t milliseconds);
  // Ends it without a monitor's word: `cause` says why. Nothing of the script runs any more.
  void end_without_monitor(const ExecutionPtr& execution, Ended how, const std::string& cause);
  // Its start line is on disk: the script may go, unless its end is known already.
  void start_is_durable(const ExecutionPtr& execution);

 private:
  using From = monitor::FromMonitor::Reader;
  struct Row;
  static const std::array<Row, 7> kTable;

  // The process that monitors are copied from, started where it isn't there.
  [[nodiscard]] bool have_template();
  void listen_to(const ExecutionPtr& execution, Fd link);
  void on_packet(const ExecutionPtr& execution, const Packet& packet);
  void on_link_end(const ExecutionPtr& execution);
  void handle_ready(const ExecutionPtr& execution, From from);
  void handle_setup_failed(const ExecutionPtr& execution, From from);
  void handle_started(const ExecutionPtr& execution, From from);
  void handle_progress(const ExecutionPtr& execution, From from);
  void handle_finished(const ExecutionPtr& execution, From from);
  void handle_challenge(const ExecutionPtr& execution, From from);
  void handle_state(const ExecutionPtr& execution, From from);
  [[nodiscard]] bool end_by_file(const ExecutionPtr& execution);
  void end(const ExecutionPtr& execution, Outcome outcome, const std::optional<Digest>& file);
  void record_end(const ExecutionPtr& execution);
  void settle(const ExecutionPtr& execution);
  void forget(const ExecutionPtr& execution);

  Broker& broker_;
  std::unique_ptr<PacketLink> template_;
  Fd spare_;
};

}  // namespace rb::brk
