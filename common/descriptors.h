// descriptors.h — bytes and descriptors in one message of a Unix socket.   [every process]
#pragma once

#include <sys/uio.h>

#include <span>
#include <vector>

#include "common/fd.h"

namespace rb {

inline constexpr std::size_t kMostFds = 32;  // in one message, of any link

// One sendmsg(2), repeated when a signal interrupts it: the bytes sent, or -1 with errno.
// At most kMostFds descriptors, which stay the caller's.
[[nodiscard]] ssize_t send_with(int fd, std::span<const iovec> parts, const std::vector<int>& fds);

struct Received {
  ssize_t bytes = -1;     // as recvmsg(2) has it; -1 with errno
  bool cut = false;       // the packet was longer than `parts`
  bool fds_lost = false;  // more descriptors than kMostFds, or than we may open
};
// One recvmsg(2); its descriptors, close-on-exec, are appended to `fds` so that no path leaks them.
[[nodiscard]] Received receive_with(int fd, std::span<const iovec> parts, std::vector<Fd>& fds);

}  // namespace rb
