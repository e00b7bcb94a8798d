// journal.h — one session's journal as a front may see it: read-only descriptors.   [front]
// In:     segments and how far each is final, from the broker.
// Out:    lines in order, from any number, a bounded piece a step. Keeps no line.
// Errors: Invalid where the broker contradicts itself or the files contradict the broker.
// Source: DESIGN §3 (an event's number is its journal line); docs/RECORD.md.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/result.h"

namespace rb::fnt {

// Where a reader stands. Valid for one Journal; copied freely.
struct Cursor {
  std::size_t segment = 0;   // index, not number
  std::uint64_t offset = 0;  // bytes, at the start of a line
  std::uint64_t line = 1;    // number of the line that starts there
};

class Journal {
 public:
  // A segment that is known already is left as it is: the broker may tell a second time.
  [[nodiscard]] Status add_segment(std::uint32_t number, std::uint64_t first_line, Fd file);
  [[nodiscard]] Status grew(std::uint32_t number, std::uint64_t length, std::uint64_t last_line);

  // The cursor from which `line` is found soonest. A line that is yet to come: the end.
  [[nodiscard]] Cursor find(std::uint64_t line) const;
  [[nodiscard]] std::uint64_t last_line() const { return last_line_; }

  // Gives lines to `take` until it answers false, a piece of file is used up, or none is left.
  // The cursor stands after the last line that was given. True when more can be read now.
  using Take = std::function<bool(std::uint64_t number, std::string_view json)>;
  [[nodiscard]] Result<bool> read_step(Cursor& cursor, const Take& take) const;

 private:
  struct Segment {
    std::uint32_t number = 0;
    std::uint64_t first_line = 0;
    std::uint64_t length = 0;
    Fd file;
  };
  [[nodiscard]] Result<Bytes> read_piece(const Segment& segment, std::uint64_t offset) const;

  std::vector<Segment> segments_;
  std::uint64_t last_line_ = 0;
};

}  // namespace rb::fnt
