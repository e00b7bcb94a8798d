// source.h — a file's lines, and where an offset stands in them.   [UNTRUSTED: reader]
// In:     the file's bytes, which must outlive this.
// Units:  line indexes count from 0 here, lines and columns of a Position from 1.
// Cost:   one pass over the file; a position costs a binary search and at most 64 bytes.
// Errors: none.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "daemon/reader/tree/tree.h"

namespace rb::rdr::grammar {

// LF, CRLF and a lone CR each end a line.
struct Line {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;   // without its ending
  std::uint32_t next = 0;  // after its ending
};

class Source {
 public:
  explicit Source(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(text_.size()); }
  // Lines that hold something: what stands after a final line ending isn't one.
  [[nodiscard]] std::uint32_t line_count() const { return line_count_; }
  [[nodiscard]] const Line& line(std::uint32_t index) const { return lines_[index]; }
  [[nodiscard]] std::uint32_t line_of(std::uint32_t offset) const;
  [[nodiscard]] Position position(std::uint32_t offset) const;
  // Bytes of a byte order mark at the start.
  [[nodiscard]] std::uint32_t mark_bytes() const { return mark_bytes_; }

 private:
  void set_checkpoints();
  [[nodiscard]] std::uint32_t characters_before(std::uint32_t offset) const;

  std::string_view text_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> checkpoints_;  // characters before every 64th byte; empty when ASCII
  std::uint32_t line_count_ = 0;
  mutable std::uint32_t hint_ = 0;  // the line asked for last
  std::uint32_t mark_bytes_ = 0;
};

}  // namespace rb::rdr::grammar
