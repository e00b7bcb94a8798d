// probe_inside — runs inside an execution, tries what must not be possible there, and reports.
// One line a try: NAME <tab> ANSWER. NAME begins with the threat's number (docs/SECURITY.md).
// ANSWER is "possible", an errno's name, "killed SIGNAL", or a fact after "=".
// Static, so that it needs nothing of the sandbox; what it looks for is named in its environment:
// PROBE_ABSTRACT, PROBE_SOCKET, PROBE_SECRET, PROBE_PID, PROBE_SHM, PROBE_PORT, PROBE_HOME (absent:
// ENOENT is reported). With an argument it ends at once: it executes itself in odd ways.
#include <dirent.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

extern char** environ;

namespace {

constexpr unsigned kSeconds = 5;

const char* given(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "/nonexistent" : value;
}

void fact(const char* name, const std::string& value) {
  std::printf("%s\t=%s\n", name, value.c_str());
}

// In a child, which a filter may kill: >= 0 means that it was possible.
void attempt(const std::string& name, const std::function<long()>& act) {
  std::fflush(stdout);
  int ends[2];
  if (::pipe(ends) < 0) {
    return;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kSeconds);
    errno = 0;
    const long got = act();
    const int answer = got >= 0 ? 0 : errno;
    (void)!::write(ends[1], &answer, sizeof answer);
    ::_exit(0);
  }
  ::close(ends[1]);
  int answer = -1;
  const ssize_t got = ::read(ends[0], &answer, sizeof answer);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (got == sizeof answer) {
    const char* text = answer == 0 ? "possible" : ::strerrorname_np(answer);
    std::printf("%s\t%s\n", name.c_str(), text == nullptr ? "?" : text);
  } else {
    std::printf("%s\tkilled %s\n", name.c_str(),
                WIFSIGNALED(status) ? ::sigabbrev_np(WTERMSIG(status)) : "?");
  }
}

long connect_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(std::strlen(path), sizeof address.sun_path);
  std::memcpy(address.sun_path, path, length);
  if (path[0] == '@') {
    address.sun_path[0] = '\0';
  }
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  return fd < 0 ? -1
                : ::connect(fd, reinterpret_cast<sockaddr*>(&address),
                            static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
}

long open_for(const char* path, int flags) {
  return ::open(path, flags | O_CLOEXEC | O_NOCTTY, 0600);
}

std::string status_line(const std::string& key) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, key.size(), key) == 0) {
      return line.substr(line.find_first_not_of(" \t", key.size()));
    }
  }
  return "?";
}

void terminal() {
  attempt("1 controlling terminal", [] { return open_for("/dev/tty", O_RDWR); });
  for (const unsigned long high : {0UL, 1UL << 32}) {
    const std::string suffix = high == 0 ? "" : " high bits";
    attempt((high == 0 ? "1 TIOCSTI" : "2 TIOCSTI") + suffix, [high] {
      char key = 'x';
      return ::syscall(SYS_ioctl, 0, TIOCSTI | high, &key);
    });
    attempt("3 TIOCLINUX" + suffix, [high] {
      char code = 3;
      return ::syscall(SYS_ioctl, 0, TIOCLINUX | high, &code);
    });
  }
}

void inherited() {
  std::string fds;
  for (int fd = 0; fd < 65536; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) {
      fds += (fds.empty() ? "" : " ") + std::to_string(fd);
    }
  }
  fact("4 descriptors", fds);
  char folder[4096] = "";
  const ssize_t length = ::readlink("/proc/self/cwd", folder, sizeof folder - 1);
  fact("5 folder is reachable",
       length > 0 && std::strstr(folder, "(unreachable)") == nullptr ? "yes" : "no");
  fact("8 ignored signals", status_line("SigIgn:"));
  fact("9 blocked signals", status_line("SigBlk:"));
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  fact("73 core limit", std::to_string(core.rlim_max));
  attempt("11 raise a hard limit", [] {
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_max += 1;
    return ::setrlimit(RLIMIT_NOFILE, &files);
  });
  attempt("11 lower oom_score_adj", [] {
    const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY);
    return fd < 0 ? -1 : static_cast<long>(::write(fd, "-500", 4));
  });
  bool leaked = false;
  if (DIR* proc = ::opendir("/proc")) {
    while (const dirent* entry = ::readdir(proc)) {
      for (const char* name : {"environ", "cmdline"}) {
        std::ifstream in(std::string("/proc/") + entry->d_name + "/" + name);
        const std::string all{std::istreambuf_iterator<char>(in), {}};
        leaked |= all.find("outside-secret") != std::string::npos;
      }
    }
    ::closedir(proc);
  }
  fact("12 secret in any environment", leaked ? "yes" : "no");
  fact("13 service variables",
       std::getenv("NOTIFY_SOCKET") != nullptr || std::getenv("DBUS_SESSION_BUS_ADDRESS") != nullptr
           ? "yes"
           : "no");
}

