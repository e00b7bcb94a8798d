// What a client may send: frames cut into pieces of the sizes that the input's first bytes say.
#include "common/stream.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>

#include "tests/fuzz/fuzz.h"

using namespace std::chrono_literals;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  std::array<int, 2> ends{};
  rb::fuzz::must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const rb::Fd peer(ends[0]);
  rb::Loop loop;
  std::size_t frames = 0;
  std::size_t bytes = 0;
  bool over = false;
  rb::StreamLink link(
      loop, rb::Fd(ends[1]), rb::StreamLimits{4096, 2, 16384, 5s},
      [&](const rb::Bytes& message, const std::vector<rb::Fd>& fds) {
        rb::fuzz::must(message.size() <= 4096 && fds.empty());
        ++frames;
        bytes += message.size();
      },
      [&](const rb::Error&) { over = true; });
  rb::ByteView rest(data + 1, size - 1);
  const std::size_t step = 1 + data[0] % 61U;
  while (!rest.empty() && !over) {
    const rb::ByteView piece = rest.first(std::min(step, rest.size()));
    rest = rest.subspan(piece.size());
    static_cast<void>(::send(peer.get(), piece.data(), piece.size(), MSG_NOSIGNAL));
    loop.turn(false);
  }
  rb::fuzz::must(bytes <= size);
  rb::fuzz::planted(frames >= 2 && bytes > 0);
  return 0;
}
