#include "common/confine.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ctime>
#include <new>
#include <string>

#include "common/fd.h"
#include "common/io.h"

namespace rb::confine {
namespace {

constexpr rlim_t kMiB = rlim_t{1} << 20;
constexpr unsigned kBareMount =
    MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;

// The kernel refuses to send a descriptor (ETOOMANYREFS) while the user's processes, all together,
// have more of them under way than the *sender* may have open: a low limit here would let any
// program of the user's stop us from answering. So it is well above what a script may hold
// (policy/builtin.cpp). Where a process may, common/descriptors.cpp raises its limit when it must.
constexpr rlim_t kOpenFiles = 65'536;

// Bytes; a hostile text can't take the machine's memory.
[[maybe_unused]] rlim_t address_space_of(Role role) {
  return (role == Role::Front || role == Role::Reader ? 1024 : 512) * kMiB;
}

Status set_limit(__rlimit_resource resource, rlim_t most) {
  rlimit now{};
  if (::getrlimit(resource, &now) < 0) {
    return errno_error("getrlimit");
  }
  if (now.rlim_max != RLIM_INFINITY && now.rlim_max < most) {
    most = now.rlim_max;
  }
  const rlimit wanted{most, most};
  return ::setrlimit(resource, &wanted) < 0 ? Status(errno_error("setrlimit")) : done();
}

Status tidy_descriptors() {
  if (::fcntl(kLinkDescriptor, F_GETFD) < 0) {
    return errno_error("descriptor 3, the link,");
  }
  if (::close_range(kLinkDescriptor + 1, ~0U, 0) < 0) {
    return errno_error("close_range");
  }
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) {
    return errno_error("open /dev/null");
  }
  if (::dup2(null.get(), STDIN_FILENO) < 0 || ::dup2(null.get(), STDOUT_FILENO) < 0) {
    return errno_error("dup2");
  }
  if (::fcntl(STDERR_FILENO, F_GETFD) < 0 && ::dup2(null.get(), STDERR_FILENO) < 0) {
    return errno_error("dup2");
  }
  return done();
}

Status write_proc(const char* path, const std::string& text) {
  const Fd file(::open(path, O_WRONLY | O_CLOEXEC));
  if (!file) {
    return errno_error(path);
  }
  // One write: the kernel takes an id map whole or not at all.
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return errno_error(path);
  }
  return done();
}

Status write_id_maps(uid_t uid, gid_t gid) {
  // An undumpable process's /proc files belong to root: dumpable for these three writes alone.
  if (::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0) {
    return errno_error("prctl PR_SET_DUMPABLE");
  }
  if (Status denied = write_proc("/proc/self/setgroups", "deny"); !denied) {
    return denied;
  }
  const std::string own = std::to_string(uid);
  if (Status mapped = write_proc("/proc/self/uid_map", own + " " + own + " 1"); !mapped) {
    return mapped;
  }
  const std::string group = std::to_string(gid);
  return write_proc("/proc/self/gid_map", group + " " + group + " 1");
}

// A file system with room for nothing, read-only, in place of everything that was there.
Status empty_root() {
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) < 0) {
    return errno_error("make mounts private");
  }
  const Fd context(static_cast<int>(::syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC)));
  if (!context) {
    return errno_error("fsopen");
  }
  for (const auto& [key, value] : {std::pair{"size", "4k"}, {"nr_inodes", "2"}, {"mode", "0500"}}) {
    if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, key, value, 0) < 0) {
      return errno_error("fsconfig");
    }
  }
  if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0) {
    return errno_error("fsconfig create");
  }
  const Fd root(
      static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, kBareMount)));
  if (!root) {
    return errno_error("fsmount");
  }
  if (::syscall(SYS_move_mount, root.get(), "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0) {
    return errno_error("move_mount");
  }
  // The old root is stacked on the new one and taken off: no path leads to it any more.
  if (::fchdir(root.get()) < 0 || ::syscall(SYS_pivot_root, ".", ".") < 0) {
    return errno_error("pivot_root");
  }
  if (::umount2(".", MNT_DETACH) < 0 || ::chdir("/") < 0) {
    return errno_error("detach the old root");
  }
  return done();
}

