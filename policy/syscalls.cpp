#include "policy/syscalls.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>

namespace rb::policy {
namespace {

// Left out on purpose, so ENOSYS: clone3 and openat2 (their flags and modes lie behind a pointer
// that no filter can read), io_uring (it passes by every filter), memfd_secret, dead calls.
constexpr std::string_view kAllowed =
    "accept accept4 access alarm arch_prctl bind brk capget capset chdir chmod chown clone "
    "clock_getres clock_gettime clock_nanosleep close close_range connect copy_file_range creat "
    "dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 epoll_wait "
    "eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 fadvise64 fallocate "
    "fchdir fchmod fchmodat fchown fchownat fcntl fdatasync fgetxattr flistxattr flock fork "
    "fremovexattr fsetxattr fstat fstatfs fsync ftruncate futex futex_waitv futimesat "
    "get_mempolicy get_robust_list getcpu getcwd getdents getdents64 getegid geteuid getgid "
    "getgroups getitimer getpeername getpgid getpgrp getpid getppid getpriority getrandom "
    "getresgid getresuid getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday "
    "getuid getxattr inotify_add_watch inotify_init inotify_init1 inotify_rm_watch io_cancel "
    "io_destroy io_getevents io_pgetevents io_setup io_submit ioctl ioprio_get ioprio_set kill "
    "landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lgetxattr link linkat "
    "listen listxattr llistxattr lremovexattr lseek lsetxattr lstat madvise membarrier "
    "memfd_create mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mprotect "
    "mq_getsetattr mq_notify mq_open mq_timedreceive mq_timedsend mq_unlink mremap msgctl msgget "
    "msgrcv msgsnd msync munlock munlockall munmap nanosleep newfstatat open openat pause "
    "personality pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc pkey_free pkey_mprotect poll "
    "ppoll prctl pread64 preadv preadv2 prlimit64 pselect6 pwrite64 pwritev pwritev2 read "
    "readahead readlink readlinkat readv recvfrom recvmmsg recvmsg remap_file_pages removexattr "
    "rename renameat renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending "
    "rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo "
    "sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr sched_getparam "
    "sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setattr sched_setparam "
    "sched_setscheduler sched_yield seccomp select semctl semget semop semtimedop sendfile "
    "sendmmsg sendmsg sendto set_robust_list set_tid_address setfsgid setfsuid setgid setgroups "
    "setitimer setpgid setpriority setregid setresgid setresuid setreuid setrlimit setsid "
    "setsockopt setuid setxattr shmat shmctl shmdt shmget shutdown sigaltstack signalfd signalfd4 "
    "socket socketpair splice stat statfs statx symlink symlinkat sync sync_file_range syncfs "
    "sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime "
    "timer_settime timerfd_create timerfd_gettime timerfd_settime times tkill truncate umask uname "
    "unlink unlinkat ustat utime utimensat utimes vfork vmsplice wait4 waitid write writev";

constexpr std::string_view kRefused =
    // namespaces and mounts
    "chroot fsconfig fsmount fsopen fspick mount mount_setattr move_mount open_tree pivot_root "
    "setns umount2 unshare "
    // other processes
    "kcmp pidfd_getfd process_madvise process_vm_readv process_vm_writev ptrace "
    // keyrings, which no namespace divides
    "add_key keyctl request_key "
    // the machine and its kernel
    "acct adjtimex bpf clock_adjtime clock_settime delete_module fanotify_init fanotify_mark "
    "finit_module init_module ioperm iopl kexec_file_load kexec_load modify_ldt "
    "name_to_handle_at open_by_handle_at perf_event_open quotactl quotactl_fd reboot setdomainname "
    "sethostname settimeofday swapoff swapon syslog userfaultfd vhangup "
    // memory policy
    "mbind migrate_pages move_pages set_mempolicy set_mempolicy_home_node";

// cachestat, map_shadow_stack, futex_wake, futex_wait, futex_requeue, mseal. Not fchmodat2 (452):
// programs fall back to fchmodat, whose mode is looked at.
constexpr std::array<int, 6> kAllowedNumbers{451, 453, 454, 455, 456, 462};

constexpr std::uint64_t kLow = 0xffffffff;  // where the kernel takes an int, upper bits are noise
constexpr unsigned kUnix = 1, kInet = 2, kInet6 = 10, kNetlink = 16;

void refuse(std::vector<ArgumentRule>& out, std::string_view call, int errnum,
            ArgumentRule::Test test) {
  out.push_back({call, errnum, test, false, {}});
}

// Every family but those: values below 64 one by one, all others by their bits.
void allow_families(std::vector<ArgumentRule>& out, std::string_view call,
                    std::initializer_list<unsigned> allowed) {
  for (unsigned family = 0; family < 64; ++family) {
    if (std::find(allowed.begin(), allowed.end(), family) == allowed.end()) {
      refuse(out, call, EAFNOSUPPORT, {0, kLow, family});
    }
  }
  for (unsigned bit = 6; bit < 32; ++bit) {
    refuse(out, call, EAFNOSUPPORT, {0, std::uint64_t{1} << bit, std::uint64_t{1} << bit});
  }
}

// Set-user-id and set-group-id: a file that another user runs as the operator.
void refuse_modes(std::vector<ArgumentRule>& out) {
  struct Place {
    std::string_view call;
    unsigned mode;
  };
  struct Opening {
    std::string_view call;
    unsigned flags;
  };
  constexpr std::uint64_t kCreate = 0100, kTemporary = 020000000;  // O_CREAT, __O_TMPFILE
  for (const std::uint64_t bit : {std::uint64_t{04000}, std::uint64_t{02000}}) {
    for (const Place& place : {Place{"chmod", 1}, Place{"fchmod", 1}, Place{"fchmodat", 2},
                               Place{"creat", 1}, Place{"mknod", 1}, Place{"mknodat", 2}}) {
      refuse(out, place.call, EPERM, {place.mode, bit, bit});
    }
    for (const Opening& opening : {Opening{"open", 1}, Opening{"openat", 2}}) {
      for (const std::uint64_t makes : {kCreate, kTemporary}) {  // else the mode is noise
        out.push_back({opening.call,
                       EPERM,
                       {opening.flags, makes, makes},
                       true,
                       {opening.flags + 1, bit, bit}});
      }
    }
  }
}

// READ_IMPLIES_EXEC and ADDR_NO_RANDOMIZE, but not 0xffffffff, which only asks: some bit is clear.
void refuse_personality(std::vector<ArgumentRule>& out) {
  for (const unsigned wanted : {22U, 18U}) {
    for (unsigned clear = 0; clear < 32; ++clear) {
      if (clear != wanted) {
        const std::uint64_t bit = std::uint64_t{1} << wanted;
        refuse(out, "personality", EPERM, {0, bit | std::uint64_t{1} << clear, bit});
      }
    }
  }
}

}  // namespace

std::string_view allowed_calls() {
  return kAllowed;
}
std::string_view refused_calls() {
  return kRefused;
}
std::span<const int> allowed_numbers() {
  return kAllowedNumbers;
}

bool has_unix_sockets(const Profile& profile, bool sockets_scoped) {
  return sockets_scoped || !profile.sandboxed() || profile.network == Network::None;
}

std::vector<ArgumentRule> argument_rules(const Profile& profile, bool sockets_scoped) {
  std::vector<ArgumentRule> out;
  constexpr std::uint64_t kFakeInput = 0x5412, kLinuxConsole = 0x541c, kLineDiscipline = 0x5423;
  for (const std::uint64_t request : {kFakeInput, kLinuxConsole, kLineDiscipline}) {
    refuse(out, "ioctl", EPERM, {1, kLow, request});
  }
  // CLONE_NEWNS, then cgroup, uts, ipc, user, pid, net
  for (const unsigned bit : {17U, 25U, 26U, 27U, 28U, 29U, 30U}) {
    refuse(out, "clone", EPERM, {0, std::uint64_t{1} << bit, std::uint64_t{1} << bit});
  }
  // PID 1 isn't the script's to limit: its end is how ours is told from the script's.
  refuse(out, "prlimit64", EPERM, {0, kLow, 1});
  refuse_modes(out);
  refuse_personality(out);
  if (has_unix_sockets(profile, sockets_scoped)) {
    allow_families(out, "socket", {kUnix, kInet, kInet6, kNetlink});
  } else {
    allow_families(out, "socket", {kInet, kInet6, kNetlink});
  }
  allow_families(out, "socketpair", {kUnix});
  return out;
}

}  // namespace rb::policy
