#include "broker/monitor/verdict.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "tests/support/monitor_driver.h"

namespace rb::mon {
namespace {

rb::Outcome judged(const Seen& seen) {
  rb::Outcome outcome;
  judge(seen, outcome);
  return outcome;
}
constexpr int exited(int code) {
  return code << 8;
}

}  // namespace

TEST_CASE("judge: exit statuses are evidence") {
  Seen seen;
  seen.wait_status = exited(0);
  CHECK(judged(seen).outcome == Ended::Passed);
  seen.wait_status = exited(2);
  CHECK(judged(seen).outcome == Ended::Failed);
  CHECK(judged(seen).exit == 2);
  CHECK_FALSE(judged(seen).warn);
  seen.is_check = true;
  CHECK(judged(seen).warn);
  seen.wait_status = SIGSYS | 0x80;  // with a core flag
  CHECK(judged(seen).signal == SIGSYS);
  CHECK(judged(seen).exit == -1);
  CHECK(judged(seen).cause == "SIGSYS: a forbidden system call, or sent by a process");
}

TEST_CASE("judge: no limit is named that wasn't set") {
  Seen seen;
  for (const int number : {SIGXFSZ, SIGXCPU, SIGKILL}) {
    seen.wait_status = number;
    CHECK(judged(seen).signal == static_cast<unsigned>(number));
    CHECK(judged(seen).cause == std::string());
  }
  seen.file_limit = true;
  CHECK(judged(seen).cause == std::string());
  seen.wait_status = SIGXFSZ;
  CHECK(judged(seen).cause == "SIGXFSZ: a file over its limit, or sent by a process");
}

TEST_CASE("judge: our own reason wins over how the script took it") {
  Seen seen;
  seen.reason = Reason{Ended::Timeout, "timeout"};
  seen.wait_status = exited(0);
  CHECK(judged(seen).outcome == Ended::Timeout);
  CHECK(judged(seen).exit == 0);
  seen.wait_status.reset();
  seen.killed_by_us = true;
  CHECK(judged(seen).signal == SIGKILL);
  CHECK(judged(seen).cause == "timeout");
}

TEST_CASE("judge: a tree that does not end keeps its outcome, and says so") {
  Seen seen;
  seen.reason = Reason{Ended::Timeout, "timeout"};
  seen.killed_by_us = true;
  CHECK_FALSE(judged(seen).may_have_left);
  seen.does_not_end = true;
  CHECK(judged(seen).outcome == Ended::Timeout);
  CHECK(judged(seen).may_have_left);
  CHECK(judged(seen).cause.rfind("timeout; it does not end", 0) == 0);
  Seen left;
  left.wait_status = exited(0);
  left.does_not_end = true;
  CHECK(judged(left).outcome == Ended::Passed);
  CHECK(judged(left).cause.rfind("it does not end", 0) == 0);
}

TEST_CASE("judge: an end that nobody saw and nobody asked for is interrupted") {
  CHECK(judged({}).outcome == Ended::Interrupted);
}

TEST_CASE("judge: a refused exec is an error with its reason") {
  Seen seen;
  seen.wait_status = exited(127);
  seen.exec_errno = ENOENT;
  CHECK(judged(seen).outcome == Ended::Error);
  CHECK(judged(seen).exit == -1);
  CHECK(judged(seen).cause == "exec: No such file or directory");
}

TEST_CASE("outcome files: whole under their names, nothing else in the folder") {
  std::string name = "/tmp/verdict-XXXXXX";
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  const Fd folder(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  rb::Outcome outcome;
  outcome.session = "s";
  outcome.execution = "e1";
  outcome.outcome = Ended::Passed;
  outcome.exit = 0;
  const auto bin = [&] { return testing::read_file(name + "/outcome.bin"); };
  {
    OutcomeFiles unused;
    REQUIRE(unused.reserve(folder.get()).ok());
    CHECK(bin() == std::string(kOutcomeFileBytes, '\0'));
    CHECK_FALSE(decode_outcome(as_bytes(bin())).ok());
  }
  CHECK(std::filesystem::is_empty(name));
  {
    OutcomeFiles written;
    REQUIRE(written.reserve(folder.get()).ok());
    const Result<Digest> digest = written.write(outcome);
    REQUIRE(digest.ok());
    CHECK(sha256(as_bytes(bin())) == *digest);
    CHECK(*decode_outcome(as_bytes(bin())) == outcome);
    REQUIRE(written.write_words(outcome, *digest).ok());
    CHECK(testing::read_file(name + "/outcome.json") == outcome_json(outcome, *digest));
  }
  {
    OutcomeFiles second;
    CHECK_FALSE(second.reserve(folder.get()).ok());  // it isn't written over
  }
  CHECK(*decode_outcome(as_bytes(bin())) == outcome);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(name)) {
    (void)entry;
    ++files;
  }
  CHECK(files == 2);
  OutcomeFiles nowhere;
  CHECK_FALSE(nowhere.reserve(-1).ok());
  std::filesystem::remove_all(name);
}

}  // namespace rb::mon
