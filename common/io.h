// io.h — whole reads and writes, and sealed memory files.   [every process]
// All calls block on regular files and restart after EINTR. A sealed file can't change any more:
// what was hashed is what is read later, whoever else holds it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/result.h"

namespace rb {

// Writes all of it at the descriptor's own offset.
[[nodiscard]] Status write_all(int fd, ByteView bytes);
// Reads until end of file; TooLarge when there are more than `most` bytes.
[[nodiscard]] Result<Bytes> read_all(int fd, std::size_t most);
// Reads exactly [offset, offset+length) by pread; Invalid when the file is shorter.
[[nodiscard]] Result<Bytes> read_at(int fd, std::uint64_t offset, std::size_t length);

// A memory file with these bytes, sealed against every change, close-on-exec, offset 0.
[[nodiscard]] Result<Fd> sealed_memory(std::string_view name, ByteView bytes);
// Seals a memory file that was written in pieces, and rewinds it.
[[nodiscard]] Status seal_memory(int fd);
// The bytes of a memory file that came from somebody else: Refused unless it is sealed against
// writing, growing and shrinking; TooLarge above `most`.
[[nodiscard]] Result<Bytes> read_sealed(int fd, std::size_t most);
// Length of a sealed memory file under the same conditions, without reading it.
[[nodiscard]] Result<std::uint64_t> sealed_length(int fd, std::uint64_t most);

}  // namespace rb
