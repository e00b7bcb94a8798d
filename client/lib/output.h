// output.h — follows an execution's output by reading its file.   [frontends]
// In:     a read-only descriptor of the output file; hints that it grew; its final length.
// Out:    every byte from the offset on, exactly once and in order, in large pieces, at most every
//         10 ms while it grows: reading is polite to whoever writes. Nothing is read while the
//         sink has bytes waiting, so memory stays flat whatever the length.
// Errors: a file that ends before its final length, or can't be read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "client/lib/out.h"
#include "common/bytes.h"
#include "common/fd.h"
#include "common/loop.h"

namespace rb::client {

class OutputFollower {
 public:
  // What is done with a piece; it ends in Out::push.
  using Sink = std::function<void(std::uint64_t offset, ByteView piece)>;
  using OnEnd = std::function<void(Status)>;

  OutputFollower(Loop& loop, Fd file, std::uint64_t offset, Out& out, Sink sink);
  OutputFollower(const OutputFollower&) = delete;
  OutputFollower& operator=(const OutputFollower&) = delete;
  OutputFollower(OutputFollower&&) = delete;
  OutputFollower& operator=(OutputFollower&&) = delete;
  ~OutputFollower();

  // The file has grown: a hint.
  void grew();
  // The file is complete with `length` bytes: `on_end` follows, once all of them are with the sink.
  void finish(std::uint64_t length, OnEnd on_end);
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  void turn();
  void end(Status status);
  [[nodiscard]] std::size_t wanted() const;

  Loop& loop_;
  Fd file_;
  std::uint64_t offset_;
  Out& out_;
  Sink sink_;
  Bytes buffer_;
  std::optional<std::uint64_t> length_;
  OnEnd on_end_;
  Timer pace_;  // the next look
  Nanos looked_{};
};

}  // namespace rb::client
