// confined_attempts LAYER ACT PID — confines itself as a process of ours does, then attempts one
// forbidden act and says over its link what came of it: "ok" or an errno. Killed, it says nothing.
// LAYER: none; namespaces; landlock (the same and Landlock, no filter); front; loader; reader;
// view. A packet with one descriptor, a folder, comes first. PID: a process outside, ours to
// attack.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "common/confine.h"
#include "common/fd.h"
#include "common/packet.h"

namespace {

using rb::confine::Role;

int folder = -1;  // came by the link
pid_t outside = -1;
char* const kNoWords[] = {const_cast<char*>("x"), nullptr};

// -1 and errno, or something else: as a call says it.
using Act = std::function<long()>;

long connect_unix(const char* path, bool abstract) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) {
    return -1;
  }
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::strncpy(to.sun_path + (abstract ? 1 : 0), path, sizeof to.sun_path - 2);
  return ::connect(fd, reinterpret_cast<sockaddr*>(&to),
                   static_cast<socklen_t>(sizeof(sa_family_t) + 1 + std::strlen(path)));
}

long connect_tcp() {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) {
    return -1;
  }
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(22);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to);
}

long exec_memory() {
  const int fd = ::memfd_create("x", 0);
  constexpr std::string_view kScript = "#!/bin/sh\n";
  if (fd < 0 || ::write(fd, kScript.data(), kScript.size()) < 0) {
    return -1;
  }
  return ::syscall(SYS_execveat, fd, "", kNoWords, environ, AT_EMPTY_PATH);
}

long open2(int at, const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.mode = (flags & O_CREAT) != 0 ? 0600 : 0;
  return ::syscall(SYS_openat2, at, path, &how, sizeof how);
}

long fork_child() {
  const long child = ::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) {
    _exit(0);
  }
  return child;
}

long map_code() {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? -1 : 0;
}

long make_code() {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? -1 : ::mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

long limit_outside() {
  const rlimit none{0, 0};
  return ::prlimit(outside, RLIMIT_NOFILE, &none, nullptr);
}

long pin_outside() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  return ::sched_setaffinity(outside, sizeof one, &one);
}

long read_outside() {
  char byte = 0;
  iovec here{&byte, 1};
  iovec there{&byte, 1};
  return ::process_vm_readv(outside, &here, 1, &there, 1, 0);
}

#if defined(__x86_64__)
// A call as a 32-bit program makes it: getpid (20), of the other table.
long call_32() {
  long result = 20;
  asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  return result;
}
#endif

using Acts = std::map<std::string, Act>;

// Running something.
Acts running_acts() {
  return {
      {"exec", [] { return ::execv("/bin/true", kNoWords); }},
      {"exec-memory", exec_memory},
      {"fork", fork_child},
      {"clone3", [] { return ::syscall(SYS_clone3, nullptr, 0); }},
      {"vfork",
       [] {
         return ::syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) == 0 ? (_exit(0), 0L) : 0L;
       }},
      {"map-code", map_code},
      {"make-code", make_code},
  };
}

// Files.
Acts files_acts() {
  return {
      {"open", [] { return ::open("/etc/passwd", O_RDONLY); }},
      {"open-create", [] { return ::open("/new", O_WRONLY | O_CREAT, 0600); }},
      {"open-proc", [] { return ::open("/proc/self/mem", O_RDONLY); }},
      {"open2", [] { return open2(AT_FDCWD, "/etc/passwd", O_RDONLY); }},
      {"beneath", [] { return ::openat(folder, "inside", O_RDONLY); }},
      {"beneath2", [] { return open2(folder, "inside", O_RDONLY); }},
      {"beneath2-write", [] { return open2(folder, "inside", O_WRONLY); }},
      {"beneath2-truncate", [] { return open2(folder, "inside", O_RDONLY | O_TRUNC); }},
      {"beneath2-create", [] { return open2(folder, "new", O_WRONLY | O_CREAT); }},
      {"above2", [] { return open2(folder, "../outside", O_RDONLY); }},
      {"above2-link", [] { return open2(folder, "link-out", O_RDONLY); }},
      {"above2-list", [] { return open2(folder, "..", O_RDONLY | O_DIRECTORY); }},
      {"list",
       [] {
         std::array<char, 4096> out{};
         return ::syscall(SYS_getdents64, folder, out.data(), out.size());
       }},
      {"stat-above",
       [] {
         struct stat out {};
         return ::fstatat(folder, "../outside", &out, 0);
       }},
      {"chdir", [] { return ::fchdir(folder); }},
      {"chmod", [] { return ::fchmod(folder, 0777); }},
      {"unlink", [] { return ::unlinkat(folder, "inside", 0); }},
      {"rename", [] { return ::renameat(folder, "inside", folder, "elsewhere"); }},
      {"link", [] { return ::symlinkat("x", folder, "made"); }},
      {"mknod", [] { return ::mknodat(folder, "fifo", S_IFIFO | 0600, 0); }},
      {"xattr", [] { return ::syscall(SYS_fsetxattr, folder, "user.x", "y", 1, 0); }},
      {"handle", [] { return ::syscall(SYS_open_by_handle_at, folder, nullptr, 0); }},
  };
}

