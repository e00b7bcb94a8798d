// A real runbook-monitor under every kind of script and end. Run as an ordinary user and as root.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "broker/monitor/walk.h"
#include "common/clock.h"
#include "common/digest.h"
#include "common/outcome_file.h"
#include "tests/support/monitor_driver.h"

namespace rb::testing {
namespace {

namespace fs = std::filesystem;
using Which = monitor::FromMonitor::Which;
using event::Outcome;

const std::string kMonitor = MONITOR;

Order script(const std::string& text, const std::string& profile = "workspace") {
  Order order;
  order.script = text;
  order.profile = profile;
  return order;
}

// Processes of this machine whose command line holds the mark, this one aside.
int marked(const std::string& mark) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos &&
        name != std::to_string(::getpid())) {
      found += read_file(entry.path() / "cmdline").find(mark) != std::string::npos ? 1 : 0;
    }
  }
  return found;
}

std::string fresh_mark() {
  static int serial = 0;
  return "rbmark-" + std::to_string(::getpid()) + "-" + std::to_string(++serial);
}

double seconds(Nanos from) {
  return std::chrono::duration<double>(boot_now() - from).count();
}

}  // namespace

TEST_CASE("execution: output, exit status and both outcome files agree") {
  for (const char* profile : {"workspace", "inspect", "host"}) {
    CAPTURE(profile);
    Execution execution(kMonitor);
    const Message end = execution.run(script("echo out; echo err >&2; exit 7", profile));
    REQUIRE(end.kind == Which::FINISHED);
    CHECK(end.outcome == Outcome::FAILED);
    CHECK(end.exit == 7);
    CHECK(end.signal == 0);
    CHECK(execution.output() == "out\nerr\n");
    CHECK(end.output_bytes == 8);
    CHECK(digest_from_bytes(end.output_sha256) == sha256(as_bytes("out\nerr\n")));
    const std::string bin = read_file(execution.folder() + "/outcome.bin");
    const Result<rb::Outcome> outcome = decode_outcome(as_bytes(bin));
    REQUIRE(outcome.ok());
    CHECK(outcome->exit == 7);
    CHECK(outcome->execution == "e1");
    CHECK(digest_from_bytes(end.outcome_sha256) == sha256(as_bytes(bin)));
    CHECK(read_file(execution.folder() + "/outcome.json").find("\"exit\":7") != std::string::npos);
    CHECK(end.may_have_left == (std::string(profile) == "host"));
  }
}

TEST_CASE("execution: every way to end has a shape of its own") {
  struct Case {
    const char* text;
    Outcome outcome;
    int exit;
    unsigned signal;
    const char* cause;
  };
  for (const Case& c :
       {Case{"exit 0", Outcome::PASSED, 0, 0, ""}, Case{"exit 126", Outcome::FAILED, 126, 0, ""},
        Case{"exit 127", Outcome::FAILED, 127, 0, ""},
        Case{"exit 255", Outcome::FAILED, 255, 0, ""},
        Case{"kill -KILL $$", Outcome::FAILED, -1, 9, ""},
        Case{"kill -TERM $$", Outcome::FAILED, -1, 15, ""},
        Case{"kill -SEGV $$", Outcome::FAILED, -1, 11, ""},
        Case{"kill -SYS $$", Outcome::FAILED, -1, 31,
             "SIGSYS: a forbidden system call, or sent by a process"},
        Case{"kill -XFSZ $$", Outcome::FAILED, -1, SIGXFSZ, ""},
        Case{"kill -XCPU $$", Outcome::FAILED, -1, SIGXCPU, ""}}) {
    CAPTURE(c.text);
    Execution execution(kMonitor);
    const Message end = execution.run(script(c.text));
    REQUIRE(end.kind == Which::FINISHED);
    CHECK(end.outcome == c.outcome);
    CHECK(end.exit == c.exit);
    CHECK(end.signal == c.signal);
    CHECK(end.text == c.cause);
  }
}

TEST_CASE("execution: a check that exits 2 warns, a command that does so doesn't") {
  for (const bool check : {true, false}) {
    Execution execution(kMonitor);
    Order order = script("exit 2");
    order.check = check;
    CHECK(execution.run(order).warn == check);
  }
}