void kernel() {
  char zeros[512] = {};
  attempt("16 io_uring_setup", [&] { return ::syscall(425, 4, zeros); });
  attempt("17 32-bit call", [] {
    long got = -1;
    __asm__ volatile("int $0x80" : "=a"(got) : "a"(20) : "memory");
    errno = got < 0 ? static_cast<int>(-got) : 0;
    return got;
  });
  attempt("18 x32 call", [] { return ::syscall(0x40000000 | SYS_getpid); });
  attempt("19 clone3 new user", [] {
    clone_args arguments{};
    arguments.flags = CLONE_NEWUSER;
    arguments.exit_signal = SIGCHLD;
    const long got = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (got == 0) {
      ::_exit(0);
    }
    return got;
  });
  attempt("19 clone new user", [] {
    const long got = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0);
    if (got == 0) {
      ::_exit(0);
    }
    return got;
  });
}

void mounts() {
  char zeros[512] = {};
  attempt("20 mount", [] { return ::mount("tmpfs", "/tmp", "tmpfs", 0, nullptr); });
  attempt("20 umount2", [] { return ::umount2("/tmp", MNT_DETACH); });
  attempt("20 open_tree", [] { return ::syscall(SYS_open_tree, AT_FDCWD, "/", 1); });
  attempt("20 fsopen", [] { return ::syscall(SYS_fsopen, "tmpfs", 0); });
  attempt("20 move_mount", [] { return ::syscall(SYS_move_mount, -1, "", -1, "", 4); });
  attempt("20 mount_setattr",
          [&] { return ::syscall(SYS_mount_setattr, AT_FDCWD, "/tmp", 0, zeros, 32); });
  attempt("20 open_tree_attr", [] { return ::syscall(467, AT_FDCWD, "/", 1, nullptr, 0); });
  attempt("20 pivot_root", [] { return ::syscall(SYS_pivot_root, ".", "."); });
  attempt("20 chroot", [] { return ::chroot("/tmp"); });
  attempt("20 setns", [] { return ::setns(::open("/proc/self/ns/uts", O_RDONLY), 0); });
  attempt("21 unshare user", [] { return ::unshare(CLONE_NEWUSER); });
}

void processes() {
  attempt("24 keyctl", [] { return ::syscall(SYS_keyctl, 0, -3, 1); });
  attempt("24 add_key", [] { return ::syscall(SYS_add_key, "user", "p", "x", 1, -2); });
  attempt("24 request_key", [] { return ::syscall(SYS_request_key, "user", "p", nullptr, -2); });
  attempt("25 ptrace PID 1", [] { return ::ptrace(PTRACE_SEIZE, 1, 0, 0); });
  attempt("25 read memory of PID 1", [] {
    char to = 0;
    iovec local{&to, 1};
    iovec remote{reinterpret_cast<void*>(0x400000), 1};
    return ::process_vm_readv(1, &local, 1, &remote, 1, 0);
  });
  attempt("25 pidfd_getfd of PID 1",
          [] { return ::syscall(SYS_pidfd_getfd, ::syscall(SYS_pidfd_open, 1, 0), 0, 0); });
  attempt("25 environ of PID 1", [] { return open_for("/proc/1/environ", O_RDONLY); });
  attempt("37 exe of PID 1", [] { return open_for("/proc/1/exe", O_RDONLY); });
  attempt("37 exe of PID 1 for writing", [] { return open_for("/proc/1/exe", O_WRONLY); });
  attempt("37 root of PID 1", [] { return open_for("/proc/1/root/", O_RDONLY); });
  attempt("25 descriptors of PID 1", [] { return open_for("/proc/1/fd/2", O_WRONLY); });
  attempt("25 signal a process outside", [] { return ::kill(std::atoi(given("PROBE_PID")), 0); });
}