// Sockets.
Acts sockets_acts() {
  return {
      {"socket", [] { return ::socket(AF_INET, SOCK_STREAM, 0); }},
      {"socketpair",
       [] {
         std::array<int, 2> ends{};
         return ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data());
       }},
      {"connect-tcp", connect_tcp},
      {"connect-unix", [] { return connect_unix("/run/dbus/system_bus_socket", false); }},
      {"connect-abstract", [] { return connect_unix("/tmp/.X11-unix/X0", true); }},
      {"bind", [] { return ::bind(3, nullptr, 0); }},
      {"accept", [] { return ::accept(3, nullptr, nullptr); }},
  };
}

// Other processes.
Acts others_acts() {
  return {
      {"kill", [] { return ::kill(outside, SIGTERM); }},
      {"kill-all", [] { return ::kill(-1, 0); }},
      {"trace", [] { return ::ptrace(PTRACE_SEIZE, outside, nullptr, nullptr); }},
      {"limit", limit_outside},
      {"pin", pin_outside},
      {"renice", [] { return ::setpriority(PRIO_PROCESS, static_cast<id_t>(outside), 19); }},
      {"read-memory", read_outside},
      {"pidfd", [] { return ::syscall(SYS_pidfd_open, outside, 0); }},
      {"pidfd-getfd", [] { return ::syscall(SYS_pidfd_getfd, 3, 0, 0); }},
      {"kcmp", [] { return ::syscall(SYS_kcmp, outside, outside, 0, 0, 0); }},
      {"own", [] { return ::fcntl(3, F_SETOWN, 1); }},
  };
}

// Rights.
Acts rights_acts() {
  return {
      {"mount", [] { return ::mount("x", "/", "tmpfs", 0, nullptr); }},
      {"fsopen", [] { return ::syscall(SYS_fsopen, "tmpfs", 0); }},
      {"unshare", [] { return ::unshare(CLONE_NEWUSER); }},
      {"setns", [] { return ::setns(folder, 0); }},
      {"chroot", [] { return ::chroot("/"); }},
      {"setuid", [] { return ::syscall(SYS_setuid, 12345); }},
      {"dumpable", [] { return ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }},
      {"orphan", [] { return ::prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0); }},
      {"hostname", [] { return ::sethostname("x", 1); }},
  };
}

// The kernel's far corners.
Acts corners_acts() {
  return {
    {"io_uring", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }},
        {"bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }},
        {"perf", [] { return ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0); }},
        {"userfaultfd", [] { return ::syscall(SYS_userfaultfd, 0); }},
        {"keyring", [] { return ::syscall(SYS_keyctl, 0, -3, 0); }},
        {"personality", [] { return ::syscall(SYS_personality, 0x0040000); }},
        {"type-into-terminal", [] { return ::ioctl(2, TIOCSTI, "x"); }},
        {"unknown-call", [] { return ::syscall(599); }},
#if defined(__x86_64__)
        {"call-32", call_32}, {"call-x32", [] { return ::syscall(0x40000000 | SYS_getpid); }},
#endif
  };
}

// What is allowed: the positive control of every layer.
Acts control_acts() {
  return {
      {"control", [] { return static_cast<long>(::getpid()); }},
  };
}

const Acts& acts() {
  static const Acts kActs = [] {
    Acts all;
    for (Acts group : {running_acts(), files_acts(), sockets_acts(), others_acts(), rights_acts(),
                       corners_acts(), control_acts()}) {
      all.merge(group);
    }
    return all;
  }();
  return kActs;
}

std::optional<Role> role_of(const std::string& layer) {
  const std::map<std::string, Role> roles = {{"namespaces", Role::Front}, {"landlock", Role::Front},
                                             {"front", Role::Front},      {"loader", Role::Loader},
                                             {"reader", Role::Reader},    {"view", Role::View}};
  const auto found = roles.find(layer);
  return found == roles.end() ? std::nullopt : std::optional(found->second);
}

rb::Status narrow_to(const std::string& layer, Role role) {
  if (layer == "namespaces") {
    return rb::done();
  }
  if (layer == "landlock") {
    return rb::confine::restrict_files(-1);
  }
  if (rb::Status first = rb::confine::narrow(role); !first || role == Role::Front) {
    return first;
  }
  return rb::confine::narrow_again(role, role == Role::Loader ? folder : -1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--list") {
    for (const auto& [name, act] : acts()) {
      (void)!::write(1, (name + "\n").data(), name.size() + 1);
    }
    return 0;
  }
  if (argc != 4 || !acts().contains(argv[2])) {
    return 125;
  }
  const std::string layer = argv[1];
  outside = static_cast<pid_t>(std::atoi(argv[3]));
  const std::optional<Role> role = role_of(layer);
  if (role) {
    if (const rb::Status inside = rb::confine::into_namespaces(*role); !inside) {
      return rb::confine::kCannotConfine;
    }
  }
  rb::Result<rb::Packet> packet = rb::receive_packet(3);
  if (!packet || packet->fds.size() != 1) {
    return 124;
  }
  folder = packet->fds.front().get();
  if (role) {
    if (const rb::Status narrowed = narrow_to(layer, *role); !narrowed) {
      return rb::confine::kCannotConfine;
    }
  }
  errno = 0;
  const long result = acts().at(argv[2])();
  const std::string said = result < 0 ? std::to_string(errno) : "ok";
  (void)rb::send_packet(3, rb::as_bytes(said), {});
  _exit(0);
}
