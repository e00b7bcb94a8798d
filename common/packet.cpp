#include "common/packet.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>

#include "common/io.h"

namespace rb {
namespace {

constexpr std::size_t kHead = 8;
constexpr std::size_t kInline = 64 * 1024 - kHead;
constexpr std::size_t kSpilled = std::size_t{8} << 20;
constexpr std::size_t kMostFds = 16;
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

// The descriptors of a received message, owned at once so that no path leaks them.
std::vector<Fd> take_fds(msghdr& message) {
  std::vector<Fd> out;
  for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(c) + i * sizeof(int), sizeof number);
      out.emplace_back(number);
    }
  }
  return out;
}

Status send_raw(int fd, std::uint32_t kind, ByteView message, const std::vector<int>& fds) {
  std::array<std::uint8_t, kHead> head{};
  put32(head.data(), kind);
  put32(head.data() + 4, static_cast<std::uint32_t>(fds.size()));
  std::array<iovec, 2> parts{};
  parts[0] = {head.data(), head.size()};
  parts[1] = {const_cast<std::uint8_t*>(message.data()), message.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostFds)> control{};
  msghdr out{};
  out.msg_iov = parts.data();
  out.msg_iovlen = parts.size();
  if (!fds.empty()) {
    out.msg_control = control.data();
    out.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* c = CMSG_FIRSTHDR(&out);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
  }
  for (;;) {
    if (::sendmsg(fd, &out, MSG_NOSIGNAL) >= 0) {
      return done();
    }
    if (errno != EINTR) {
      return errno_error("send");
    }
  }
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
  out.bytes.resize(kInline);
  std::array<iovec, 2> parts{};
  parts[0] = {head.data(), head.size()};
  parts[1] = {out.bytes.data(), out.bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kMostFds)> control{};
  msghdr in{};
  in.msg_iov = parts.data();
  in.msg_iovlen = parts.size();
  in.msg_control = control.data();
  in.msg_controllen = control.size();
  ssize_t got = -1;
  do {
    got = ::recvmsg(fd, &in, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    return errno_error("receive");
  }
  out.fds = take_fds(in);
  if (got == 0 && out.fds.empty()) {
    return error(Code::Closed, "the link was closed");
  }
  const bool cut = (in.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  if (cut || got < static_cast<ssize_t>(kHead) || get32(head.data() + 4) != out.fds.size()) {
    return error(Code::Invalid, "malformed packet");
  }
  out.bytes.resize(static_cast<std::size_t>(got) - kHead);
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
