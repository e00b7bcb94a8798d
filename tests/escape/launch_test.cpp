// What holds when a layer is gone, when its surroundings are hostile, and while a launch is under
// way. Each case is named for its threat (docs/THREATS.md).
#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "tests/support/monitor_driver.h"

extern char** environ;

namespace rb::testing {
namespace {

namespace fs = std::filesystem;
using Which = monitor::FromMonitor::Which;

Order script(const std::string& text, const std::string& profile = "workspace") {
  Order order;
  order.script = text;
  order.profile = profile;
  return order;
}

// A filter that refuses nothing: what a build without one would be.
Bytes no_filter() {
  const sock_filter allow{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  Bytes out(sizeof allow);
  std::memcpy(out.data(), &allow, sizeof allow);
  return out;
}

// Processes that have this variable, this program aside.
int marked(const std::string& variable) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos &&
        name != std::to_string(::getpid())) {
      found += read_file(entry.path() / "environ").find(variable) != std::string::npos ? 1 : 0;
    }
  }
  return found;
}

bool all_gone(const std::string& variable) {
  const Nanos until = boot_now() + std::chrono::seconds(2);
  while (marked(variable) > 0) {
    if (boot_now() > until) {
      return false;
    }
    ::usleep(5'000);
  }
  return true;
}

class Crowd {  // of processes of this user
 public:
  explicit Crowd(int size) {
    char* argv[] = {const_cast<char*>("sleep"), const_cast<char*>("60"), nullptr};
    for (int i = 0; i < size; ++i) {
      pid_t pid = -1;
      REQUIRE(::posix_spawn(&pid, "/bin/sleep", nullptr, nullptr, argv, environ) == 0);
      pids_.push_back(pid);
    }
  }
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  Crowd(Crowd&&) = delete;
  Crowd& operator=(Crowd&&) = delete;
  ~Crowd() {
    for (const pid_t pid : pids_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> pids_;
};

}  // namespace

TEST_CASE("escape 21: without a filter the namespace itself still allows none within") {
  const std::string tries = "unshare --user true 2>&1 && echo made";
  Execution execution(MONITOR);
  Order order = script(tries);
  order.filter = no_filter();
  (void)execution.run(order);
  CHECK(execution.output().find("No space left on device") != std::string::npos);
  Execution filtered(MONITOR);
  (void)filtered.run(script(tries));
  CHECK(filtered.output().find("Operation not permitted") != std::string::npos);
  Execution control(MONITOR);
  (void)control.run(script(tries, "host"));
  CHECK(control.output() == "made\n");
}

TEST_CASE("escape 25: without a filter PID 1 still can't be traced, read or limited") {
  Execution execution(MONITOR);
  Order order = script(
      "cat /proc/1/environ /proc/1/maps; ls /proc/1/fd /proc/1/root/; "
      "echo x >/proc/1/mem; kill -KILL 1; kill -STOP 1; sleep 0.1; echo still");
  order.filter = no_filter();
  const Message end = execution.run(order);
  CHECK(end.exit == 0);
  const std::string output = execution.output();
  std::size_t refused = 0;
  for (std::size_t at = 0; (at = output.find("denied", at)) != std::string::npos; ++at) {
    ++refused;
  }
  CHECK(refused == 5);
  CHECK(output.find("still") != std::string::npos);
}

TEST_CASE("escape 44: what a script writes beside its work folder has an end") {
  const auto filled = [](std::uint64_t tmp_bytes) {
    Execution execution(MONITOR);
    Order order = script(
        "for p in /tmp /var/tmp /dev/shm ~; do head -c 3000000 /dev/zero >$p/x; "
        "fallocate -l 3000000 $p/y; rm -f $p/x $p/y; done; echo over");
    order.environment.push_back("HOME=" + execution.base() + "/home");
    order.limits.tmp_bytes = tmp_bytes;
    CHECK(execution.run(order).exit == 0);
    return execution.output();
  };
  const std::string output = filled(1 << 20);
  std::size_t full = 0;
  for (std::size_t at = 0; (at = output.find("No space left", at)) != std::string::npos; ++at) {
    ++full;
  }
  CAPTURE(output);
  CHECK(full == 8);
  CHECK(output.find("over") != std::string::npos);
  CHECK(filled(16 << 20) == "over\n");
}

TEST_CASE("escape 62: a monitor killed at any moment of a launch leaves nobody") {
  std::mt19937 chance(20'261'201);  // NOLINT(cert-msc51-cpp): the same moments each time
  std::uniform_int_distribution<useconds_t> moment(0, 15'000);
  for (int i = 0; i < 60; ++i) {
    const std::string profile = i % 3 == 2 ? "host" : "workspace";
    const std::string mark = "RB_MOMENT=" + std::to_string(::getpid()) + "-" + std::to_string(i);
    CAPTURE(profile);
    Execution execution(MONITOR);
    Order order = script("trap '' TERM HUP; setsid sleep 300 & sleep 300", profile);
    order.environment.push_back(mark);
    execution.launch(order);
    if (i % 2 == 0) {
      execution.go();
    }
    ::usleep(moment(chance));
    ::kill(execution.pid(), SIGKILL);
    CHECK(execution.reap() == 128 + SIGKILL);
    CHECK(all_gone(mark));
  }
}

TEST_CASE("escape 62: a launch from a thread that ends runs on") {
  for (const char* profile : {"workspace", "host"}) {
    Execution execution(MONITOR);
    std::thread starter([&] {
      execution.launch(script("sleep 0.2; echo over", profile));
      execution.go();
    });
    starter.join();
    const Message end = execution.until(Which::FINISHED);
    CHECK(end.exit == 0);
    CHECK(execution.output() == "over\n");
  }
}

TEST_CASE("escape 88: what else the user runs doesn't count against a script") {
  if (::geteuid() == 0) {
    MESSAGE("as root the limit on processes doesn't bind: left out");
    return;
  }
  const Crowd crowd(120);
  Execution execution(MONITOR);
  Order order = script("for i in 1 2 3 4 5 6 7 8; do sleep 0.05 & done; wait; echo over");
  order.limits.processes = 40;
  CHECK(execution.run(order).exit == 0);
  CHECK(execution.output() == "over\n");
  Execution bounded(MONITOR);
  order.script = "for i in $(seq 60); do sleep 1 & done; wait";
  (void)bounded.run(order);
  CHECK(bounded.output().find("Resource temporarily unavailable") != std::string::npos);
}

}  // namespace rb::testing
