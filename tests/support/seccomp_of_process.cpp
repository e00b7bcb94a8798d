#include "tests/support/seccomp_of_process.h"

#include <linux/filter.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include <csignal>

namespace rb::testing {
namespace {

// The process is stopped.
std::vector<Bytes> read_filters(pid_t pid) {
  std::vector<Bytes> out;
  for (unsigned long index = 0;; ++index) {
    const long count =
        ::ptrace(static_cast<__ptrace_request>(PTRACE_SECCOMP_GET_FILTER), pid, index, nullptr);
    if (count <= 0) {
      return out;
    }
    Bytes program(static_cast<std::size_t>(count) * sizeof(sock_filter));
    if (::ptrace(static_cast<__ptrace_request>(PTRACE_SECCOMP_GET_FILTER), pid, index,
                 program.data()) != count) {
      return {};
    }
    out.push_back(std::move(program));
  }
}

bool stop(pid_t pid) {
  int status = 0;
  return ::ptrace(PTRACE_SEIZE, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) == 0 &&
         ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr) == 0 &&
         ::waitpid(pid, &status, __WALL) == pid && WIFSTOPPED(status);
}

}  // namespace

std::vector<Bytes> filters_of(pid_t pid) {
  if (!stop(pid)) {
    return {};
  }
  std::vector<Bytes> out = read_filters(pid);
  ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return out;
}

std::vector<Bytes> filters_after_next_load(pid_t pid, const std::function<void()>& meanwhile) {
  if (!stop(pid)) {
    return {};
  }
  const std::size_t before = read_filters(pid).size();
  meanwhile();
  for (int calls = 0; calls < 100'000; ++calls) {
    int status = 0;
    if (::ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr) < 0 ||
        ::waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) {
      return {};
    }
    user_regs_struct registers{};
    ::ptrace(PTRACE_GETREGS, pid, nullptr, &registers);
    if (registers.orig_rax != SYS_seccomp) {
      continue;
    }
    std::vector<Bytes> now = read_filters(pid);
    if (now.size() > before) {
      ::kill(pid, SIGKILL);
      return now;
    }
  }
  return {};
}

}  // namespace rb::testing