TEST_CASE("execution: end of file before go executes nothing and leaves nothing") {
  for (const char* profile : {"workspace", "host"}) {
    for (const int wait : {0, 1, 3, 20}) {
      Execution execution(kMonitor);
      const std::string mark = fresh_mark();
      Order order = script("touch ran; exec -a " + mark + " sleep 60", profile);
      execution.launch(order);
      if (wait == 20) {
        CHECK(execution.until(Which::READY).kind == Which::READY);
      } else {
        ::usleep(static_cast<useconds_t>(wait) * 1000);
      }
      execution.lose_link();
      CHECK(execution.reap() == 0);
      CHECK_FALSE(fs::exists(execution.work() + "/ran"));
      CHECK_FALSE(fs::exists(execution.folder() + "/outcome.bin"));
      CHECK(marked(mark) == 0);
    }
  }
}

TEST_CASE("execution: go before ready is a promise that is kept") {
  Execution execution(kMonitor);
  execution.launch(script("echo promised"));
  execution.go();
  CHECK(execution.until(Which::READY).kind == Which::READY);
  CHECK(execution.until(Which::STARTED).kind == Which::STARTED);
  CHECK(execution.until(Which::FINISHED).outcome == Outcome::PASSED);
}

TEST_CASE("execution: messages that aren't permitted end the link, and nothing runs") {
  const auto ends = [](Execution& execution) {
    CHECK(execution.until(Which::FINISHED, 3000).kind == Which::UNSET);
    CHECK(execution.reap(3000) == 0);
    CHECK_FALSE(fs::exists(execution.work() + "/ran"));
  };
  SUBCASE("go first") {
    Execution execution(kMonitor);
    execution.go();
    ends(execution);
  }
  SUBCASE("acknowledge in the middle") {
    Execution execution(kMonitor);
    execution.launch(script("touch ran"));
    execution.acknowledge();
    execution.go();
    ends(execution);
  }
  SUBCASE("two launches") {
    Execution execution(kMonitor);
    execution.launch(script("touch ran"));
    CHECK(execution.until(Which::READY).kind == Which::READY);
    execution.launch(script("touch ran"));
    ends(execution);
  }
  SUBCASE("garbage") {
    Execution execution(kMonitor);
    execution.send_raw(as_bytes("\x00\x00\x00\x00\x00\x00\x00\x00garbage!"));
    ends(execution);
  }
}

TEST_CASE("execution: whatever a script leaves running is gone when it is over") {
  for (const char* profile : {"workspace", "host"}) {
    for (const char* how :
         {"sleep 300 &", "nohup sleep 300 >/dev/null 2>&1 &", "setsid sleep 300 &",
          "(setsid sh -c 'sleep 300 & sleep 300' &) ; sleep 0.05",
          "(trap '' TERM HUP INT; sleep 300) &", "sh -c 'kill -STOP $$' & sleep 0.05",
          "(while :; do sleep 300; done) &"}) {
      CAPTURE(profile);
      CAPTURE(how);
      const std::string mark = fresh_mark();
      Execution execution(kMonitor);
      const Nanos start = boot_now();
      Order order = script(std::string("export X=1; echo begin; ") + how + "\necho end", profile);
      order.argv = {"/bin/bash"};
      order.environment.push_back("MARK=" + mark);
      const Message end = execution.run(order);
      CHECK(end.outcome == Outcome::PASSED);
      CHECK(execution.output() == "begin\nend\n");
      CHECK(seconds(start) < 4);
      int left = 0;
      for (const auto& entry : fs::directory_iterator("/proc")) {
        left += read_file(entry.path() / "environ").find(mark) != std::string::npos ? 1 : 0;
      }
      CHECK(left == 0);
    }
  }
}

TEST_CASE("execution: what finishes within the lingering time is heard to its last byte") {
  Execution execution(kMonitor);
  const Message end =
      execution.run(script("exec > >(sleep 0.1; tr a-z A-Z); echo through a substitution"));
  CHECK(end.outcome == Outcome::PASSED);
  CHECK(execution.output() == "THROUGH A SUBSTITUTION\n");
}