void surface() {
  for (const auto& [name, number] :
       std::vector<std::pair<const char*, long>>{{"29 bpf", SYS_bpf},
                                                 {"29 perf_event_open", SYS_perf_event_open},
                                                 {"29 userfaultfd", SYS_userfaultfd},
                                                 {"29 kexec_load", SYS_kexec_load},
                                                 {"29 init_module", SYS_init_module},
                                                 {"29 swapon", SYS_swapon},
                                                 {"29 reboot", SYS_reboot},
                                                 {"29 syslog", SYS_syslog},
                                                 {"29 quotactl", SYS_quotactl},
                                                 {"29 fanotify_init", SYS_fanotify_init},
                                                 {"29 acct", SYS_acct},
                                                 {"29 iopl", SYS_iopl},
                                                 {"29 modify_ldt", SYS_modify_ldt},
                                                 {"29 mbind", SYS_mbind},
                                                 {"29 open_by_handle_at", SYS_open_by_handle_at},
                                                 {"29 sethostname", SYS_sethostname},
                                                 {"29 settimeofday", SYS_settimeofday},
                                                 {"29 kcmp", SYS_kcmp}}) {
    const long call = number;
    attempt(name, [call] { return ::syscall(call, -1, -1, -1, -1, -1, -1); });
  }
  attempt("30 read implies exec", [] { return ::personality(READ_IMPLIES_EXEC); });
  attempt("30 no randomisation", [] { return ::personality(ADDR_NO_RANDOMIZE); });
  attempt("30 ask personality", [] { return ::personality(0xffffffff); });
  attempt("32 memory file", [] { return ::memfd_create("m", 0); });
}

void sockets() {
  for (int family = 0; family <= 45; ++family) {
    attempt("22 socket family " + std::to_string(family),
            [family] { return ::socket(family, SOCK_DGRAM, 0); });
  }
  attempt("23 vsock", [] { return ::socket(40, SOCK_STREAM, 0); });
  attempt("22 socketpair", [] {
    int ends[2];
    return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  });
  attempt("50 abstract socket outside", [] { return connect_to(given("PROBE_ABSTRACT")); });
  attempt("26 socket file outside", [] { return connect_to(given("PROBE_SOCKET")); });
}

void privileges() {
  fact("27 no_new_privs", std::to_string(::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)));
  fact("27 capabilities", status_line("CapEff:") + status_line("CapBnd:") + status_line("CapAmb:"));
  struct statvfs facts {};
  ::statvfs("/usr", &facts);
  fact("40 /usr", std::string((facts.f_flag & ST_NOSUID) != 0 ? "nosuid " : "") +
                      ((facts.f_flag & ST_RDONLY) != 0 ? "ro " : "") +
                      ((facts.f_flag & ST_NODEV) != 0 ? "nodev" : ""));
  // In a folder of its own: what an earlier run left is another user's.
  char folder[] = "/tmp/probe-XXXXXX";
  if (::mkdtemp(folder) == nullptr || ::chdir(folder) < 0) {
    fact("28 folder", "can't be made");
    return;
  }
  const int file = ::open("probe-mode", O_CREAT | O_WRONLY, 0600);
  attempt("28 chmod set-user-id", [] { return ::chmod("probe-mode", 04755); });
  attempt("28 fchmod set-group-id", [file] { return ::fchmod(file, 02755); });
  attempt("28 fchmodat", [] { return ::syscall(SYS_fchmodat, AT_FDCWD, "probe-mode", 04755); });
  attempt("28 fchmodat2", [] { return ::syscall(452, AT_FDCWD, "probe-mode", 04755, 0); });
  attempt("28 open", [] { return ::open("probe-open", O_CREAT | O_WRONLY, 04755); });
  attempt("28 openat2", [] {
    struct {
      unsigned long flags = O_CREAT | O_WRONLY, mode = 04755, resolve = 0;
    } how;
    return ::syscall(SYS_openat2, AT_FDCWD, "probe-open2", &how, sizeof how);
  });
  attempt("28 mknod", [] { return ::mknod("probe-node", S_IFREG | 04755, 0); });
  attempt("28 a plain mode", [] { return ::chmod("probe-mode", 0755); });
  attempt("46 make a device",
          [] { return ::mknod("probe-null", S_IFCHR | 0600, ::makedev(1, 3)); });
  for (const char* left : {"probe-mode", "probe-open", "probe-open2", "probe-node", "probe-null"}) {
    (void)::unlink(left);
  }
  (void)!::chdir("/");
  (void)::rmdir(folder);
}

