// launch_probe — runs one script under a real runbook-monitor, or measures launches.
//   launch_probe MONITOR [--profile P] [--pty] [--interpreter I] [--file] [--base DIR] -c TEXT
//   launch_probe MONITOR --bench N [FOLDER]   against bubblewrap with the same namespaces, in
//   turns;
//                                             the outcome is made durable below FOLDER
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/monitor_driver.h"

extern char** environ;

namespace rb::testing {
namespace {

using Clock = std::chrono::steady_clock;

double micros_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

double spawn_and_wait(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  const auto start = Clock::now();
  pid_t pid = -1;
  if (::posix_spawn(&pid, argv[0], nullptr, nullptr, argv.data(), environ) != 0) {
    return 0;
  }
  ::waitpid(pid, nullptr, 0);
  return micros_since(start);
}

struct Figures {
  std::vector<double> fresh, spare, setup, empty, bwrap, plain;
};

// From the request (Launch is sent) to the exit status (finished has come), outcome durable.
void measure(const std::string& monitor, const std::string& base, bool spare, Figures& out) {
  Order order;
  order.argv = {"/bin/true"};
  Execution execution("", base);
  const auto before = Clock::now();
  execution.spawn(monitor);
  if (spare) {
    ::usleep(5000);
  }
  const auto start = spare ? Clock::now() : before;
  execution.launch(order);
  const Message ready = execution.until(monitor::FromMonitor::READY);
  execution.go();
  const Message end = execution.until(monitor::FromMonitor::FINISHED);
  const double took = micros_since(start);
  if (end.outcome != event::Outcome::PASSED) {
    std::fprintf(stderr, "launch failed after %.0f us: ready %d \"%s\", end %d \"%s\"\n", took,
                 static_cast<int>(ready.kind), ready.text.c_str(), static_cast<int>(end.kind),
                 end.text.c_str());
    std::exit(1);
  }
  (spare ? out.spare : out.fresh).push_back(took);
  if (spare) {
    out.setup.push_back(static_cast<double>(ready.number));
  }
  execution.acknowledge();
  (void)execution.reap();
}

int bench(const std::string& monitor, int rounds, const std::string& base) {
  Figures figures;
  const std::vector<std::string> bwrap{"/usr/bin/bwrap",
                                       "--unshare-all",
                                       "--share-net",
                                       "--ro-bind",
                                       "/",
                                       "/",
                                       "--dev",
                                       "/dev",
                                       "--proc",
                                       "/proc",
                                       "--tmpfs",
                                       "/tmp",
                                       "--die-with-parent",
                                       "/bin/true"};
  for (int i = 0; i < rounds; ++i) {
    figures.plain.push_back(spawn_and_wait({"/bin/true"}));
    figures.bwrap.push_back(spawn_and_wait(bwrap));
    measure(monitor, base, true, figures);
    measure(monitor, base, false, figures);
    figures.empty.push_back(spawn_and_wait({monitor}));
  }
  const auto line = [](const char* name, const std::vector<double>& values) {
    const double least = *std::min_element(values.begin(), values.end());
    std::printf("%-46s median %6.0f us  min %6.0f us\n", name, median(values), least);
  };
  line("posix_spawn /bin/true", figures.plain);
  line("monitor, no link (spawn to reap)", figures.empty);
  line("bwrap, the same namespaces, /bin/true", figures.bwrap);
  line("ours, spare: launch to durable outcome", figures.spare);
  line("ours, fresh monitor: spawn to durable outcome", figures.fresh);
  line("ours: set-up (Launch read to ready)", figures.setup);
  std::printf("ratio to bwrap: spare %.2f, fresh %.2f\n",
              median(figures.spare) / median(figures.bwrap),
              median(figures.fresh) / median(figures.bwrap));
  return 0;
}

int once(const std::string& monitor, const std::vector<std::string>& words) {
  Order order;
  std::string base = "/tmp";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool more = i + 1 < words.size();
    if (words[i] == "--pty") {
      order.pty = true;
    } else if (words[i] == "--file") {
      order.script_as = monitor::ScriptAs::FILE;
    } else if (words[i] == "--profile" && more) {
      order.profile = words[++i];
    } else if (words[i] == "--interpreter" && more) {
      order.argv = {words[++i]};
    } else if (words[i] == "--base" && more) {
      base = words[++i];
    } else if (words[i] == "-c" && more) {
      order.script = words[++i];
    }
  }
  Execution execution(monitor, base);
  const Message end = execution.run(order);
  const std::string output = execution.output();
  std::fwrite(output.data(), 1, output.size(), stdout);
  std::printf(
      "-- kind %d outcome %d exit %d signal %u cause \"%s\" errno %lld bytes %llu ms %llu\n",
      static_cast<int>(end.kind), static_cast<int>(end.outcome), end.exit, end.signal,
      end.text.c_str(), static_cast<long long>(end.number),
      static_cast<unsigned long long>(end.output_bytes),
      static_cast<unsigned long long>(end.duration_ms));
  return end.exit < 0 ? 125 : end.exit;
}

}  // namespace
}  // namespace rb::testing

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    std::fprintf(stderr, "usage: launch_probe MONITOR (--bench N | [options] -c TEXT)\n");
    return 125;
  }
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  if (rest.size() >= 2 && rest[0] == "--bench") {
    return rb::testing::bench(words[0], std::atoi(rest[1].c_str()),
                              rest.size() > 2 ? rest[2] : "/tmp");
  }
  return rb::testing::once(words[0], rest);
}
