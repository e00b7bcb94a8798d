// Every stage of setting up made to fail in turn: threats 31, 89.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>

#include <filesystem>
#include <set>

#include "broker/monitor/plan.h"
#include "policy/builtin.h"
#include "tests/support/monitor_driver.h"

namespace rb::testing {
namespace {

namespace fs = std::filesystem;
using Which = monitor::FromMonitor::Which;

std::set<std::string> stages() {
  mon::Launch launch;
  launch.profile = *policy::find_profile("workspace");
  launch.argv = {"/bin/sh"};
  launch.home = "/home/x";
  launch.cwd = "/";
  launch.script_as = mon::ScriptAs::File;
  launch.script_name = "script.sh";
  std::set<std::string> out{"streams",  "limits",  "descriptors",       "privileges",
                            "landlock", "seccomp", "leave the old root"};
  for (const mon::Step& step : mon::plan_base(mon::look_at_root())) {
    out.insert(step.name);
  }
  const Result<std::vector<mon::Step>> steps = mon::plan_launch(launch, mon::look_at_root());
  for (const mon::Step& step : steps.value()) {
    out.insert(step.name);
  }
  return out;
}

std::size_t children() {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    const std::string stat = read_file(entry.path() / "stat");
    const std::size_t name = stat.rfind(')');
    if (name != std::string::npos &&
        stat.find(" " + std::to_string(::getpid()) + " ", name) == name + 3) {
      ++count;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("set-up: whichever stage fails, it is named, nothing runs and nothing is left") {
  const std::string mounts = read_file("/proc/self/mountinfo");
  std::size_t failed = 0;
  for (const std::string& stage : stages()) {
    if (stage == "mount /home/x" || stage.empty()) {
      continue;  // the driver's home lies elsewhere
    }
    CAPTURE(stage);
    ::setenv("RB_FAULT", stage.c_str(), 1);
    Execution execution(FAULTY_MONITOR);
    ::unsetenv("RB_FAULT");
    Order order;
    order.script = "touch ran";
    order.script_as = monitor::ScriptAs::FILE;
    order.argv = {"/bin/sh"};
    const Message end = execution.run(order);
    CHECK(end.kind == Which::SETUP_FAILED);
    CHECK(end.text == stage);
    CHECK(end.number == EIO);
    failed += end.kind == Which::SETUP_FAILED ? 1 : 0;
    CHECK_FALSE(fs::exists(execution.work() + "/ran"));
    CHECK_FALSE(fs::exists(execution.folder() + "/outcome.bin"));
  }
  CHECK(failed > 30);
  CHECK(children() == 0);
  CHECK(read_file("/proc/self/mountinfo") == mounts);
}

TEST_CASE("set-up: the same program without a fault runs") {
  Execution execution(FAULTY_MONITOR);
  Order order;
  order.script = "touch ran";
  CHECK(execution.run(order).exit == 0);
  CHECK(fs::exists(execution.work() + "/ran"));
}

TEST_CASE("set-up: a work folder is the one that was opened, whatever took its path since") {
  Execution execution(FAULTY_MONITOR);
  const std::string given = execution.base() + "/given";
  fs::create_directory(given);
  Order order;
  order.script = "touch ran";
  order.work = given;
  SUBCASE("another folder") {
    order.before_sending = [&] {
      fs::rename(given, execution.base() + "/moved");
      fs::create_directory(given);
    };
    CHECK(execution.run(order).exit == 0);
    CHECK(fs::exists(execution.base() + "/moved/ran"));
    CHECK_FALSE(fs::exists(given + "/ran"));
  }
  SUBCASE("nothing") {
    order.before_sending = [&] { fs::remove(given); };
    const Message end = execution.run(order);
    CHECK(end.kind == Which::SETUP_FAILED);
    CHECK(end.number == ENOENT);
  }
  SUBCASE("a link to elsewhere") {
    fs::create_directory(execution.base() + "/elsewhere");
    order.before_sending = [&] {
      fs::rename(given, execution.base() + "/moved");
      fs::create_directory_symlink(execution.base() + "/elsewhere", given);
    };
    CHECK(execution.run(order).exit == 0);
    CHECK(fs::exists(execution.base() + "/moved/ran"));
    CHECK_FALSE(fs::exists(execution.base() + "/elsewhere/ran"));
  }
}

}  // namespace rb::testing
