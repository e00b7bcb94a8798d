// The first thing that reads a client's bytes: the front's decoding and vetting. The first byte
// says of which role, the second how many descriptors came.
#include "daemon/front/vet.h"
#include "protocol/wire.h"
#include "tests/fuzz/fuzz.h"

namespace {

using rb::fnt::Verdict;

Verdict vet(rb::front::ClientMessage::Reader message, rb::front::Role role, std::size_t fds) {
  switch (message.which()) {
    case rb::front::ClientMessage::HELLO:
      return rb::fnt::vet_hello(message.getHello());
    case rb::front::ClientMessage::REQUEST:
      return rb::fnt::vet_request(message.getRequest(), role, fds);
    case rb::front::ClientMessage::SUBSCRIBE:
      return rb::fnt::vet_subscribe(message.getSubscribe());
    case rb::front::ClientMessage::UNSET:
    case rb::front::ClientMessage::UNSUBSCRIBE:
      break;
  }
  return {Verdict::Kind::End, rb::front::Reason::MALFORMED, ""};
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) {
    return 0;
  }
  const auto role = (data[0] & 1) != 0 ? rb::front::Role::AGENT : rb::front::Role::OPERATOR;
  const rb::Bytes message(data + 8, data + size);
  const rb::Status read = rb::wire::read<rb::front::ClientMessage>(
      message, rb::limits::kClientNesting,
      [&](rb::front::ClientMessage::Reader from) -> rb::Status {
        const Verdict verdict = vet(from, role, data[1] & 3U);
        const bool forwarded = verdict.kind == Verdict::Kind::Forward;
        rb::fuzz::must(forwarded || verdict.kind == Verdict::Kind::End || !verdict.text.empty());
        rb::fuzz::planted(forwarded && from.isSubscribe());
        return rb::done();
      });
  rb::fuzz::must(read.ok() || read.failure().code == rb::Code::Invalid);
  return 0;
}
