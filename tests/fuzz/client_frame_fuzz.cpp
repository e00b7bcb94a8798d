// What a client says after hello, as the front vets and forwards it. The first byte is the role.
#include "tests/fuzz/front_fuzz.h"

namespace {

// Whatever a client sends, the broker hears only what its own table knows.
void check_packet(const rb::Packet& packet) {
  const rb::Status read = rb::wire::read<rb::broker::ToBroker>(
      packet.bytes, rb::limits::kTrustedNesting, [](rb::broker::ToBroker::Reader message) {
        rb::fuzz::must(!message.isUnset());
        if (message.isForward()) {
          const auto request = message.getForward().getRequest();
          rb::fuzz::must(request.getSerial() != 0);
          rb::fuzz::must(request.isAct() || request.isAsk());
          rb::fuzz::must(!request.isAsk() || !request.getAsk().isOutputBytes());
          rb::fuzz::planted(request.isAct() && request.getAct().getCounter() != 0);
        }
        return rb::done();
      });
  rb::fuzz::must(read.ok());
  rb::fuzz::must(packet.fds.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  rb::fuzz::Served served((data[0] & 1) != 0 ? rb::front::Role::AGENT : rb::front::Role::OPERATOR);
  served.hello();
  rb::fuzz::Pieces pieces(data + 1, size - 1);
  for (int i = 0; i < 64 && pieces.more(); ++i) {
    served.frame(pieces.next());
  }
  while (const auto packet = served.from_front()) {
    check_packet(*packet);
  }
  return 0;
}
