// Endings that resist: trees too many to kill one by one, and trees that nobody can end.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/clock.h"
#include "tests/support/monitor_driver.h"

namespace rb::testing {
namespace {

namespace fs = std::filesystem;
using Which = monitor::FromMonitor::Which;
using event::Outcome;

const std::string kMonitor = MONITOR;

std::string fresh_mark() {
  static int serial = 0;
  return "rbend-" + std::to_string(::getpid()) + "-" + std::to_string(++serial);
}

// Python, with a mark in its environment by which what is left of it is found.
Order python(const std::string& text, const std::string& profile, const std::string& mark) {
  Order order;
  order.script = text;
  order.profile = profile;
  order.argv = {"/usr/bin/python3"};
  order.script_as = monitor::ScriptAs::FILE;
  order.environment.push_back("MARK=" + mark);
  order.environment.emplace_back("PYTHONUNBUFFERED=1");
  return order;
}

std::vector<pid_t> marked(const std::string& mark) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos &&
        read_file(entry.path() / "environ").find(mark) != std::string::npos) {
      found.push_back(std::stoi(name));
    }
  }
  return found;
}

double seconds(Nanos from) {
  return std::chrono::duration<double>(boot_now() - from).count();
}

// Waits until the script has written `text`.
void wait_for_output(Execution& execution, const std::string& text) {
  for (const Nanos start = boot_now(); execution.output().find(text) == std::string::npos;
       ::usleep(5'000)) {
    REQUIRE(seconds(start) < 60);
  }
}

}  // namespace

