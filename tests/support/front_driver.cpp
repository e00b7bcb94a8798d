#include "tests/support/front_driver.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "common/frame.h"
#include "common/stream.h"

namespace rb::testing {
namespace {

using Clock = std::chrono::steady_clock;

bool readable(int fd, Clock::time_point until) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
  pollfd look{fd, POLLIN, 0};
  return ::poll(&look, 1, left > 0 ? static_cast<int>(left) : 0) > 0;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::uint32_t get32(const std::uint8_t* from) {
  std::uint32_t value = 0;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace

std::string built(const std::string& name) {
  const char* folder = std::getenv("RUNBOOKD_BUILD");
  return std::string(folder != nullptr ? folder : RUNBOOKD_BUILD_FOLDER) + "/bin/" + name;
}

bool Client::send(ByteView message, const std::vector<int>& fds) const {
  return send_frame(socket_.get(), message, fds).ok();
}

bool Client::send_raw(ByteView bytes) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Client::hello(const std::string& name, std::uint32_t version) const {
  return send(wire::build<front::ClientMessage>([&](auto root) {
    auto hello = root.initHello();
    hello.setVersion(version);
    hello.setName(wire::text(name));
  }));
}

std::optional<Client::Received> Client::receive(std::chrono::milliseconds within) {
  const auto until = Clock::now() + within;
  for (;;) {
    if (buffer_.size() >= 8 && buffer_.size() >= 8 + get32(buffer_.data())) {
      const std::size_t length = get32(buffer_.data());
      const std::size_t count = get32(buffer_.data() + 4);
      Received out;
      out.message.assign(buffer_.begin() + 8,
                         buffer_.begin() + 8 + static_cast<std::ptrdiff_t>(length));
      buffer_.erase(buffer_.begin(), buffer_.begin() + 8 + static_cast<std::ptrdiff_t>(length));
      for (std::size_t i = 0; i < count && !fds_.empty(); ++i) {
        out.fds.push_back(std::move(fds_.front()));
        fds_.erase(fds_.begin());
      }
      return out;
    }
    if (!readable(socket_.get(), until)) {
      return std::nullopt;
    }
    Bytes piece(256 * 1024);
    iovec part{piece.data(), piece.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * 16)> control{};
    msghdr in{};
    in.msg_iov = &part;
    in.msg_iovlen = 1;
    in.msg_control = control.data();
    in.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket_.get(), &in, MSG_CMSG_CLOEXEC);
    if (got <= 0) {
      return std::nullopt;
    }
    for (cmsghdr* c = CMSG_FIRSTHDR(&in); c != nullptr; c = CMSG_NXTHDR(&in, c)) {
      const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(c) + i * sizeof(int), sizeof number);
        fds_.emplace_back(number);
      }
    }
    buffer_.insert(buffer_.end(), piece.begin(), piece.begin() + got);
  }
}

bool Client::ends(std::chrono::milliseconds within) {
  const auto until = Clock::now() + within;
  Bytes piece(64 * 1024);
  while (readable(socket_.get(), until)) {
    const ssize_t got = ::recv(socket_.get(), piece.data(), piece.size(), 0);
    if (got <= 0) {
      return true;
    }
  }
  return false;
}

Child start_child(std::vector<std::string> words) {
  auto pair = packet_pair(false);
  if (!pair) {
    throw std::runtime_error("socketpair");
  }
  auto theirs = pair->second.duplicate(10);  // dup2 of 3 onto itself would leave it close-on-exec
  if (!theirs) {
    throw std::runtime_error("dup");
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, theirs->get(), 3);
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  Child child;
  const int failed =
      ::posix_spawnp(&child.pid, pointers[0], &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw std::runtime_error("spawn " + words[0]);
  }
  child.link = std::move(pair->first);
  return child;
}

FrontDriver::FrontDriver(const std::string& role, std::vector<std::string> before) {
  before.insert(before.end(), {built("runbookd"), "--role", role});
  Child child = start_child(std::move(before));
  outer_ = child.pid;
  link_ = std::move(child.link);
}

FrontDriver::~FrontDriver() {
  if (!status_) {
    ::kill(outer_, SIGKILL);
    ::waitpid(outer_, nullptr, 0);
  }
}

pid_t FrontDriver::inner() const {
  return child_of(outer_);
}

pid_t child_of(pid_t pid) {
  const std::string name = std::to_string(pid);
  const std::string text = read_text("/proc/" + name + "/task/" + name + "/children");
  return text.empty() ? 0 : static_cast<pid_t>(std::stol(text));
}

Client FrontDriver::connect() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0) {
    throw std::runtime_error("socketpair");
  }
  const Fd theirs(ends[1]);
  send(wire::build<broker::ToFront>([&](auto root) {
         auto accepted = root.initAccepted();
         accepted.setConnection(++connections_);
       }),
       {theirs.get()});
  return Client(Fd(ends[0]));
}

void FrontDriver::send(ByteView message, const std::vector<int>& fds) const {
  (void)send_packet(link_.get(), message, fds);
}

std::optional<Packet> FrontDriver::receive(std::chrono::milliseconds within) const {
  if (!readable(link_.get(), Clock::now() + within)) {
    return std::nullopt;
  }
  auto packet = receive_packet(link_.get());
  return packet ? std::optional(std::move(*packet)) : std::nullopt;
}

std::optional<int> FrontDriver::wait_exit(std::chrono::milliseconds within) {
  const auto until = Clock::now() + within;
  while (!status_) {
    int status = 0;
    if (::waitpid(outer_, &status, WNOHANG) == outer_) {
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    } else if (Clock::now() > until) {
      return std::nullopt;
    } else {
      std::this_thread::sleep_for(2ms);
    }
  }
  return status_;
}

bool FrontDriver::alive() {
  return !wait_exit(0ms).has_value();
}

std::string status_field(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name + ":", 0) == 0) {
      const std::size_t start = line.find_first_not_of(" \t", name.size() + 1);
      return start == std::string::npos ? "" : line.substr(start);
    }
  }
  return "";
}

std::size_t resident_kib(pid_t pid) {
  const std::string text = status_field(pid, "VmRSS");
  return text.empty() ? 0 : std::stoul(text);
}

std::size_t pss_kib(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("Pss:", 0) == 0) {
      return std::stoul(line.substr(4));
    }
  }
  return 0;
}

Bytes ask_status(std::uint32_t serial) {
  return wire::build<front::ClientMessage>([&](auto root) {
    auto request = root.initRequest();
    request.setSerial(serial);
    request.initAsk().setStatus();
  });
}

Bytes subscribe(const std::string& session, std::uint64_t from, bool output) {
  return wire::build<front::ClientMessage>([&](auto root) {
    auto wanted = root.initSubscribe();
    wanted.setSession(wire::text(session));
    wanted.setFrom(from);
    wanted.setOutput(output);
  });
}

Bytes act(std::uint32_t serial, ByteView operation) {
  return wire::build<front::ClientMessage>([&](auto root) {
    auto request = root.initRequest();
    request.setSerial(serial);
    auto act = request.initAct();
    act.setContent(wire::data(operation));
    act.setCounter(1);
    const Bytes mac(32, 9);
    act.setMac(wire::data(mac));
  });
}

}  // namespace rb::testing
