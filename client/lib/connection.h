// connection.h — one connection to the daemon, from the broker's greeting to its end.   [frontends]
// In:     a connected socket. The greeting comes from the broker before any front has the socket;
//         what state-changing requests are authenticated by comes from there alone.
// Out:    callbacks from the loop; none may destroy the connection but on_end, which is the last.
// Errors: a message that isn't due now, a peer of another version, or no welcome within 10 s end
// it. Source: docs/PROTOCOL.md §Client links; DESIGN §3, §4.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/loop.h"
#include "common/seal.h"
#include "common/stream.h"
#include "protocol/front.capnp.h"

namespace rb::client {

// What the broker said about itself and this connection.
struct Greeting {
  Bytes broker_start;
  std::uint64_t connection = 0;
  seal::Key mac_key{};
  seal::Key public_key{};
  std::uint32_t pid = 0;
};

class Connection {
 public:
  struct Handlers {
    std::function<void()> on_ready;  // welcomed: requests may be sent
    std::function<void(rb::front::ServerMessage::Reader, std::vector<Fd>)> on_message;
    std::function<void(const Error&)> on_end;
  };

  Connection(Loop& loop, Fd socket, std::string name, Handlers handlers);

  [[nodiscard]] bool ready() const { return state_ == State::Ready; }
  [[nodiscard]] const Greeting& greeting() const { return greeting_; }

  // Sends a request that changes state: `content` is a flat Operation.
  void send_act(std::uint32_t serial, ByteView content, std::vector<Fd> fds);
  // Sends a message that holds no Signed.
  void send(ByteView message);

 private:
  enum class State : std::uint8_t { Greeting, Welcome, Ready, Over };

  void on_frame(const Bytes& message, std::vector<Fd> fds);
  [[nodiscard]] Status handle_greeting(const Bytes& message);
  [[nodiscard]] Status handle_message(const Bytes& message, std::vector<Fd> fds);
  [[nodiscard]] Status handle_welcome(rb::front::Welcome::Reader welcome);
  void end(const Error& why);

  std::string name_;
  Handlers handlers_;
  Greeting greeting_;
  State state_ = State::Greeting;
  std::uint64_t counter_ = 0;
  Timer hello_;
  StreamLink link_;
};

}  // namespace rb::client
