// chain.h — makes journal lines that each hold the digest of the one before.   [broker; checkers]
// Out:    a line without its newline: {"line":N,"prev":"<64 hex>", the caller's fields}. The head
// of
//         a line is the SHA-256 of exactly those bytes. A writer that is thrown away changes
//         nothing; a committed line has its place in the chain for good, also when it has to be
//         written again into a new segment.
// Source: docs/FORMATS.md §Journal; DESIGN §8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/digest.h"
#include "common/json_writer.h"

namespace rb {

[[nodiscard]] inline Digest head_of_line(std::string_view line) {
  return sha256(as_bytes(line));
}

class Chain {
 public:
  // `head`: of the line before; all zero when this state folder has none. `lines`: how many lines
  // of this session exist already.
  explicit Chain(Digest head = {}, std::uint64_t lines = 0) : head_(head), lines_(lines) {}

  // The next line, its object open, `line` and `prev` written.
  [[nodiscard]] JsonWriter begin() const {
    JsonWriter line;
    line.begin_object().field("line", lines_ + 1).field("prev", head_.hex());
    return line;
  }
  // Closes the object, advances, and returns the line.
  [[nodiscard]] std::string commit(JsonWriter line) {
    std::string text = line.end_object().take();
    head_ = head_of_line(text);
    ++lines_;
    return text;
  }

  [[nodiscard]] const Digest& head() const { return head_; }
  [[nodiscard]] std::uint64_t lines() const { return lines_; }

 private:
  Digest head_;
  std::uint64_t lines_;
};

}  // namespace rb