Status drop_capabilities() {
  for (int capability = 0;; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) {
      if (errno == EINVAL && capability > 0) {
        break;  // past the kernel's last one
      }
      return errno_error("prctl PR_CAPBSET_DROP");
    }
  }
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0) {
    return errno_error("prctl PR_CAP_AMBIENT");
  }
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  const std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &head, none.data()) < 0) {
    return errno_error("capset");
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
    return errno_error("prctl PR_SET_NO_NEW_PRIVS");
  }
  return done();
}

bool hung_up(int fd) {
  pollfd look{fd, 0, 0};
  return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)) != 0;
}

// Without this an orphan would live on; `link` tells whether the parent went before we asked.
Status die_with_parent(int link) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0) {
    return errno_error("prctl PR_SET_PDEATHSIG");
  }
  return hung_up(link) ? Status(error(Code::Closed, "the parent is gone")) : done();
}

// The outer process: nothing but waiting is left to it. `liveness` is all it holds.
[[noreturn]] void wait_for(pid_t inner, int liveness, const Bytes& filter) {
  if (liveness > 0) {
    (void)::close_range(0, static_cast<unsigned>(liveness) - 1, 0);
  }
  (void)::close_range(static_cast<unsigned>(liveness) + 1, ~0U, 0);
  if (!drop_capabilities() || !load_program(filter)) {
    _exit(kCannotConfine);  // the inner one goes along
  }
  int status = 0;
  while (::wait4(inner, &status, 0, nullptr) < 0) {
    if (errno != EINTR) {
      _exit(kCannotConfine);
    }
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

Status become_inner([[maybe_unused]] Role role, int liveness) {
  if (Status tied = die_with_parent(liveness); !tied) {
    return tied;
  }
  if (::setsid() < 0) {
    return errno_error("setsid");
  }
  if (Status root = empty_root(); !root) {
    return root;
  }
  if (Status set = set_limit(RLIMIT_NOFILE, kOpenFiles); !set) {
    return set;
  }
#if !defined(RUNBOOKD_SANITIZED)  // whose shadow alone is terabytes of address space
  if (Status set = set_limit(RLIMIT_AS, address_space_of(role)); !set) {
    return set;
  }
#endif
  return drop_capabilities();
}

constexpr std::string_view kNoMemory = "out of memory\n";
void end_without_memory() {
  (void)!::write(STDERR_FILENO, kNoMemory.data(), kNoMemory.size());
  _exit(kOutOfMemory);
}

void reset_signals() {
  sigset_t none{};
  (void)::sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    (void)::signal(number, SIG_DFL);
  }
  (void)::signal(SIGPIPE, SIG_IGN);  // a log that nobody reads any more ends nobody
}

}  // namespace

Status into_namespaces(Role role) {
  reset_signals();
  std::set_new_handler(end_without_memory);
  if (Status tidy = tidy_descriptors(); !tidy) {
    return tidy;
  }
  const Result<Bytes> waiter = program_of(Filter::Waiter);
  if (!waiter) {
    return waiter.failure();
  }
  const uid_t uid = ::getuid();
  const gid_t gid = ::getgid();
  if (uid == 0) {
    (void)::setgroups(0, nullptr);  // root's own; others can't drop theirs
  }
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWNET |
                CLONE_NEWUTS | CLONE_NEWCGROUP) < 0) {
    return errno_error("unshare");
  }
  if (Status mapped = write_id_maps(uid, gid); !mapped) {
    return mapped;
  }
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) {
    return errno_error("prctl PR_SET_DUMPABLE");
  }
  if (Status set = set_limit(RLIMIT_CORE, 0); !set) {
    return set;
  }
  if (Status tied = die_with_parent(kLinkDescriptor); !tied) {
    return tied;
  }
  std::array<int, 2> pair{};
  if (::pipe2(pair.data(), O_CLOEXEC) < 0) {
    return errno_error("pipe2");
  }
  Fd inner_end(pair[0]);
  Fd outer_end(pair[1]);
  const pid_t inner = ::fork();
  if (inner < 0) {
    return errno_error("fork");
  }
  if (inner > 0) {
    inner_end.reset();
    wait_for(inner, outer_end.get(), *waiter);
  }
  outer_end.reset();
  return become_inner(role, inner_end.get());
}

}  // namespace rb::confine
