#include "common/descriptors.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace rb {
namespace {

using Control = std::array<char, CMSG_SPACE(sizeof(int) * kMostFds)>;

msghdr header_of(std::span<const iovec> parts) {
  msghdr out{};
  out.msg_iov = const_cast<iovec*>(parts.data());
  out.msg_iovlen = parts.size();
  return out;
}

ssize_t send_once(int fd, const msghdr& out) {
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(fd, &out, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

// The kernel refuses while the user's processes together have more descriptors under way than this
// one may have open: any program of the user's could stop us with a thousand.
ssize_t send_beyond_limit(int fd, const msghdr& out) {
  rlimit now{};
  if (::getrlimit(RLIMIT_NOFILE, &now) < 0 || now.rlim_cur == now.rlim_max) {
    errno = ETOOMANYREFS;
    return -1;
  }
  const rlimit raised{now.rlim_max, now.rlim_max};
  (void)::setrlimit(RLIMIT_NOFILE, &raised);
  const ssize_t sent = send_once(fd, out);
  const int why = errno;
  (void)::setrlimit(RLIMIT_NOFILE, &now);
  errno = why;
  return sent;
}

}  // namespace

ssize_t send_with(int fd, std::span<const iovec> parts, const std::vector<int>& fds) {
  alignas(cmsghdr) Control control{};
  msghdr out = header_of(parts);
  if (fds.size() > kMostFds) {
    errno = EINVAL;
    return -1;
  }
  if (!fds.empty()) {
    out.msg_control = control.data();
    out.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* c = CMSG_FIRSTHDR(&out);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
  }
  const ssize_t sent = send_once(fd, out);
  return sent < 0 && errno == ETOOMANYREFS ? send_beyond_limit(fd, out) : sent;
}

Received receive_with(int fd, std::span<const iovec> parts, std::vector<Fd>& fds) {
  alignas(cmsghdr) Control control{};
  msghdr in = header_of(parts);
  in.msg_control = control.data();
  in.msg_controllen = control.size();
  Received out;
  do {
    out.bytes = ::recvmsg(fd, &in, MSG_CMSG_CLOEXEC);
  } while (out.bytes < 0 && errno == EINTR);
  if (out.bytes < 0) {
    return out;
  }
  out.cut = (in.msg_flags & MSG_TRUNC) != 0;
  out.fds_lost = (in.msg_flags & MSG_CTRUNC) != 0;
  for (cmsghdr* c = CMSG_FIRSTHDR(&in); c != nullptr; c = CMSG_NXTHDR(&in, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    for (std::size_t at = 0; at + CMSG_LEN(0) + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(c) + at, sizeof number);
      fds.emplace_back(number);
    }
  }
  return out;
}

}  // namespace rb
