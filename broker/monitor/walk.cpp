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
#include <vector>

#include "broker/monitor/kernel.h"
#include "common/clock.h"
#include "common/fd.h"

namespace rb::mon {
namespace {

constexpr Nanos kPatience = std::chrono::seconds(2);
constexpr Nanos kBetween = std::chrono::milliseconds(2);

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  unsigned long long start = 0;  // in ticks since boot: with the pid it names one process
  bool below = false;
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
  return {pid, static_cast<pid_t>(field(line.data(), 4)), field(line.data(), 22), false};
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

std::vector<Process> descendants() {
  std::vector<Process> all = all_processes();
  const pid_t self = ::getpid();
  for (bool grew = true; grew;) {
    grew = false;
    for (Process& process : all) {
      const auto parent = [&](const Process& other) {
        return other.below && other.pid == process.parent;
      };
      if (!process.below &&
          (process.parent == self || std::any_of(all.begin(), all.end(), parent))) {
        process.below = true;
        grew = true;
      }
    }
  }
  all.erase(std::remove_if(all.begin(), all.end(), [](const Process& p) { return !p.below; }),
            all.end());
  return all;
}

}  // namespace

std::size_t signal_descendants(int signal) {
  const std::vector<Process> found = descendants();
  for (const Process& process : found) {
    const Fd pidfd(kernel::pidfd_open(process.pid));
    if (pidfd && look(process.pid).start == process.start) {
      (void)kernel::pidfd_send_signal(pidfd.get(), signal);
    }
  }
  return found.size();
}

bool kill_descendants() {
  const Nanos give_up = boot_now() + kPatience;
  while (boot_now() < give_up) {
    const std::size_t left = signal_descendants(SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    if (left == 0) {
      return true;
    }
    const timespec pause{0, kBetween.count()};
    (void)::nanosleep(&pause, nullptr);
  }
  return false;
}

}  // namespace rb::mon
