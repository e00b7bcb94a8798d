#include "broker/monitor/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "broker/monitor/kernel.h"
#include "common/clock.h"
#include "common/fd.h"

namespace rb::mon {
namespace {

constexpr Nanos kPatience = std::chrono::seconds(2);  // without any of them going
constexpr Nanos kMost = std::chrono::seconds(8);
constexpr Nanos kBetween = std::chrono::milliseconds(2);

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  unsigned long long start = 0;  // in ticks since boot: with the pid it names one process
};

// Field `wanted` of a stat line, counted from 3 (state); the name before it may hold anything.
unsigned long long field(std::string_view line, int wanted) {
  std::size_t at = line.rfind(')');
  for (int number = 2; at != std::string_view::npos && number < wanted; ++number) {
    at = line.find(' ', at + 1);
  }
  return at == std::string_view::npos ? 0 : std::strtoull(line.data() + at + 1, nullptr, 10);
}

Process look(pid_t pid) {
  const Fd file(::open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> line{};
  if (!file || ::read(file.get(), line.data(), line.size() - 1) <= 0) {
    return {};
  }
  return {pid, static_cast<pid_t>(field(line.data(), 4)), field(line.data(), 22)};
}

std::vector<Process> all_processes() {
  std::vector<Process> out;
  const std::unique_ptr<DIR, CloseDir> dir(::opendir("/proc"));
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
    if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) {
      const Process process = look(std::atoi(entry->d_name));
      if (process.pid != 0) {
        out.push_back(process);
      }
    }
  }
  return out;
}

// Parents before children.
std::vector<Process> descendants() {
  std::unordered_multimap<pid_t, Process> by_parent;
  for (const Process& process : all_processes()) {
    by_parent.emplace(process.parent, process);
  }
  std::vector<Process> out{{::getpid(), 0, 0}};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto [first, last] = by_parent.equal_range(out[i].pid);
    for (auto at = first; at != last; ++at) {
      out.push_back(at->second);
    }
    by_parent.erase(first, last);  // pids that changed hands meanwhile make no circle
  }
  out.erase(out.begin());
  return out;
}

void signal_one(const Process& process, int signal) {
  const Fd pidfd(kernel::pidfd_open(process.pid));
  if (pidfd && look(process.pid).start == process.start) {
    (void)kernel::pidfd_send_signal(pidfd.get(), signal);
  }
}

// Stops everything below, so that nothing forks any more: whoever forks faster than it is killed
// is never caught otherwise. A pass that finds nobody new ends it; so do processes that can't be
// stopped, at `until`. Answers how many it found.
std::size_t stop_descendants(Nanos until) {
  std::unordered_set<unsigned long long> known;
  for (bool grew = true; grew && boot_now() < until;) {
    grew = false;
    for (const Process& process : descendants()) {
      const auto key = process.start << 22U | static_cast<unsigned>(process.pid);  // PID_MAX_LIMIT
      if (known.insert(key).second) {
        signal_one(process, SIGSTOP);
        grew = true;
      }
    }
  }
  return known.size();
}

}  // namespace

std::size_t signal_descendants(int signal) {
  const std::vector<Process> found = descendants();
  for (const Process& process : found) {
    signal_one(process, signal);
  }
  return found.size();
}

bool kill_descendants() {
  const Nanos most = boot_now() + kMost;
  std::size_t fewest = stop_descendants(boot_now() + kPatience);
  if (fewest == 0) {
    return true;
  }
  for (Nanos give_up = boot_now() + kPatience; boot_now() < std::min(give_up, most);) {
    const std::size_t left = signal_descendants(SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (left == 0) {
      return true;
    }
    if (left < fewest) {
      fewest = left;
      give_up = boot_now() + kPatience;
    }
    const timespec pause{0, kBetween.count()};
    (void)::nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace rb::mon
