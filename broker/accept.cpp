#include "broker/accept.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>

#include "broker/broker.h"
#include "common/frame.h"
#include "common/io.h"
#include "common/log.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

constexpr Nanos kPause = std::chrono::milliseconds(250);
constexpr Nanos kBetweenRefusals = std::chrono::seconds(1);

std::string proc_path(std::uint32_t pid, const char* name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

std::string first_bytes(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> bytes{};
  const ssize_t got = fd ? ::read(fd.get(), bytes.data(), bytes.size()) : -1;
  return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

// The program's file name; what it calls itself where the kernel doesn't show more.
std::string program_of(std::uint32_t pid) {
  const std::string path = link_target(proc_path(pid, "exe"));
  std::string name = path.substr(path.rfind('/') + 1);
  if (name.empty()) {
    name = first_bytes(proc_path(pid, "comm"));
    name = name.substr(0, name.find('\n'));
  }
  return to_valid_utf8(name);
}

// Fields 2 and 4 of /proc/PID/stat: its name may hold anything.
struct Parentage {
  std::string name;
  std::uint32_t parent = 0;
};
Parentage parentage_of(std::uint32_t pid) {
  const std::string line = first_bytes(proc_path(pid, "stat"));
  const std::size_t open = line.find('(');
  const std::size_t close = line.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 4 >= line.size()) {
    return {};
  }
  return {line.substr(open + 1, close - open - 1),
          static_cast<std::uint32_t>(std::strtoul(line.c_str() + close + 4, nullptr, 10))};
}

// The nearest monitor that it descends from; 0: none. A tree of a monitor's stays below its first
// process, which bears the monitor's name.
std::uint32_t monitor_above(std::uint32_t pid) {
  constexpr int kDeepest = 64;
  for (int i = 0; pid > 1 && i < kDeepest; ++i) {
    const Parentage here = parentage_of(pid);
    if (here.name == "runbook-monitor") {
      return pid;
    }
    pid = here.parent;
  }
  return 0;
}

bool in_a_leaf(const std::string& process) {
  return first_bytes("/proc/" + process + "/cgroup").find(std::string(kExecutionsScope) + "/") !=
         std::string::npos;
}

// Best effort, as DESIGN §4 says: an execution has a pid namespace of its own, or, in the profile
// that has none, a control group of its own and a monitor above it. What we have above us ourselves
// doesn't count: this daemon may serve inside of another one's execution.
bool inside_execution(std::uint32_t pid) {
  static const std::string own = link_target("/proc/self/ns/pid");
  static const bool leaf = in_a_leaf("self");
  static const std::uint32_t monitor = monitor_above(static_cast<std::uint32_t>(::getpid()));
  const std::string theirs = link_target(proc_path(pid, "ns/pid"));
  const std::uint32_t above = monitor_above(pid);
  return (!theirs.empty() && theirs != own) || (!leaf && in_a_leaf(std::to_string(pid))) ||
         (above != 0 && above != monitor);
}

Actor actor_of(int socket, Role role) {
  Actor out;
  out.role = role;
  ucred peer{};
  socklen_t length = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) {
    out.uid = UINT32_MAX;
    return out;
  }
  out.uid = peer.uid;
  out.pid = static_cast<std::uint32_t>(peer.pid);
  out.program = program_of(out.pid);
  return out;
}

}  // namespace

Accept::Accept(Broker& broker)
    : broker_(broker),
      reserve_(::open("/dev/null", O_RDONLY | O_CLOEXEC)),
      resume_(broker.loop, [this] {
        reserve_.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        for (Listener& listener : listeners_) {
          if (listener.on) {
            listener.watch.resume();
          }
        }
      }) {}

void Accept::adopt(Role role, Fd fd) {
  Listener& listener = listeners_.at(static_cast<std::size_t>(role));
  (void)::fcntl(fd.get(), F_SETFL, O_RDWR | O_NONBLOCK);
  listener.fd = std::move(fd);
  listener.watch =
      Watch(broker_.loop, listener.fd.get(), Watch::For::Reading, [this, role] { take(role); });
  listener.watch.pause();
}

void Accept::serve(Role role, bool on) {
  Listener& listener = listeners_.at(static_cast<std::size_t>(role));
  listener.on = on;
  if (!listener.watch.active()) {
    return;
  }
  if (on) {
    listener.watch.resume();
  } else {
    listener.watch.pause();
  }
}

// Descriptors are used up: wait instead of spinning. The reserve lets one waiting client hear a
// plain end of file rather than nothing.
void Accept::pause() {
  log::warn("out of descriptors: accepting pauses");
  reserve_.reset();
  for (Listener& listener : listeners_) {
    const Fd refused(::accept4(listener.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    listener.watch.pause();
  }
  resume_.arm(kPause);
}

bool Accept::admit(const Actor& actor, std::string& why) const {
  const std::size_t agents = broker_.fronts.connections(Role::Agent);
  const std::size_t all = agents + broker_.fronts.connections(Role::Operator);
  const std::size_t most = actor.role == Role::Operator
                               ? limits::kConnections
                               : limits::kConnections - limits::kConnectionsForOperators;
  if (actor.uid != ::geteuid()) {
    why = "uid " + std::to_string(actor.uid) + " isn't ours";
  } else if (inside_execution(actor.pid)) {
    why = "it comes from inside an execution";
  } else if (all >= most) {
    why = "too many connections";
  }
  return why.empty();
}

void Accept::take(Role role) {
  Fd socket(::accept4(listeners_.at(static_cast<std::size_t>(role)).fd.get(), nullptr, nullptr,
                      SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      pause();
    }
    return;
  }
  Connection connection;
  connection.actor = actor_of(socket.get(), role);
  if (std::string why; !admit(connection.actor, why)) {
    if (boot_now() - refusal_said_ > kBetweenRefusals) {  // whoever asks again and again
      refusal_said_ = boot_now();
      log::warn("connection of pid " + std::to_string(connection.actor.pid) + " refused: " + why);
    }
    return;
  }
  connection.actor.connection = ++last_connection_;
  connection.key = seal::random_key();
  const Bytes greeting = wire::build<front::Greeting>([&](auto root) {
    root.setVersion(limits::kProtocolVersion);
    root.setBrokerStart(wire::data(broker_.start_id));
    root.setConnection(connection.actor.connection);
    root.setMacKey(wire::data(connection.key));
    root.setPublicKey(wire::data(broker_.box.open));
    root.setPid(static_cast<std::uint32_t>(::getpid()));
  });
  if (send_frame(socket.get(), greeting, {})) {
    broker_.fronts.accepted(connection, std::move(socket));
  }
}

}  // namespace rb::brk
