// frame.h — how one message lies on a stream socket.   [every process]
// An 8-byte head (length of the message, number of descriptors; both 32-bit little-endian), then
// the message; its descriptors come with the head's first byte.
// Source: docs/PROTOCOL.md §Client links.
#pragma once

#include <vector>

#include "common/bytes.h"
#include "common/result.h"

namespace rb {

inline constexpr std::size_t kFrameHead = 8;

[[nodiscard]] Bytes to_frame(ByteView message, std::size_t descriptors);
// Blocking send of one frame, for a first message before any loop runs.
[[nodiscard]] Status send_frame(int fd, ByteView message, const std::vector<int>& fds);

}  // namespace rb