TEST_CASE("ending: 4,000 descendants are gone with the end that is reported") {
  for (const char* profile : {"workspace", "host"}) {
    CAPTURE(profile);
    const std::string mark = fresh_mark();
    Execution execution(kMonitor);
    execution.launch(
        python("import gc, os, signal\n"
               "gc.disable(); gc.freeze()\n"
               "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
               "for i in range(4000):\n"
               "  if os.fork() == 0:\n"
               "    os.setsid() if i % 2 else None\n"
               "    while True: signal.pause()\n"
               "print('all up')\n"
               "while True: signal.pause()\n",
               profile, mark));
    execution.go();
    wait_for_output(execution, "all up");
    CHECK(marked(mark).size() == 4001);
    const Nanos start = boot_now();
    execution.stop(0);
    const Message end = execution.until(Which::FINISHED, 30'000);
    CHECK(end.outcome == Outcome::STOPPED);
    CHECK(end.text == "client");
    CHECK(seconds(start) < 15);
    CHECK(marked(mark).empty());
    execution.acknowledge();
    CHECK(execution.reap() == 0);
  }
}

TEST_CASE("ending: a fork bomb without a sandbox is stopped as a whole, then killed") {
  const std::string mark = fresh_mark();
  Execution execution(kMonitor);
  execution.launch(
      python("import os, resource, sys, time\n"
             "most = int(open('/proc/loadavg').read().split()[3].split('/')[1]) + 600\n"
             "print('up')\n"
             "end = time.time() + 60\n"
             "while time.time() < end:\n"
             "  if int(open('/proc/loadavg').read().split()[3].split('/')[1]) < most:\n"
             "    os.fork()\n",
             "host", mark));
  execution.go();
  wait_for_output(execution, "up");
  for (const Nanos start = boot_now(); marked(mark).size() < 300 && seconds(start) < 20;) {
    ::usleep(20'000);
  }
  CHECK(marked(mark).size() >= 100);
  execution.stop(0);
  const Message end = execution.until(Which::FINISHED, 30'000);
  CHECK(end.outcome == Outcome::STOPPED);
  CHECK(marked(mark).empty());
}

TEST_CASE("ending: 5,000 orphans are reaped while their script goes on") {
  for (const char* profile : {"workspace", "host"}) {
    CAPTURE(profile);
    Execution execution(kMonitor);
    Order order = python(
        "import gc, os, time\n"
        "gc.disable(); gc.freeze()\n"
        "for i in range(5000):\n"
        "  child = os.fork()\n"
        "  if child == 0:\n"
        "    os.fork()\n"
        "    os._exit(0)\n"
        "  os.waitpid(child, 0)\n"
        "def zombies():\n"
        "  found = 0\n"
        "  for name in filter(str.isdigit, os.listdir('/proc')):\n"
        "    try: words = open(f'/proc/{name}/stat').read().rsplit(')', 1)[1].split()\n"
        "    except OSError: continue\n"
        "    found += words[0] == 'Z' and int(words[1]) == os.getppid()\n"
        "  return found\n"
        "end = time.time() + 10\n"
        "while zombies() and time.time() < end: time.sleep(0.01)\n"
        "print('zombies', zombies())\n",
        profile, fresh_mark());
    execution.launch(order);
    execution.go();
    CHECK(execution.until(Which::FINISHED, 120'000).outcome == Outcome::PASSED);
    CHECK(execution.output() == "zombies 0\n");
  }
}

// An outsider opens the script's output, as any process of the same user can, and writes for ever.
TEST_CASE("ending: whoever holds the output from outside doesn't keep an execution alive") {
  for (const char* profile : {"workspace", "host"}) {
    for (const bool held : {true, false}) {
      CAPTURE(profile);
      CAPTURE(held);
      const std::string mark = fresh_mark();
      Execution execution(kMonitor);
      execution.launch(python("import time\nprint('up')\ntime.sleep(1)\n", profile, mark));
      execution.go();
      wait_for_output(execution, "up");
      const std::vector<pid_t> script = marked(mark);
      REQUIRE(script.size() == 1);
      pid_t outsider = -1;
      if (held) {
        const Fd output(
            ::open(("/proc/" + std::to_string(script[0]) + "/fd/1").c_str(), O_WRONLY | O_CLOEXEC));
        REQUIRE(output.open());
        outsider = ::fork();
        if (outsider == 0) {
          while (::write(output.get(), "y\n", 2) > 0) {
          }
          ::_exit(0);
        }
      }
      const Message end = execution.until(Which::FINISHED, 30'000);
      CHECK(end.outcome == Outcome::PASSED);
      CHECK(end.may_have_left == (held || std::string(profile) == "host"));
      const std::string said = "[runbookd: a process that outlives this execution still writes";
      CHECK((execution.output().find(said) != std::string::npos) == held);
      if (held) {
        CHECK(::waitpid(outsider, nullptr, 0) == outsider);  // by the broken pipe
      }
    }
  }
}

// A process that somebody traces stays a zombie until its tracer has heard of it: like one that the
// kernel can't end, with no rights needed to make it.
TEST_CASE("ending: a tree that nobody can end is given up by name, and reaped when it goes") {
  for (const char* profile : {"workspace", "host"}) {
    CAPTURE(profile);
    const std::string mark = fresh_mark();
    Execution execution(kMonitor);
    execution.launch(python("import time\nprint('up')\ntime.sleep(300)\n", profile, mark));
    execution.go();
    wait_for_output(execution, "up");
    const std::vector<pid_t> script = marked(mark);
    REQUIRE(script.size() == 1);
    REQUIRE(::ptrace(PTRACE_SEIZE, script[0], nullptr, nullptr) == 0);
    const Nanos start = boot_now();
    execution.stop(0);
    const Message end = execution.until(Which::FINISHED, 40'000);
    REQUIRE(end.kind == Which::FINISHED);
    CHECK(end.outcome == Outcome::STOPPED);
    CHECK(end.may_have_left);
    if (std::string(profile) == "workspace") {
      CHECK(end.text.rfind("client; it does not end", 0) == 0);
      CHECK(seconds(start) > 9);
    }
    execution.acknowledge();
    // PID 1 of a sandbox is waited for; what is left elsewhere passes to the machine's.
    CHECK(execution.reap(300) == (std::string(profile) == "workspace" ? -1 : 0));
    CHECK(fs::exists(execution.folder() + "/outcome.json"));
    Execution next(kMonitor);
    Order order;
    order.script = "echo goes on";
    CHECK(next.run(order).outcome == Outcome::PASSED);
    CHECK(::waitpid(script[0], nullptr, __WALL) == script[0]);
    if (std::string(profile) == "workspace") {
      CHECK(execution.reap() == 0);
    }
  }
}

}  // namespace rb::testing