namespace {

void check_stop(const char* profile) {
  SUBCASE("a script that listens") {
    Execution execution(kMonitor);
    execution.launch(script("trap 'echo bye; exit 3' TERM; echo on; sleep 60 & wait", profile));
    execution.go();
    (void)execution.until(Which::PROGRESS);
    const Nanos start = boot_now();
    execution.stop(5000);
    const Message end = execution.until(Which::FINISHED);
    CHECK(end.outcome == Outcome::STOPPED);
    CHECK(end.text == "client");
    CHECK(end.exit == 3);
    CHECK(seconds(start) < 3);
    CHECK(execution.output() == "on\nbye\n");
  }
  SUBCASE("a script that ignores it, and one that is stopped") {
    for (const char* text : {"trap '' TERM; echo on; while :; do sleep 1; done",
                             "trap '' TERM; echo on; kill -STOP $$; while :; do sleep 1; done"}) {
      Execution execution(kMonitor);
      execution.launch(script(text, profile));
      execution.go();
      (void)execution.until(Which::PROGRESS);
      const Nanos start = boot_now();
      execution.stop(300);
      const Message end = execution.until(Which::FINISHED);
      CHECK(end.outcome == Outcome::STOPPED);
      CHECK(end.signal == 9);
      CHECK(seconds(start) > 0.25);
      CHECK(seconds(start) < 2.5);
    }
  }
  SUBCASE("a stopped script hears TERM") {
    Execution execution(kMonitor);
    execution.launch(script("echo on; kill -STOP $$; sleep 60", profile));
    execution.go();
    (void)execution.until(Which::PROGRESS);
    ::usleep(50'000);
    const Nanos start = boot_now();
    execution.stop(5000);
    CHECK(execution.until(Which::FINISHED).signal == 15);
    CHECK(seconds(start) < 3);
  }
  SUBCASE("at once") {
    Execution execution(kMonitor);
    execution.launch(script("trap '' TERM; echo on; sleep 60", profile));
    execution.go();
    (void)execution.until(Which::PROGRESS);
    const Nanos start = boot_now();
    execution.stop(0);
    CHECK(execution.until(Which::FINISHED).outcome == Outcome::STOPPED);
    CHECK(seconds(start) < 1);
  }
}

}  // namespace

TEST_CASE("execution: stop asks first, and kills what doesn't listen after the grace") {
  check_stop("workspace");
}

TEST_CASE("execution: stop does so without a sandbox as well") {
  check_stop("host");
}

TEST_CASE("execution: a stop before the start executes nothing") {
  Execution execution(kMonitor);
  execution.launch(script("touch ran"));
  CHECK(execution.until(Which::READY).kind == Which::READY);
  execution.stop(1000);
  CHECK(execution.until(Which::FINISHED).kind == Which::SETUP_FAILED);
  CHECK(execution.reap() == 0);
  CHECK_FALSE(fs::exists(execution.work() + "/ran"));
}

TEST_CASE("execution: the time limit counts from the start and says timeout") {
  Execution execution(kMonitor);
  Order order = script("echo on; sleep 60");
  order.limits.timeout_ms = 300;
  const Message end = execution.run(order);
  CHECK(end.outcome == Outcome::TIMEOUT);
  CHECK(end.text == "timeout");
  CHECK(end.duration_ms >= 290);
  CHECK(end.duration_ms < 2500);
  CHECK(execution.output() == "on\n");
}

TEST_CASE("execution: the output limit keeps exactly so many bytes and names itself") {
  Execution execution(kMonitor);
  Order order = script("yes");
  order.limits.output_bytes = 1'000'001;
  const Message end = execution.run(order);
  CHECK(end.outcome == Outcome::FAILED);
  CHECK(end.text == "output limit");
  const std::string output = execution.output();
  CHECK(end.output_bytes == output.size());
  CHECK(output.compare(1'000'001, std::string::npos,
                       "\n[runbookd: the output limit of 1000001 bytes is reached: "
                       "what follows isn't kept]\n") == 0);
  CHECK(digest_from_bytes(end.output_sha256) == sha256(as_bytes(output)));
}

TEST_CASE("execution: output.idx covers the output without a gap") {
  Execution execution(kMonitor);
  const Message end =
      execution.run(script("for i in $(seq 300); do echo line $i; done; sleep 0.05; echo x"));
  const std::string index = read_file(execution.folder() + "/output.idx");
  REQUIRE(index.size() % 24 == 0);
  std::uint64_t expected = 0;
  std::uint64_t last_time = 0;
  for (std::size_t at = 0; at < index.size(); at += 24) {
    const auto number = [&](std::size_t from, std::size_t bytes) {
      std::uint64_t value = 0;
      for (std::size_t i = bytes; i-- > 0;) {
        value = value << 8 | static_cast<std::uint8_t>(index[at + from + i]);
      }
      return value;
    };
    CHECK(number(0, 8) == expected);
    CHECK(number(8, 8) >= last_time);
    CHECK(number(16, 4) == 0);
    last_time = number(8, 8);
    expected += number(20, 4);
  }
  CHECK(expected == end.output_bytes);
  CHECK(index.size() > 24);
}

TEST_CASE("execution: a file over its limit ends the script by name") {
  Execution execution(kMonitor);
  Order order = script("exec head -c 5000000 /dev/zero > big");
  order.limits.file_bytes = 1'000'000;
  const Message end = execution.run(order);
  CHECK(end.outcome == Outcome::FAILED);
  CHECK(end.signal == SIGXFSZ);
  CHECK(end.text == "SIGXFSZ: a file over its limit, or sent by a process");
}

TEST_CASE("execution: without its broker it goes on, and leaves a durable outcome") {
  for (const char* profile : {"workspace", "host"}) {
    Execution execution(kMonitor);
    execution.launch(script("echo one; sleep 0.3; echo two", profile));
    execution.go();
    CHECK(execution.until(Which::STARTED).kind == Which::STARTED);
    execution.lose_link();
    CHECK(execution.reap() == 0);
    CHECK(execution.output() == "one\ntwo\n");
    const Result<rb::Outcome> outcome =
        decode_outcome(as_bytes(read_file(execution.folder() + "/outcome.bin")));
    REQUIRE(outcome.ok());
    CHECK(outcome->outcome == Ended::Passed);
    CHECK(outcome->output_bytes == 8);
  }
}

TEST_CASE("execution: a later broker proves the key, and others are turned away") {
  Execution execution(kMonitor);
  Order order = script("echo one; sleep 0.6; echo two");
  order.listener = true;
  execution.launch(order);
  execution.go();
  CHECK(execution.until(Which::PROGRESS).number == 4);
  execution.lose_link();
  REQUIRE(execution.greet(false));
  CHECK(execution.next(2000).kind == Which::UNSET);
  REQUIRE(execution.greet(true));
  const Message state = execution.next();
  CHECK(state.kind == Which::STATE);
  CHECK(state.running);
  CHECK(state.output_bytes == 4);
  const Message end = execution.until(Which::FINISHED);
  CHECK(end.outcome == Outcome::PASSED);
  CHECK(end.output_bytes == 8);
  execution.acknowledge();
  CHECK(execution.reap() == 0);
}

TEST_CASE("execution: a greeting is no message for a link that stands") {
  Execution execution(kMonitor);
  Order order = script("sleep 0.3");
  order.listener = true;
  execution.launch(order);
  execution.go();
  CHECK(execution.until(Which::STARTED).kind == Which::STARTED);
  for (int i = 0; i < 8; ++i) {  // crowds of strangers don't matter
    (void)execution.greet(false);
  }
  CHECK(execution.greet(true));
  CHECK(execution.until(Which::STATE).kind == Which::STATE);
}

TEST_CASE("execution: sunset stops it unless a broker greets, and continue takes it back") {
  SUBCASE("nobody comes") {
    Execution execution(kMonitor);
    Order order = script("echo on; sleep 60");
    order.listener = true;
    execution.launch(order);
    execution.go();
    (void)execution.until(Which::PROGRESS);
    execution.sunset(200);
    execution.lose_link();
    CHECK(execution.reap() == 0);
    const Result<rb::Outcome> outcome =
        decode_outcome(as_bytes(read_file(execution.folder() + "/outcome.bin")));
    REQUIRE(outcome.ok());
    CHECK(outcome->outcome == Ended::Stopped);
    CHECK(outcome->cause == "service");
  }
  SUBCASE("a broker greets") {
    Execution execution(kMonitor);
    Order order = script("echo on; sleep 0.8");
    order.listener = true;
    execution.launch(order);
    execution.go();
    (void)execution.until(Which::PROGRESS);
    execution.sunset(300);
    ::usleep(50'000);
    execution.lose_link();
    REQUIRE(execution.greet());
    CHECK(execution.until(Which::FINISHED).outcome == Outcome::PASSED);
  }
  SUBCASE("continue") {
    Execution execution(kMonitor);
    execution.launch(script("echo on; sleep 0.5"));
    execution.go();
    (void)execution.until(Which::PROGRESS);
    execution.sunset(200);
    execution.carry_on();
    CHECK(execution.until(Which::FINISHED).outcome == Outcome::PASSED);
  }
}

TEST_CASE("execution: a killed monitor takes its tree along, at every moment") {
  for (const char* profile : {"workspace", "host"}) {
    for (int delay = 0; delay < 12; ++delay) {
      CAPTURE(profile);
      CAPTURE(delay);
      const std::string mark = fresh_mark();
      Execution execution(kMonitor);
      Order order = script("trap '' TERM; setsid sleep 300 & sleep 300", profile);
      order.environment.push_back("MARK=" + mark);
      execution.launch(order);
      execution.go();
      ::usleep(static_cast<useconds_t>(delay * delay) * 300);
      ::kill(execution.pid(), SIGKILL);
      CHECK(execution.reap() == 128 + SIGKILL);
      int left = 1;
      for (const Nanos start = boot_now(); left > 0 && seconds(start) < 2; ::usleep(10'000)) {
        left = 0;
        for (const auto& entry : fs::directory_iterator("/proc")) {
          left += read_file(entry.path() / "environ").find(mark) != std::string::npos ? 1 : 0;
        }
      }
      CHECK(left == 0);
    }
  }
}

TEST_CASE("execution: TERM to a monitor means stop") {
  Execution execution(kMonitor);
  execution.launch(script("echo on; sleep 60"));
  execution.go();
  (void)execution.until(Which::PROGRESS);
  ::kill(execution.pid(), SIGTERM);
  const Message end = execution.until(Which::FINISHED);
  CHECK(end.outcome == Outcome::STOPPED);
}

TEST_CASE("execution: a fork bomb ends with its stop") {
  if (::geteuid() == 0) {
    MESSAGE("as root the limit on processes doesn't bind: left out");
    return;
  }
  Execution execution(kMonitor);
  Order order = script("bomb() { bomb | bomb & }; bomb; sleep 60");
  order.limits.processes = 300;
  execution.launch(order);
  execution.go();
  (void)execution.until(Which::STARTED);
  ::usleep(300'000);
  const Nanos start = boot_now();
  execution.stop(0);
  CHECK(execution.until(Which::FINISHED).outcome == Outcome::STOPPED);
  CHECK(seconds(start) < 3);
}

TEST_CASE("execution: bytes that are neither lines nor text are kept as they are") {
  Execution execution(kMonitor);
  const Message end = execution.run(script("head -c 3000000 /dev/urandom | tee copy"));
  CHECK(end.outcome == Outcome::PASSED);
  CHECK(end.output_bytes == 3'000'000);
  CHECK(execution.output() == read_file(execution.work() + "/copy"));
}

TEST_CASE("execution: a large output is whole, with its digest and without growing memory") {
  Execution execution(kMonitor);
  execution.launch(script("head -c 100000000 /dev/urandom | tee copy; sleep 0.3"));
  execution.go();
  (void)execution.until(Which::STARTED);
  std::size_t most = 0;
  for (Message message = execution.next(); message.kind == Which::PROGRESS;
       message = execution.next()) {
    const std::string statm = read_file("/proc/" + std::to_string(execution.pid()) + "/statm");
    most = std::max<std::size_t>(most, std::stoul(statm.substr(statm.find(' ') + 1)));
    if (message.number == 100'000'000) {
      break;
    }
  }
  CHECK(most * 4096 < 16UL << 20);
  const Message end = execution.until(Which::FINISHED);
  CHECK(end.output_bytes == 100'000'000);
  const std::string output = execution.output();
  CHECK(output == read_file(execution.work() + "/copy"));
  CHECK(digest_from_bytes(end.output_sha256) == sha256(as_bytes(output)));
}

TEST_CASE("execution: large launches come through") {
  Execution execution(kMonitor);
  Order order = script("echo ${#V1}");
  for (int i = 0; i < 8; ++i) {
    order.environment.push_back("V" + std::to_string(i) + "=" + std::string(100'000, 'v'));
  }
  CHECK(execution.run(order).exit == 0);
  CHECK(execution.output() == "100000\n");
}

}  // namespace rb::testing