void files() {
  for (const char* folder : {"/", "/usr", "/etc", "/opt", "/run", "/dev", "/proc", "/var"}) {
    attempt(std::string("43 write in ") + folder, [folder] {
      return open_for((std::string(folder) + "/probe-write").c_str(), O_CREAT | O_WRONLY);
    });
  }
  attempt("43 chmod below /usr", [] { return ::chmod("/usr/bin/env", 0755); });
  attempt("43 touch below /usr", [] { return ::utimensat(AT_FDCWD, "/usr/bin/env", nullptr, 0); });
  attempt("26 secret file", [] { return open_for(given("PROBE_SECRET"), O_RDONLY); });
  attempt("45 shared memory outside", [] { return ::access(given("PROBE_SHM"), F_OK); });
  attempt("45 System V memory outside", [] {
    return ::shmget(static_cast<key_t>(std::strtol(given("PROBE_KEY"), nullptr, 0)), 0, 0);
  });
  attempt("45 message queue outside", [] { return ::mq_open(given("PROBE_QUEUE"), O_RDONLY); });
  for (const char* device : {"/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/mem", "/dev/vda"}) {
    attempt(std::string("46 ") + device, [device] { return open_for(device, O_RDONLY); });
  }
  attempt("38 write /proc/sys", [] { return open_for("/proc/sys/kernel/core_pattern", O_WRONLY); });
  attempt("38 sysrq", [] { return open_for("/proc/sysrq-trigger", O_WRONLY); });
  attempt("66 cgroup files", [] { return open_for("/sys/fs/cgroup/cgroup.procs", O_WRONLY); });
  attempt("47 write the script", [] {
    const int fd = ::open("/proc/self/fd/100", O_WRONLY);
    return fd < 0 ? -1 : static_cast<long>(::write(fd, "x", 1));
  });
}

// Executes what lies in the descriptor; 0 where it ran.
long executed(int program) {
  const pid_t child = ::fork();
  if (child == 0) {
    char* argv[] = {const_cast<char*>("probe"), const_cast<char*>("over"), nullptr};
    ::fexecve(program, argv, environ);
    ::_exit(errno);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
  return errno == 0 ? 0 : -1;
}

bool copy_self(int to) {
  const int self = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat facts {};
  return ::fstat(self, &facts) == 0 &&
         ::sendfile(to, self, nullptr, static_cast<std::size_t>(facts.st_size)) == facts.st_size;
}

void programs() {
  attempt("32 execute from memory", [] {
    const int memory = ::memfd_create("m", 0);
    return copy_self(memory) ? executed(memory) : -1L;
  });
  attempt("32 execute a file in /tmp", [] {
    char name[] = "/tmp/probe-run-XXXXXX";
    const int file = ::mkstemp(name);
    const bool copied = copy_self(file) && ::fchmod(file, 0700) == 0;
    ::close(file);
    const int program = ::open(name, O_RDONLY | O_CLOEXEC);
    const long got = copied ? executed(program) : -1L;
    const int why = errno;
    (void)::unlink(name);
    errno = why;
    return got;
  });
  attempt("25 trace a child of its own", [] {
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
    }
    const long got = ::ptrace(PTRACE_SEIZE, child, 0, 0);
    const int why = errno;
    ::kill(child, SIGKILL);
    errno = why;
    return got;
  });
}

long connect_to_port(const char* port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  return fd < 0 ? -1 : ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address);
}

void machine() {
  attempt("51 TCP to the machine's loopback", [] { return connect_to_port(given("PROBE_PORT")); });
  attempt("113 file in home", [] { return open_for(given("PROBE_HOME"), O_RDONLY); });
  attempt("113 mark in home", [] {
    return open_for((std::string(given("PROBE_HOME")) + ".mark").c_str(), O_CREAT | O_WRONLY);
  });
  attempt("21 raw socket in namespaces of its own", [] {
    return ::unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0 ? -1L : ::socket(AF_INET, SOCK_RAW, 1);
  });
  attempt("29 kernel log", [] {
    char text[64];
    return ::syscall(SYS_syslog, 3, text, sizeof text);
  });
  attempt("29 real-time priority", [] {
    sched_param wanted{};
    wanted.sched_priority = 1;
    return ::sched_setscheduler(0, SCHED_FIFO, &wanted);
  });
  attempt("38 write /sys", [] { return open_for("/sys/kernel/uevent_helper", O_WRONLY); });
  std::ifstream in("/proc/" + std::string(given("PROBE_PID")) + "/comm");
  fact("25 process outside", in.good() ? "seen" : "unseen");
}

}  // namespace

int main(int argc, char** /*argv*/) {
  if (argc > 1) {
    return 0;
  }
  inherited();
  terminal();
  kernel();
  mounts();
  processes();
  surface();
  sockets();
  privileges();
  files();
  programs();
  machine();
  return 0;
}
