// What a script can and can't do, tried by probe_inside under a real monitor. Each expectation is
// named for its threat; where host must show the opposite, that is the positive control.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pwd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "broker/monitor/jail.h"
#include "tests/support/monitor_driver.h"

extern char** environ;

namespace rb::testing {
namespace {

namespace fs = std::filesystem;
using Answers = std::map<std::string, std::string>;

// What lies outside, to be looked for from inside.
class Outside {
 public:
  Outside() {
    abstract_ = "@rb-probe-" + std::to_string(::getpid());
    listen_on(abstract_);
    const std::string home = ::getpwuid(::geteuid())->pw_dir;
    std::string name = home + "/rbprobe-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
    listen_on(folder_ + "/socket");
    write_file(folder_ + "/secret", "outside-secret");
    shm_ = "/rb-probe-" + std::to_string(::getpid());
    ::close(::shm_open(shm_.c_str(), O_CREAT | O_RDWR, 0600));
    key_ = 0x52420000 + (::getpid() & 0xffff);
    segment_ = ::shmget(key_, 4096, IPC_CREAT | 0600);
    queue_ = ::mq_open(shm_.c_str(), O_CREAT | O_RDONLY, 0600, nullptr);
    for (int i = 0; i < 100; ++i) {  // threat 4: left open for whoever is started
      leaked_.emplace_back(::open((folder_ + "/secret").c_str(), O_RDONLY));
    }
    ::setenv("RB_OUTSIDE", "outside-secret", 1);
    ::setenv("NOTIFY_SOCKET", "/run/notify", 1);
    char* argv[] = {const_cast<char*>("sleep"), const_cast<char*>("60"), nullptr};
    REQUIRE(::posix_spawn(&holder_, "/bin/sleep", nullptr, nullptr, argv, environ) == 0);
  }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  Outside(Outside&&) = delete;
  Outside& operator=(Outside&&) = delete;
  ~Outside() {
    ::kill(holder_, SIGKILL);
    ::waitpid(holder_, nullptr, 0);
    ::unsetenv("RB_OUTSIDE");
    ::unsetenv("NOTIFY_SOCKET");
    ::shm_unlink(shm_.c_str());
    ::shmctl(segment_, IPC_RMID, nullptr);
    ::mq_close(queue_);
    ::mq_unlink(shm_.c_str());
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::vector<std::string> variables() const {
    return {"PATH=/usr/bin:/bin",
            "PROBE_ABSTRACT=" + abstract_,
            "PROBE_SOCKET=" + folder_ + "/socket",
            "PROBE_SECRET=" + folder_ + "/secret",
            "PROBE_SHM=/dev/shm" + shm_,
            "PROBE_KEY=" + std::to_string(key_),
            "PROBE_QUEUE=" + shm_,
            "PROBE_PID=" + std::to_string(::getpid())};
  }

 private:
  void listen_on(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (path[0] == '@') {
      address.sun_path[0] = '\0';
    }
    sockets_.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    REQUIRE(::bind(sockets_.back().get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
    REQUIRE(::listen(sockets_.back().get(), 8) == 0);
  }

  std::string abstract_;
  std::string folder_;
  std::string shm_;
  key_t key_ = 0;
  int segment_ = -1;
  mqd_t queue_ = -1;
  pid_t holder_ = -1;  // has the secret in its environment
  std::vector<Fd> sockets_;
  std::vector<Fd> leaked_;
};

Answers tried(const std::string& profile) {
  const Outside outside;
  Execution execution(MONITOR);
  fs::copy_file(PROBE, execution.work() + "/probe");
  fs::permissions(execution.work() + "/probe", fs::perms::owner_all);
  Order order;
  order.profile = profile;
  order.script = "exec ./probe";
  order.environment = outside.variables();
  const Message end = execution.run(order);
  CHECK(end.exit == 0);
  Answers out;
  std::istringstream lines(execution.output());
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    if (tab != std::string::npos) {
      out[line.substr(0, tab)] = line.substr(tab + 1);
    }
  }
  return out;
}

const Answers& answers(const std::string& profile) {
  static std::map<std::string, Answers> cached;
  auto found = cached.find(profile);
  if (found == cached.end()) {
    found = cached.emplace(profile, tried(profile)).first;
  }
  return found->second;
}

void expect(const Answers& wanted) {
  for (const char* profile : {"workspace", "inspect"}) {
    const Answers& got = answers(profile);
    for (const auto& entry : wanted) {  // no structured binding: clang can't capture one
      const auto& name = entry.first;
      const auto& answer = entry.second;
      CAPTURE(profile);
      CAPTURE(name);
      const auto at = got.find(name);
      REQUIRE(at != got.end());
      CHECK(at->second == answer);
    }
  }
}

// The positive control: the same program, unsandboxed, isn't refused for another reason.
void expect_in_host(const Answers& wanted) {
  for (const auto& entry : wanted) {  // no structured binding: clang can't capture one
    const auto& name = entry.first;
    const auto& answer = entry.second;
    CAPTURE(name);
    CHECK(answers("host").at(name) == answer);
  }
}

bool root() {
  return ::geteuid() == 0;
}

}  // namespace

TEST_CASE("escape 1-3: no terminal is there, and none can be typed into") {
  expect({{"1 controlling terminal", "ENXIO"},
          {"1 TIOCSTI", "EPERM"},
          {"2 TIOCSTI high bits", "EPERM"},
          {"3 TIOCLINUX", "EPERM"},
          {"3 TIOCLINUX high bits", "EPERM"}});
  expect_in_host({{"1 TIOCSTI", "ENOTTY"}, {"3 TIOCLINUX", "ENOTTY"}});
}

TEST_CASE("escape 4, 5, 8, 9: descriptors, folder and signals are the script's own") {
  expect({{"4 descriptors", "=0 1 2 100"},
          {"5 folder is reachable", "=yes"},
          {"8 ignored signals", "=0000000000000000"},
          {"9 blocked signals", "=0000000000000000"},
          {"73 core limit", "=0"}});
  expect_in_host({{"4 descriptors", "=0 1 2 100"}, {"8 ignored signals", "=0000000000000000"}});
}

TEST_CASE("escape 11: limits can't be raised from inside") {
  expect({{"11 raise a hard limit", "EPERM"}});
  if (!root()) {
    expect({{"11 lower oom_score_adj", "EACCES"}});
  }
}

TEST_CASE("escape 12, 13: nothing of other environments is to be read") {
  expect({{"12 secret in any environment", "=no"}, {"13 service variables", "=no"}});
  expect_in_host({{"12 secret in any environment", "=yes"}});
}

TEST_CASE("escape 16-19: entries that pass by filters are closed") {
  expect({{"16 io_uring_setup", "ENOSYS"},
          {"17 32-bit call", "killed SYS"},
          {"18 x32 call", "killed SYS"},
          {"19 clone3 new user", "ENOSYS"},
          {"19 clone new user", "EPERM"}});
  expect_in_host({{"19 clone3 new user", "possible"}, {"19 clone new user", "possible"}});
}

TEST_CASE("escape 20, 21: namespaces and mounts, by every call") {
  Answers wanted;
  for (const char* call : {"mount", "umount2", "open_tree", "fsopen", "move_mount", "mount_setattr",
                           "pivot_root", "chroot", "setns"}) {
    wanted[std::string("20 ") + call] = "EPERM";
  }
  wanted["20 open_tree_attr"] = "ENOSYS";
  wanted["21 unshare user"] = "EPERM";
  expect(wanted);
  expect_in_host({{"21 unshare user", "possible"}});
}

TEST_CASE("escape 22, 23: only the socket families that are listed") {
  const bool scoped = mon::landlock_abi() >= 6;
  for (const char* profile : {"workspace", "inspect"}) {
    for (int family = 0; family <= 45; ++family) {
      CAPTURE(family);
      const std::string& answer = answers(profile).at("22 socket family " + std::to_string(family));
      const bool listed = (family == 1 && scoped) || family == 2 || family == 10 || family == 16;
      CHECK((answer == "EAFNOSUPPORT") == !listed);
    }
  }
  expect({{"23 vsock", "EAFNOSUPPORT"}, {"22 socketpair", "possible"}});
}

TEST_CASE("escape 24: no keyring is reachable") {
  expect({{"24 keyctl", "EPERM"}, {"24 add_key", "EPERM"}, {"24 request_key", "EPERM"}});
}

TEST_CASE("escape 25, 37: PID 1 can't be traced, read or opened, and nobody outside is seen") {
  expect({{"25 ptrace PID 1", "EPERM"},
          {"25 read memory of PID 1", "EPERM"},
          {"25 pidfd_getfd of PID 1", "EPERM"},
          {"25 environ of PID 1", "EACCES"},
          {"25 descriptors of PID 1", "EACCES"},
          {"37 exe of PID 1", "EACCES"},
          {"37 exe of PID 1 for writing", "EACCES"},
          {"37 root of PID 1", "EACCES"},
          {"25 signal a process outside", "ESRCH"}});
  expect_in_host({{"25 signal a process outside", "possible"}});
}

TEST_CASE("escape 26, 45, 50: sockets, files and memory of the machine aren't there") {
  const bool scoped = mon::landlock_abi() >= 6;  // else no such socket can be made
  expect({{"26 socket file outside", scoped ? "ENOENT" : "EAFNOSUPPORT"},
          {"26 secret file", "ENOENT"},
          {"45 shared memory outside", "ENOENT"},
          {"45 System V memory outside", "ENOENT"},
          {"45 message queue outside", "ENOENT"}});
  expect({{"50 abstract socket outside", scoped ? "EPERM" : "EAFNOSUPPORT"}});
  expect_in_host({{"26 socket file outside", "possible"},
                  {"26 secret file", "possible"},
                  {"45 shared memory outside", "possible"},
                  {"45 System V memory outside", "possible"},
                  {"45 message queue outside", "possible"},
                  {"50 abstract socket outside", "possible"}});
}

TEST_CASE("escape 27, 28, 40: no privilege is kept, gained or left behind") {
  expect({{"27 no_new_privs", "=1"},
          {"27 capabilities", "=000000000000000000000000000000000000000000000000"},
          {"40 /usr", "=nosuid ro nodev"},
          {"28 chmod set-user-id", "EPERM"},
          {"28 fchmod set-group-id", "EPERM"},
          {"28 fchmodat", "EPERM"},
          {"28 fchmodat2", "ENOSYS"},
          {"28 open", "EPERM"},
          {"28 openat2", "ENOSYS"},
          {"28 mknod", "EPERM"},
          {"28 a plain mode", "possible"}});
  expect_in_host({{"27 no_new_privs", "=0"}, {"28 chmod set-user-id", "possible"}});
}

TEST_CASE("escape 29, 30, 32: the rest of the kernel's surface") {
  for (const char* profile : {"workspace", "inspect"}) {
    for (const auto& entry : answers(profile)) {
      const auto& name = entry.first;
      const auto& answer = entry.second;
      if (name.substr(0, 3) == "29 ") {
        CAPTURE(name);
        CHECK(answer == "EPERM");  // never EINVAL or EFAULT: that would have reached the kernel
      }
    }
  }
  expect({{"30 read implies exec", "EPERM"},
          {"30 no randomisation", "EPERM"},
          {"30 ask personality", "possible"},
          {"32 memory file", "possible"}});
}

TEST_CASE("escape 38, 43, 46, 47, 66: files of the system, devices and the script itself") {
  for (const char* profile : {"workspace", "inspect"}) {
    for (const char* place : {"/", "/usr", "/etc", "/opt", "/run", "/var", "/dev"}) {
      CAPTURE(place);  // which of the two comes first is the kernel's
      const std::string& answer = answers(profile).at(std::string("43 write in ") + place);
      CHECK((answer == "EROFS" || answer == "EACCES"));
    }
  }
  expect({{"43 chmod below /usr", "EROFS"},
          {"43 touch below /usr", "EROFS"},
          {"46 make a device", "EPERM"},
          {"46 /dev/kvm", "ENOENT"},
          {"46 /dev/fuse", "ENOENT"},
          {"46 /dev/net/tun", "ENOENT"},
          {"46 /dev/mem", "ENOENT"},
          {"46 /dev/vda", "ENOENT"},
          {"66 cgroup files", "ENOENT"},
          {"47 write the script", "EPERM"}});
  expect({{"38 write /proc/sys", root() ? "EROFS" : "EACCES"}});
  if (fs::exists("/proc/sysrq-trigger")) {
    expect({{"38 sysrq", root() ? "EROFS" : "EACCES"}});
  }
}

}  // namespace rb::testing
