// front_fuzz.h — a Front in this process, its broker's end and one client's in the target's hands.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdlib>

#include "common/frame.h"
#include "common/log.h"
#include "common/stream.h"
#include "daemon/front/front.h"
#include "protocol/wire.h"
#include "tests/fuzz/fuzz.h"

namespace rb::fuzz {

// Cuts an input into pieces: two bytes of length, then that many (or what is left).
class Pieces {
 public:
  Pieces(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  [[nodiscard]] bool more() const { return rest_.size() > 2; }
  [[nodiscard]] ByteView next() {
    const std::size_t wanted = rest_[0] | std::size_t{rest_[1]} << 8U;
    rest_ = rest_.subspan(2);
    const ByteView piece = rest_.first(std::min(wanted, rest_.size()));
    rest_ = rest_.subspan(piece.size());
    return piece;
  }

 private:
  ByteView rest_;
};

class Served {
 public:
  explicit Served(front::Role role) {
    static const bool quiet = [] {
      ::setenv("RUNBOOKD_LOG_LEVEL", "off", 1);
      log::start("fuzz");
      return true;
    }();
    static_cast<void>(quiet);
    auto pair = packet_pair(true);
    must(pair.ok());
    broker_ = std::move(pair->first);
    front_ = std::make_unique<fnt::Front>(loop_, std::move(pair->second), role);
    front_->start();
    connect();
    client_.reset(clients_.front().release());
  }

  // Hands over one more connection; its client's end stays open.
  void connect() {
    std::array<int, 2> ends{};
    must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) == 0);
    clients_.emplace_back(ends[0]);
    const Fd theirs(ends[1]);
    const std::uint64_t number = ++connections_;
    to_front(
        wire::build<broker::ToFront>([&](auto root) { root.initAccepted().setConnection(number); }),
        {theirs.get()});
  }
  void hello() {
    frame(wire::build<front::ClientMessage>([](auto root) {
      auto hello = root.initHello();
      hello.setVersion(limits::kProtocolVersion);
      hello.setName("fuzz");
    }));
  }
  void frame(ByteView message) {
    if (!message.empty()) {
      static_cast<void>(send_frame(client_.get(), message, {}));
    }
    turn();
  }
  void to_front(ByteView message, const std::vector<int>& fds) {
    static_cast<void>(send_packet(broker_.get(), message, fds));
    turn();
  }
  void turn() {
    for (int i = 0; i < 3; ++i) {
      loop_.turn(false);
    }
  }
  [[nodiscard]] std::optional<Packet> from_front() {
    auto packet = receive_packet(broker_.get());
    return packet ? std::optional(std::move(*packet)) : std::nullopt;
  }
  // What the client has got and nobody read.
  [[nodiscard]] std::size_t client_bytes() {
    std::array<char, 65536> out{};
    const ssize_t got = ::recv(client_.get(), out.data(), out.size(), MSG_DONTWAIT);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

 private:
  Loop loop_;
  Fd broker_;
  std::unique_ptr<fnt::Front> front_;
  std::vector<Fd> clients_;
  Fd client_;
  std::uint64_t connections_ = 0;
};

}  // namespace rb::fuzz
