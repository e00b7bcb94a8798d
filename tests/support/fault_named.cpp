// Makes stages of set-up fail with EIO: linked into runbook-monitor-faulty alone. Which: the one
// that RB_FAULT names; or, where a file PROGRAM.turns lies beside the program, every second set-up
// fails, the first of those at its first stage, the next at its second and so on, then again from
// the first. The file holds the number of set-ups begun and that of stages.
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "broker/monitor/build.h"

namespace rb::mon {
namespace {

// Stages that still succeed in this set-up; -1: all. Asked before the first one, so that the path
// is the machine's; the script's process goes on with the count it was forked with.
int draw_turn() {
  std::array<char, PATH_MAX> program{};
  if (::readlink("/proc/self/exe", program.data(), program.size() - 1) < 0) {
    return -1;
  }
  const std::string path = std::string(program.data()) + ".turns";
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return -1;
  }
  std::array<char, 64> text{};
  int turn = 0;
  int stages = 1;
  (void)::flock(file, LOCK_EX);
  if (::pread(file, text.data(), text.size() - 1, 0) > 0) {
    (void)std::sscanf(text.data(), "%d %d", &turn, &stages);
  }
  const std::string next = std::to_string(turn + 1) + " " + std::to_string(stages) + "\n";
  (void)!::pwrite(file, next.data(), next.size(), 0);
  ::close(file);
  return turn % 2 == 0 || stages < 1 ? -1 : turn / 2 % stages;
}

}  // namespace

int planned_fault(std::string_view stage) {
  if (const char* wanted = std::getenv("RB_FAULT")) {
    return stage == wanted ? EIO : 0;
  }
  static int left = draw_turn();
  if (left < 0) {
    return 0;
  }
  return left-- == 0 ? EIO : 0;
}

}  // namespace rb::mon
