// pump.h — carries what a script writes into its output file.   [TRUSTED: monitor]
// In:     the read end of a pipe, or a terminal's master side; non-blocking.
// Out:    every byte appended in order, up to the cap; output.idx beside it; a running SHA-256 of
//         exactly the bytes appended. Memory doesn't grow with the output.
// Index:  records of 24 bytes, little-endian: offset of the chunk's first byte (u64), boot time in
//         nanoseconds when it was read (u64), stream (u32: 0 both, 3 a note of ours), length (u32).
// Errors: a failed append ends pumping (`broken`); what came before is kept and stays hashed.
// Source: DESIGN §2, §7; threats 56, 69; docs/FORMATS.md §output.idx.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "broker/monitor/hashing.h"
#include "common/clock.h"
#include "common/digest.h"
#include "common/fd.h"

namespace rb::mon {

class Pump {
 public:
  // Makes a pipe of 256 KiB where the kernel lets us. The write end blocks, as scripts expect.
  [[nodiscard]] static Result<std::pair<Fd, Fd>> make_pipe();

  Pump() = default;
  Pump(Fd output, Fd index, std::uint64_t cap);

  void set_source(Fd source) { source_ = std::move(source); }
  [[nodiscard]] const Fd& source() const { return source_; }

  enum class Got { Some, Nothing, End, Full, Broken };
  // One read of at most 256 KiB. After Full (the cap is reached) more is read and dropped, so that
  // nobody hangs in a write while the tree ends. End is never answered twice.
  Got turn();
  // Everything that is there now; for use when no writer is left. False where one is left after
  // all, beyond our reach, and goes on writing: what a pipe can hold was taken, and no more.
  [[nodiscard]] bool drain();
  // A line of ours in the output, beyond the cap too; its index record says whose it is.
  void note(std::string_view text);

  [[nodiscard]] std::uint64_t length() const { return length_; }
  [[nodiscard]] Digest digest() { return hashing_->digest(); }
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] int broken() const { return broken_; }  // errno of the failed append, or 0
  // Makes the output durable.
  [[nodiscard]] Status sync() const;
  // How long to wait before the next turn so that its chunk is larger: nothing after a large one,
  // less for a fast writer, whom a pipe that fills up meanwhile would stop.
  [[nodiscard]] Nanos pause() const;

 private:
  // Bytes of the room that hashing gave last.
  void append(ByteView bytes, std::uint32_t stream);

  Fd source_;
  Fd output_;
  Fd index_;
  std::uint64_t cap_ = 0;
  std::uint64_t length_ = 0;
  std::size_t last_ = 0;
  bool mid_line_ = false;  // the last byte kept is no newline
  unsigned hurry_ = 0;     // for so many turns the writer counts as a fast one
  bool full_ = false;
  int broken_ = 0;
  std::unique_ptr<Hashing> hashing_;
};

}  // namespace rb::mon
