#include "client/ctl/machine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/lib/paths.h"
#include "common/fd.h"
#include "common/io.h"

namespace rb::ctl {
namespace {

// Runs in a child, so that nothing of it stays with us; the child's status is its errno.
int tried_in_child(int (*attempt)()) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(attempt());
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
}

int attempt_namespaces() {
  constexpr int kKinds = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS;
  return ::unshare(kKinds) == 0 ? 0 : errno;
}

Fact user_namespaces() {
  const int failed = tried_in_child(attempt_namespaces);
  if (failed == 0) {
    return {"user namespaces", true, "can be made", ""};
  }
  return {"user namespaces", false, std::string("refused: ") + std::strerror(failed),
          "the daemon confines its own processes by them and doesn't start without: sysctl "
          "kernel.unprivileged_userns_clone=1, or an AppArmor profile"};
}

Fact seccomp() {
  std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  const bool there = ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  return {"seccomp", there, there ? "filters can be loaded" : "not there",
          there ? "" : "a kernel with CONFIG_SECCOMP_FILTER"};
}

Fact landlock() {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (abi <= 0) {
    return {"Landlock", false,
            "not there: the daemon confines its own processes by it and doesn't start without",
            "a kernel with lsm=landlock"};
  }
  return {"Landlock", true, "ABI " + std::to_string(abi) + (abi >= 6 ? " (sockets scoped)" : ""),
          ""};
}

std::string user_manager_socket() {
  const std::string base = client::runtime_folder();
  return base.substr(0, base.rfind('/')) + "/systemd/private";
}

bool user_manager() {
  struct stat facts {};
  return ::stat(user_manager_socket().c_str(), &facts) == 0 && S_ISSOCK(facts.st_mode);
}

// What the daemon does with it, it says itself: its line of the profile host.
Fact cgroup() {
  struct stat facts {};
  if (::stat("/sys/fs/cgroup/cgroup.controllers", &facts) < 0 &&
      ::stat("/sys/fs/cgroup/unified/cgroup.controllers", &facts) < 0) {
    return {"cgroup v2", false, "not mounted: host may leave processes", ""};
  }
  if (!user_manager()) {
    return {"cgroup v2", false, "nobody here delegates a group: host may leave processes",
            "loginctl enable-linger, log in again"};
  }
  return {"cgroup v2", true, "mounted; the daemon asks the user's manager for a group", ""};
}

Fact manager() {
  return user_manager()
             ? Fact{"systemd user manager", true, "runs", ""}
             : Fact{"systemd user manager", false, "none: the daemon is started on demand", ""};
}

Fact root() {
  return ::geteuid() == 0
             ? Fact{"ordinary user", false,
                    "you are root: file permissions bind nothing, and the profile host changes the "
                    "whole machine",
                    "work as an ordinary user"}
             : Fact{"ordinary user", true, "uid " + std::to_string(::geteuid()), ""};
}

}  // namespace

std::vector<Fact> look_at_machine() {
  return {user_namespaces(), seccomp(), landlock(), cgroup(), manager(), root()};
}

}  // namespace rb::ctl
