// fronts.h — the two fronts, and the connections handed to them.   [TRUSTED: broker]
// Each front is a process of its own on a pair of its own: the role is the pair's. One that says
// what isn't permitted now, or dies, is replaced; its clients' sockets go with it, executions and
// the other front go on.
// Source: DESIGN §2, §3, §4; attacks A1, A5, A6.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "broker/actor.h"
#include "broker/children.h"
#include "broker/journal.h"
#include "common/packet.h"
#include "common/seal.h"
#include "protocol/broker.capnp.h"

namespace rb::brk {

struct Broker;
struct Session;
struct Execution;

struct Connection {
  Actor actor;
  seal::Key key{};
  std::uint64_t counter = 0;  // of the last authentic request
  std::string watching;       // session
};

class Fronts {
 public:
  explicit Fronts(Broker& broker);

  void start(Role role);
  // Takes the process at the other end of `link` for that role's front.
  void adopt(Role role, Fd link);
  // Gives a connected, greeted socket to its front.
  void accepted(const Connection& connection, Fd socket);
  void answer(std::uint64_t connection, Bytes to_front, std::vector<Fd> fds);
  // To the fronts with somebody who watches the session.
  void grew(const Session& session);
  void progress(const Execution& execution);
  void ended(const std::string& session);

  [[nodiscard]] bool ready(Role role) const { return of(role).ready; }
  [[nodiscard]] Connection* find(std::uint64_t connection);
  [[nodiscard]] std::size_t connections(Role role) const;
  [[nodiscard]] bool watched(const std::string& session) const;

 private:
  struct Front {
    Role role = Role::Operator;
    pid_t pid = -1;
    bool ready = false;
    unsigned failures = 0;  // in a row
    Nanos started{};
    std::unique_ptr<PacketLink> link;
    Timer again;
  };
  using Message = broker::ToBroker::Reader;
  struct Row;
  static const std::array<Row, 5> kTable;

  void on_packet(Front& front, Packet packet);
  [[nodiscard]] Status handle_ready(Front& front, Message message, std::vector<Fd> fds);
  [[nodiscard]] Status handle_forward(Front& front, Message message, std::vector<Fd> fds);
  [[nodiscard]] Status handle_closed(Front& front, Message message, std::vector<Fd> fds);
  [[nodiscard]] Status handle_watch(Front& front, Message message, std::vector<Fd> fds);
  [[nodiscard]] Status handle_unwatch(Front& front, Message message, std::vector<Fd> fds);
  void send_segments(Front& front, const Session& session);
  [[nodiscard]] static Bytes grew_message(const Session& session, const Journal::Segment& segment);
  void replace(Front& front, const std::string& why);
  void on_exit(Role role, pid_t pid, int wait_status);
  void to_watchers(const std::string& session, const Bytes& message);

  Front& of(Role role) { return fronts_.at(static_cast<std::size_t>(role)); }
  [[nodiscard]] const Front& of(Role role) const {
    return fronts_.at(static_cast<std::size_t>(role));
  }

  Broker& broker_;
  std::array<Front, 2> fronts_;
  std::map<std::uint64_t, Connection> connections_;
};

}  // namespace rb::brk
