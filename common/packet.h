// packet.h — one message a packet between processes of ours.   [every process on a trusted link]
// A link is an AF_UNIX SOCK_SEQPACKET socketpair. A packet is an 8-byte head (kind, number of
// descriptors; both 32-bit little-endian), the message, and the descriptors. A message over
// 64 KiB travels as a sealed memory file, the packet's first descriptor, and comes out the same.
// Anything else (truncated, wrong count, unsealed, over a limit) is Invalid: the caller ends the
// link. Source: docs/PROTOCOL.md §Trusted links; limits in protocol/limits.h are given by callers.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/loop.h"
#include "common/result.h"

namespace rb {

struct Packet {
  Bytes bytes;  // the message; storage is aligned for Cap'n Proto
  std::vector<Fd> fds;
};

// Both ends close-on-exec; non-blocking when asked.
[[nodiscard]] Result<std::pair<Fd, Fd>> packet_pair(bool non_blocking);

// Sends one packet; descriptors stay the caller's. System/EAGAIN when the socket is full.
[[nodiscard]] Status send_packet(int fd, ByteView message, const std::vector<int>& fds);
// Receives one packet. Closed at end of file; System/EAGAIN when none waits on a non-blocking link.
[[nodiscard]] Result<Packet> receive_packet(int fd);

// A link served by a loop. Sends in order, keeps what the socket won't take (at most 1,024 packets:
// past that the link ends), and hands over what comes. Never blocks.
class PacketLink {
 public:
  using OnPacket = std::function<void(Packet)>;
  // Called once, from the loop or from send(): the link is closed and no callback follows.
  using OnEnd = std::function<void(const Error&)>;

  // Takes a non-blocking descriptor.
  PacketLink(Loop& loop, Fd fd, OnPacket on_packet, OnEnd on_end);
  PacketLink(const PacketLink&) = delete;
  PacketLink& operator=(const PacketLink&) = delete;
  PacketLink(PacketLink&&) = delete;
  PacketLink& operator=(PacketLink&&) = delete;
  ~PacketLink();

  void send(Bytes message, std::vector<Fd> fds = {});
  // Ends the link from this side; on_end is not called.
  void close();
  [[nodiscard]] bool is_open() const { return fd_.open(); }
  [[nodiscard]] int descriptor() const { return fd_.get(); }
  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }

 private:
  void on_readable();
  void flush();
  void end(const Error& why);

  Loop& loop_;
  Fd fd_;
  OnPacket on_packet_;
  OnEnd on_end_;
  Watch reading_;
  Watch writing_;
  std::deque<Packet> queue_;
  std::shared_ptr<bool> alive_;
};

}  // namespace rb
