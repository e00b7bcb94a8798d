// verify_rate — `record verify` over a record of a few large outputs, and sha256sum over the same
// files, in alternating rounds. Prints one JSON line.   [./dev bench verify_rate]
//   verify_rate [MEBIBYTES [ROUNDS]]
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "client/lib/record_verify.h"
#include "common/clock.h"
#include "tests/unit/record/store.h"

namespace {

constexpr unsigned kExecutions = 8;

// Different bytes for each execution; as fast to hash as any others.
std::string output_of(unsigned number, std::size_t bytes) {
  std::string out(bytes, '\0');
  std::uint32_t state = number * 2654435761u + 1;
  for (char& c : out) {
    state = state * 1664525u + 1013904223u;
    c = static_cast<char>('!' + (state >> 24) % 90);
  }
  return out;
}

std::string make_record(const std::string& state, std::size_t bytes) {
  rb::test::SessionWriter session(state, "20261130-162033-k7fq");
  session.started_session("bench", "verify_rate");
  session.run_opened(1, "deploy");
  for (unsigned number = 1; number <= kExecutions; ++number) {
    rb::test::Play play;
    play.execution = "e" + std::to_string(number);
    play.output = output_of(number, bytes / kExecutions);
    session.play(play);
  }
  session.end();
  return session.folder();
}

double seconds_since(rb::Nanos start) {
  return std::chrono::duration<double>(rb::boot_now() - start).count();
}

double ours(const std::string& state) {
  const rb::Fd folder(::open(state.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const rb::Nanos start = rb::boot_now();
  const auto verdict = rb::client::verify_record(folder.get(), {});
  const double took = seconds_since(start);
  if (!verdict.ok() || !verdict->ok()) {
    std::fprintf(stderr, "the record isn't right\n");
    std::exit(1);
  }
  return took;
}

double peer(const std::string& session) {
  std::vector<std::string> words = {"sha256sum"};
  for (unsigned number = 1; number <= kExecutions; ++number) {
    words.push_back(session + "/executions/e" + std::to_string(number) + "/output");
  }
  std::vector<char*> argv;
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  const rb::Nanos start = rb::boot_now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) < 0 || status != 0) {
    std::fprintf(stderr, "sha256sum failed\n");
    std::exit(1);
  }
  return seconds_since(start);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** words) {
  const std::size_t mebibytes = count > 1 ? std::strtoul(words[1], nullptr, 10) : 512;
  const int rounds = count > 2 ? std::atoi(words[2]) : 5;
  const rb::test::TemporaryFolder state;
  const std::string session = make_record(state.path(), mebibytes << 20);
  std::vector<double> times[2];
  (void)ours(state.path());  // both from the page cache
  (void)peer(session);
  for (int round = 0; round < rounds; ++round) {
    times[0].push_back(ours(state.path()));
    times[1].push_back(peer(session));
  }
  const double megabytes = static_cast<double>(mebibytes << 20) / 1e6;
  const double rate = megabytes / median(times[0]);
  const double other = megabytes / median(times[1]);
  std::printf(
      "{\"verify_rate\":{\"ours\":%.1f,\"peer\":%.1f,\"peer_name\":\"sha256sum\",\"ratio\":%.3f,"
      "\"unit\":\"MB/s\"}}\n",
      rate, other, rate / other);
  return 0;
}
