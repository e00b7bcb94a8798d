// monitor_driver.h — plays the broker against a real runbook-monitor.   [tests]
// One Execution is one monitor process with folders of its own below a temporary folder, which
// goes with it. Calls block, each at most ten seconds unless it says otherwise.
#pragma once

#include <protocol/monitor.capnp.h>
#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/result.h"
#include "policy/profile.h"

namespace rb::testing {

struct Order {
  std::string profile = "workspace";
  std::vector<std::string> argv{"/bin/bash"};
  std::string script;
  monitor::ScriptAs script_as = monitor::ScriptAs::MEMORY;
  std::string script_name = "script.sh";
  std::vector<std::string> environment{"PATH=/usr/local/bin:/usr/bin:/bin"};
  std::optional<std::string> cwd;   // default: the work folder
  std::optional<std::string> home;  // default: home/ of the temporary folder
  std::optional<std::string> work;  // an existing folder; default: state/run/work
  std::string tree;                 // an existing folder to be shown at tree_path; "": none
  std::string tree_path;
  std::vector<std::string> tools;
  policy::Limits limits;
  Bytes filter;  // empty: compiled for the profile
  bool pty = false;
  bool check = false;
  bool listener = false;
  bool generated = false;
  int cgroup = -1;
  std::function<void()> before_sending;  // once every folder is opened
};

struct Message {
  monitor::FromMonitor::Which kind = monitor::FromMonitor::UNSET;
  std::string text;         // stage of a failure, notice of ready, cause of an ending
  std::int64_t number = 0;  // errno, microseconds, bytes
  event::Outcome outcome = event::Outcome::UNSET;
  std::int32_t exit = -1;
  std::uint32_t signal = 0;
  std::uint64_t duration_ms = 0;
  std::uint64_t output_bytes = 0;
  Bytes output_sha256;
  Bytes outcome_sha256;
  Bytes challenge;
  bool warn = false;
  bool may_have_left = false;
  bool running = false;
};

class Execution {
 public:
  // `base`: where the temporary folder is made. monitor "": spawn() comes later.
  explicit Execution(const std::string& monitor, std::string base = "/tmp");
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  Execution(Execution&&) = delete;
  Execution& operator=(Execution&&) = delete;
  ~Execution();

  void spawn(std::string monitor);
  void launch(const Order& order);
  void go();
  void stop(std::uint32_t grace_ms, const std::string& cause = "client");
  void acknowledge();
  void sunset(std::uint32_t ms);
  void carry_on();  // the message `continue`
  void send_raw(ByteView bytes);
  void lose_link() { link_.reset(); }
  // Connects to the listener and answers its challenge (by `key`, or a wrong one).
  [[nodiscard]] bool greet(bool right_key = true);

  // The next message; kind UNSET at the end of the link or after `ms`.
  [[nodiscard]] Message next(int ms = 10'000);
  // Skips progress and whatever comes before a message of that kind.
  [[nodiscard]] Message until(monitor::FromMonitor::Which kind, int ms = 10'000);
  // launch, ready, go, finished, acknowledge, exit of the monitor.
  [[nodiscard]] Message run(const Order& order);

  // The monitor's exit status once it is gone; -1 when it isn't within `ms`.
  [[nodiscard]] int reap(int ms = 10'000);
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string output() const;
  [[nodiscard]] const std::string& base() const { return base_; }
  [[nodiscard]] std::string folder() const { return base_ + "/state/execution"; }
  [[nodiscard]] std::string work() const { return work_; }

 private:
  void send(const Bytes& message, const std::vector<int>& fds = {});

  std::string base_;
  std::string work_;
  Fd link_;
  pid_t pid_ = -1;
};

[[nodiscard]] std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view content);

}  // namespace rb::testing
