// What a broker says to a front that has a client: each piece is a packet, its first byte says
// which descriptor comes along. A broker is believed, so this looks for crashes, not for wrong
// belief.
#include <sys/mman.h>

#include "common/io.h"
#include "tests/fuzz/front_fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  rb::fuzz::Served served(rb::front::Role::OPERATOR);
  served.hello();
  served.frame(rb::wire::build<rb::front::ClientMessage>([](auto root) {
    auto request = root.initRequest();
    request.setSerial(1);
    auto bytes = request.initAsk().initOutputBytes();
    bytes.setExecution("e1");
    bytes.setMost(100);
  }));
  served.frame(rb::wire::build<rb::front::ClientMessage>(
      [](auto root) { root.initSubscribe().setFrom(1); }));
  const rb::Fd journal(::memfd_create("journal", MFD_CLOEXEC));
  rb::fuzz::must(rb::write_all(journal.get(), rb::as_bytes("one\ntwo\nthree\nfo")).ok());
  static_cast<void>(served.client_bytes());  // the welcome
  rb::fuzz::Pieces pieces(data, size);
  for (int i = 0; i < 64 && pieces.more(); ++i) {
    const rb::ByteView piece = pieces.next();
    if (piece.empty()) {
      continue;
    }
    if ((piece[0] & 7) == 2) {
      served.connect();
      continue;
    }
    std::vector<int> fds;
    if ((piece[0] & 1) != 0) {
      fds.push_back(journal.get());
    }
    served.to_front(piece.subspan(1), fds);
  }
  rb::fuzz::planted(served.client_bytes() > 0);
  return 0;
}
