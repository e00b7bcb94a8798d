// kernel.h — system calls that the C library has no name for, as plain functions.   [monitor]
// Each returns what the kernel returns: -1 and errno. Numbers are the kernel's stable interface;
// where they stand here the headers of the machine that builds may be older than the kernel.
#pragma once

#include <linux/sched.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

namespace rb::mon::kernel {

inline int pidfd_open(pid_t pid) {
  return static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
}
inline int pidfd_send_signal(int pidfd, int signal) {
  return static_cast<int>(::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0));
}
inline int pivot_root(const char* root, const char* put_old) {
  return static_cast<int>(::syscall(SYS_pivot_root, root, put_old));
}
inline int close_range(unsigned first, unsigned last, unsigned flags) {
  return static_cast<int>(::syscall(SYS_close_range, first, last, flags));
}
inline constexpr unsigned kCloseOnExec = 1U << 2;  // CLOSE_RANGE_CLOEXEC

// A forked copy of this process (no shared memory), with a pidfd that closes on exec.
inline pid_t fork_into(std::uint64_t namespaces, int* pidfd) {
  clone_args arguments{};
  arguments.flags = namespaces | CLONE_PIDFD;
  arguments.pidfd = reinterpret_cast<std::uint64_t>(pidfd);
  arguments.exit_signal = SIGCHLD;
  return static_cast<pid_t>(::syscall(SYS_clone3, &arguments, sizeof arguments));
}

// A session keyring of our own, so that none of the operator's is reachable.
inline long fresh_keyring() {
  constexpr int kJoinSessionKeyring = 1;
  return ::syscall(SYS_keyctl, kJoinSessionKeyring, nullptr);
}

}  // namespace rb::mon::kernel
