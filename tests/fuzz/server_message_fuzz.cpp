// What a taken-over front may answer, as clients read it.
#include "client/lib/model.h"
#include "protocol/wire.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const rb::Bytes message(data, data + size);
  const rb::Status read = rb::wire::read<rb::front::ServerMessage>(
      message, rb::limits::kClientNesting,
      [&](rb::front::ServerMessage::Reader from) -> rb::Status {
        if (!from.isAnswer()) {
          return rb::done();
        }
        const auto answer = rb::client::answer_from_wire(from.getAnswer());
        rb::fuzz::planted(answer.ok() && answer->value.index() != 0);
        return rb::done();
      });
  rb::fuzz::must(read.ok() || read.failure().code == rb::Code::Invalid);
  return 0;
}
