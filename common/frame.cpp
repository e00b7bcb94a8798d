#include "common/frame.h"

#include <algorithm>

#include "common/descriptors.h"

namespace rb {

Bytes to_frame(ByteView message, std::size_t descriptors) {
  Bytes out(kFrameHead + message.size());
  for (std::size_t i = 0; i < 4; ++i) {
    out[i] = static_cast<std::uint8_t>(message.size() >> (8 * i));
    out[4 + i] = static_cast<std::uint8_t>(descriptors >> (8 * i));
  }
  std::copy(message.begin(), message.end(), out.begin() + kFrameHead);
  return out;
}

Status send_frame(int fd, ByteView message, const std::vector<int>& fds) {
  Bytes bytes = to_frame(message, fds.size());
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const iovec rest{bytes.data() + sent, bytes.size() - sent};
    const ssize_t now = send_with(fd, {&rest, 1}, sent == 0 ? fds : std::vector<int>{});
    if (now < 0) {
      return errno_error("send");
    }
    sent += static_cast<std::size_t>(now);
  }
  return done();
}

}  // namespace rb
