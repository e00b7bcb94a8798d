#include "common/packet.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "common/descriptors.h"
#include "common/io.h"

namespace rb {
namespace {

constexpr std::size_t kHead = 8;
constexpr std::size_t kInline = 64 * 1024 - kHead;
constexpr std::size_t kSpilled = std::size_t{8} << 20;
constexpr std::uint32_t kKindInline = 0;
constexpr std::uint32_t kKindSpilled = 1;

void put32(std::uint8_t* to, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) {
    to[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}
std::uint32_t get32(const std::uint8_t* from) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(from[i]) << (8 * i);
  }
  return value;
}

Status send_raw(int fd, std::uint32_t kind, ByteView message, const std::vector<int>& fds) {
  std::array<std::uint8_t, kHead> head{};
  put32(head.data(), kind);
  put32(head.data() + 4, static_cast<std::uint32_t>(fds.size()));
  const std::array<iovec, 2> parts{
      {{head.data(), head.size()}, {const_cast<std::uint8_t*>(message.data()), message.size()}}};
  return send_with(fd, parts, fds) >= 0 ? done() : Status(errno_error("send"));
}

}  // namespace

Result<std::pair<Fd, Fd>> packet_pair(bool non_blocking) {
  std::array<int, 2> ends{};
  const int flags = SOCK_SEQPACKET | SOCK_CLOEXEC | (non_blocking ? SOCK_NONBLOCK : 0);
  if (::socketpair(AF_UNIX, flags, 0, ends.data()) < 0) {
    return errno_error("socketpair");
  }
  return std::pair<Fd, Fd>(Fd(ends[0]), Fd(ends[1]));
}

Status send_packet(int fd, ByteView message, const std::vector<int>& fds) {
  if (message.size() <= kInline) {
    if (fds.size() > kMostFds) {
      return error(Code::TooLarge, "too many descriptors in one packet");
    }
    return send_raw(fd, kKindInline, message, fds);
  }
  if (message.size() > kSpilled || fds.size() + 1 > kMostFds) {
    return error(Code::TooLarge, "message over the limit of a trusted link");
  }
  const Result<Fd> spilled = sealed_memory("message", message);
  if (!spilled) {
    return spilled.failure();
  }
  std::vector<int> all{spilled->get()};
  all.insert(all.end(), fds.begin(), fds.end());
  return send_raw(fd, kKindSpilled, {}, all);
}

Result<Packet> receive_packet(int fd) {
  Packet out;
  std::array<std::uint8_t, kHead> head{};
  // As long as it says it is: a process that receives one short packet needn't clear 64 KiB for it.
  msghdr none{};
  ssize_t waiting = -1;
  do {
    waiting = ::recvmsg(fd, &none, MSG_PEEK | MSG_TRUNC);
  } while (waiting < 0 && errno == EINTR);
  if (waiting < 0) {
    return errno_error("receive");
  }
  out.bytes.resize(std::min(static_cast<std::size_t>(waiting), kInline));
  const std::array<iovec, 2> parts{
      {{head.data(), head.size()}, {out.bytes.data(), out.bytes.size()}}};
  const Received in = receive_with(fd, parts, out.fds);
  if (in.bytes < 0) {
    return errno_error("receive");
  }
  if (in.bytes == 0 && out.fds.empty()) {
    return error(Code::Closed, "the link was closed");
  }
  if (in.cut || in.fds_lost || in.bytes < static_cast<ssize_t>(kHead) ||
      get32(head.data() + 4) != out.fds.size()) {
    return error(Code::Invalid, "malformed packet");
  }
  out.bytes.resize(static_cast<std::size_t>(in.bytes) - kHead);
  const std::uint32_t kind = get32(head.data());
  if (kind == kKindInline) {
    return out;
  }
  if (kind != kKindSpilled || !out.bytes.empty() || out.fds.empty()) {
    return error(Code::Invalid, "malformed packet");
  }
  Result<Bytes> spilled = read_sealed(out.fds.front().get(), kSpilled);
  if (!spilled) {
    return error(Code::Invalid, "malformed packet: " + spilled.failure().what);
  }
  out.bytes = std::move(*spilled);
  out.fds.erase(out.fds.begin());
  return out;
}

}  // namespace rb
