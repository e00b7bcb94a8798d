// front_driver.h — a real runbookd with the broker's end of its link in a test's hands.   [tests]
// The process is the built binary, confined as ever. Everything it leaves is ended by id.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/packet.h"
#include "protocol/broker.capnp.h"
#include "protocol/front.capnp.h"
#include "protocol/limits.h"

namespace rb::testing {

using namespace std::chrono_literals;

// $RUNBOOKD_BUILD/bin/NAME, else the build folder this test was built in.
[[nodiscard]] std::string built(const std::string& name);

// A client's end of a connection that the front serves.
class Client {
 public:
  Client() = default;
  explicit Client(Fd socket) : socket_(std::move(socket)) {}

  [[nodiscard]] bool send(ByteView message, const std::vector<int>& fds = {}) const;
  [[nodiscard]] bool send_raw(ByteView bytes) const;  // as they are, without a head
  [[nodiscard]] bool hello(
      const std::string& name = "test",
      std::uint32_t version = limits::kProtocolVersion) const;  // and takes the welcome
  struct Received {
    Bytes message;
    std::vector<Fd> fds;
  };
  // One whole frame, or nothing at end of file or when the time is up.
  [[nodiscard]] std::optional<Received> receive(std::chrono::milliseconds within = 5s);
  // True when the front closes the connection in time, whatever it says before.
  [[nodiscard]] bool ends(std::chrono::milliseconds within = 5s);
  [[nodiscard]] int fd() const { return socket_.get(); }
  void close() { socket_.reset(); }

 private:
  Fd socket_;
  Bytes buffer_;
  std::vector<Fd> fds_;
};

// One of our children, started with its link on descriptor 3.
struct Child {
  pid_t pid = -1;
  Fd link;
};
[[nodiscard]] Child start_child(std::vector<std::string> words);

class FrontDriver {
 public:
  // `before`: words in front of the program's own, to run it as somebody else (setpriv ...).
  explicit FrontDriver(const std::string& role = "operator", std::vector<std::string> before = {});
  FrontDriver(const FrontDriver&) = delete;
  FrontDriver& operator=(const FrontDriver&) = delete;
  FrontDriver(FrontDriver&&) = delete;
  FrontDriver& operator=(FrontDriver&&) = delete;
  ~FrontDriver();

  // The process that waits, and the one that serves beneath it (0 when there is none).
  [[nodiscard]] pid_t outer() const { return outer_; }
  [[nodiscard]] pid_t inner() const;

  // Hands a new connection over; its number counts from 1.
  [[nodiscard]] Client connect();
  [[nodiscard]] std::uint64_t connections() const { return connections_; }

  void send(ByteView message, const std::vector<int>& fds = {}) const;
  // The front's next packet; nothing at its end or when the time is up.
  [[nodiscard]] std::optional<Packet> receive(std::chrono::milliseconds within = 5s) const;
  [[nodiscard]] int link() const { return link_.get(); }
  void close_link() { link_.reset(); }
  // Exit status as a shell has it (128 + signal), or nothing while it lives.
  [[nodiscard]] std::optional<int> wait_exit(std::chrono::milliseconds within = 5s);
  [[nodiscard]] bool alive();

 private:
  Fd link_;
  pid_t outer_ = -1;
  std::optional<int> status_;
  std::uint64_t connections_ = 0;
};

// The process beneath that one, 0 when there is none (yet).
[[nodiscard]] pid_t child_of(pid_t pid);
// Field of /proc/PID/status ("VmRSS"), "" when there is none.
[[nodiscard]] std::string status_field(pid_t pid, const std::string& name);
[[nodiscard]] std::size_t resident_kib(pid_t pid);
// Pss of /proc/PID/smaps_rollup in KiB.
[[nodiscard]] std::size_t pss_kib(pid_t pid);

// Ready-made messages.
[[nodiscard]] Bytes ask_status(std::uint32_t serial);
[[nodiscard]] Bytes subscribe(const std::string& session, std::uint64_t from, bool output);
// A request whose Signed holds this flat Operation, under a MAC that no broker would take.
[[nodiscard]] Bytes act(std::uint32_t serial, ByteView operation);
// A well-formed Operation that `fill` completes.
template <typename Fill>
[[nodiscard]] Bytes operation(Fill&& fill);

}  // namespace rb::testing

#include "protocol/limits.h"
#include "protocol/wire.h"

template <typename Fill>
rb::Bytes rb::testing::operation(Fill&& fill) {
  return wire::build<front::Operation>([&](auto root) {
    const Bytes id(16, 7);
    root.setClientId(wire::data(id));
    root.setRequestId(wire::data(id));
    fill(root);
  });
}
