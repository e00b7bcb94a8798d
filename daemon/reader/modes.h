// modes.h — one request of the reader, from its packet to its answer.   [UNTRUSTED: reader]
// In:     a request packet; its descriptors are consumed. The process is narrowed already.
// Out:    the answer's message and descriptors. Pure of process state, so that tests and fuzzers
//         call it as main does.
// Errors: none: what can't be done is a Failed message.
#pragma once

#include <vector>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/packet.h"

namespace rb::rdr {

struct Reply {
  Bytes message;
  std::vector<Fd> fds;
};

[[nodiscard]] Reply serve_load(const Packet& request);
[[nodiscard]] Reply serve_read(const Packet& request);

}  // namespace rb::rdr
