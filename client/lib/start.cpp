#include "client/lib/start.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <vector>

#include "client/lib/escape.h"
#include "client/lib/paths.h"

namespace rb::client {
namespace {

constexpr int kReadyAt = 3;  // the ready descriptor's number in the broker
constexpr int kTries = 3;
constexpr Nanos kLookAgain = std::chrono::milliseconds(1500);

// What the detached process needs, made before the fork: after it only async-signal-safe calls.
struct Launch {
  std::string program;
  std::vector<std::string> words;
  std::vector<char*> argv;
};

Launch launch_words() {
  Launch out;
  const std::string folder = program_folder();
  out.program = folder + "/runbook-broker";
  out.words = {"runbook-broker",         "--libexec", folder,      "--ready-fd",
               std::to_string(kReadyAt), "--log",     broker_log()};
  return out;
}

[[noreturn]] void exec_broker(const Launch& launch, int ready) {
  ::setsid();
  if (::chdir("/") < 0) {
    ::_exit(127);
  }
  ::umask(077);
  const int null = ::open("/dev/null", O_RDWR);
  for (int number = 0; number < 3; ++number) {
    ::dup2(null, number);
  }
  ::dup2(ready, kReadyAt);  // clears close-on-exec unless it is there already
  ::fcntl(kReadyAt, F_SETFD, 0);
  ::close_range(kReadyAt + 1, ~0U, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) {
    ::signal(number, SIG_DFL);
  }
  ::execv(launch.program.c_str(), launch.argv.data());
  ::_exit(127);
}

Status check_peer(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) {
    return errno_error("who listens");
  }
  if (peer.uid != ::geteuid()) {
    return error(Code::Refused, "the socket is served by another user");
  }
  return done();
}

Millis left_until(Nanos deadline) {
  return std::max(Millis(0), std::chrono::duration_cast<Millis>(deadline - boot_now()));
}

// True when the broker we started says that it serves; false when it left.
bool wait_ready(int fd, Nanos deadline) {
  pollfd waiting{fd, POLLIN, 0};
  for (;;) {
    const int ready = ::poll(&waiting, 1, static_cast<int>(left_until(deadline).count()));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    char byte = 0;
    return ready > 0 && ::read(fd, &byte, 1) == 1;
  }
}

bool nobody_listens(const Result<Fd>& connected) {
  return !connected && connected.failure().code == Code::NotFound;
}

bool pause_briefly() {
  const timespec pause{0, 20'000'000};
  ::nanosleep(&pause, nullptr);
  return true;
}

}  // namespace

std::string broker_log() {
  return state_folder() + "/broker.log";
}

// What its last start complained of: of the log's end the last error that is a cause. "" for none,
// and for a log that nobody wrote to since.
std::string last_error(const std::string& path, std::int64_t since_ms) {
  constexpr off_t kTail = 8192;
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) < 0 || !S_ISREG(facts.st_mode) ||
      facts.st_mtim.tv_sec < since_ms / 1000) {
    return "";
  }
  std::string tail(kTail, '\0');
  const ssize_t got =
      ::pread(file.get(), tail.data(), tail.size(), std::max<off_t>(0, facts.st_size - kTail));
  tail.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  std::string out;
  constexpr std::string_view kError = " error: ";
  for (std::size_t at = 0; at < tail.size();) {
    const std::size_t end = std::min(tail.find('\n', at), tail.size());
    const std::string line = tail.substr(at, end - at);
    const std::size_t said = line.find(kError);
    const bool cause = said != std::string::npos && line.find("see the log") == std::string::npos &&
                       line.find("the parent is gone") == std::string::npos;
    if (cause) {
      out = line.substr(said + kError.size());
    }
    at = end + 1;
  }
  return label(out);
}

Result<Fd> connect_to(const std::string& socket_path) {
  const std::string folder = socket_path.substr(0, socket_path.rfind('/'));
  if (Status ours = check_private(folder); !ours) {
    return ours.failure();
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) {
    return error(Code::TooLarge,
                 socket_path + " is too long for a socket: shorten XDG_RUNTIME_DIR");
  }
  std::memcpy(address.sun_path, socket_path.c_str(), socket_path.size());
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) {
    return errno_error("socket");
  }
  int failed = -1;
  do {
    failed = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } while (failed < 0 && errno == EINTR);
  if (failed < 0) {
    Error failure = errno_error("connect to " + socket_path);
    if (failure.errnum == ENOENT || failure.errnum == ECONNREFUSED) {
      failure.code = Code::NotFound;
    }
    return failure;
  }
  if (Status peer = check_peer(fd.get()); !peer) {
    return peer.failure();
  }
  return fd;
}

Result<Fd> spawn_broker() {
  if (Status folder = ensure_folder(state_folder()); !folder) {
    return folder.failure();
  }
  Launch launch = launch_words();
  if (::access(launch.program.c_str(), F_OK) < 0) {
    return errno_error(launch.program);
  }
  for (std::string& word : launch.words) {
    launch.argv.push_back(word.data());
  }
  launch.argv.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) {
    return errno_error("pipe");
  }
  Fd ready(ends[0]);
  const Fd theirs(ends[1]);
  // Twice, so that the broker's parent is init from the start and never this client.
  const pid_t between = ::fork();
  if (between == 0) {
    const pid_t broker = ::fork();
    if (broker == 0) {
      exec_broker(launch, theirs.get());
    }
    ::_exit(broker < 0 ? 1 : 0);
  }
  if (between < 0) {
    return errno_error("fork");
  }
  int status = 0;
  while (::waitpid(between, &status, 0) < 0 && errno == EINTR) {
  }
  return ready;
}

Result<Fd> connect_or_start(const std::string& socket_path, Millis within) {
  const Nanos deadline = boot_now() + within;
  const std::int64_t began_ms = wall_now_ms();
  Result<Fd> connected = connect_to(socket_path);
  for (int tries = 0; tries < kTries && nobody_listens(connected); ++tries) {
    const Result<Fd> ready = spawn_broker();
    if (!ready) {
      return rb::within("start the daemon", ready.failure());
    }
    // A broker that leaves without a word lost to another one, or can't start: look for a while.
    const bool serves = wait_ready(ready->get(), deadline);
    const Nanos look = std::min(deadline, boot_now() + kLookAgain);
    do {
      connected = connect_to(socket_path);
    } while (nobody_listens(connected) && !serves && boot_now() < look && pause_briefly());
  }
  if (nobody_listens(connected)) {
    const std::string why = last_error(broker_log(), began_ms);
    return error(Code::Closed, "the daemon doesn't start" + (why.empty() ? "" : ": " + why) +
                                   "; its log is " + tilde(broker_log()));
  }
  return connected;
}

}  // namespace rb::client
