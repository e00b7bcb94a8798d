// A request to read, as a broken broker or client would make it: the answer is always a message.
// The first four bytes say how much of the input is the message; the rest is the folder's content.
#include "common/io.h"
#include "daemon/reader/modes.h"
#include "protocol/limits.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) {
    return 0;
  }
  const std::size_t split = std::min<std::size_t>(data[0] + std::size_t{256} * data[1], size - 4);
  const rb::ByteView message(data + 4, split);
  rb::Packet request;
  request.bytes.assign(message.begin(), message.end());
  rb::Result<rb::Fd> content =
      rb::sealed_memory("content", rb::ByteView(data + 4 + split, size - 4 - split));
  if (!content) {
    return 0;
  }
  request.fds.push_back(std::move(*content));
  const rb::rdr::Reply reply = rb::rdr::serve_read(request);
  bool vetted = false;
  const rb::Status read = rb::wire::read<rb::reader::FromReader>(
      reply.message, rb::limits::kTrustedNesting, [&](rb::reader::FromReader::Reader from) {
        rb::fuzz::must(from.isFailed() || from.isRead());
        vetted = from.isRead() && from.getRead().getVetted();
        rb::fuzz::must(vetted == !reply.fds.empty());
        return rb::done();
      });
  rb::fuzz::must(read.ok());
  rb::fuzz::planted(vetted);
  return 0;
}
