// journal_reader.h — reads journal segments line by line, hostile ones too.   [reader, frontends,
// tests: never trusted code]
// In:     a regular file, read by pread: the descriptor's offset stays, memory is that of one line.
// Out:    whole lines without their newline. What follows the last newline is no line: torn().
// Errors: System; TooLarge for a line over `most` bytes. Nothing can be read after an error.
// Source: docs/FORMATS.md §Journal.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "common/bytes.h"
#include "common/digest.h"
#include "common/result.h"

namespace rb {

// What every journal line starts with, in this order and spelling. Views point into the line.
struct LineStart {
  std::uint64_t number = 0;
  Digest prev;
  std::string_view at;  // as written, quotes taken off; holds no escape
  std::uint64_t boot_ms = 0;
  std::string_view type;
};

// nullopt when the line starts in any other way. What follows the type isn't looked at.
[[nodiscard]] std::optional<LineStart> line_start(std::string_view line);

class LineReader {
 public:
  // The descriptor stays the caller's and open.
  LineReader(int fd, std::size_t most);

  // The next line, valid until the next call; nullopt at the end of the file. May be called again
  // after the end: a file that has grown goes on.
  [[nodiscard]] Result<std::optional<std::string_view>> next();
  // Bytes after the last newline, once next() gave nullopt.
  [[nodiscard]] std::uint64_t torn() const { return have_ - used_; }
  // Offset in the file at which the next line starts.
  [[nodiscard]] std::uint64_t offset() const { return base_ + used_; }

 private:
  // Reads more; false at the end of the file.
  [[nodiscard]] Result<bool> fill();

  int fd_;
  std::size_t most_;
  Bytes buffer_;
  std::uint64_t base_ = 0;  // file offset of buffer_[0]
  std::size_t used_ = 0;    // of the buffer: lines given out
  std::size_t seen_ = 0;    // of the buffer: known to hold no newline after used_
  std::size_t have_ = 0;    // of the buffer: filled
};

// Reads one session's segments as one sequence of lines. A segment that starts at or before a line
// of the segment before it replaces that one's lines from there: they were never acknowledged
// (a failed sync is final for a segment). Order and start of every line are checked, digests
// aren't.
class JournalReader {
 public:
  struct Line {
    std::string_view text;  // valid until the next call
    LineStart start;
    std::size_t segment = 0;  // index, from 0
  };
  struct Torn {
    std::size_t segment = 0;
    std::uint64_t bytes = 0;
  };

  // Descriptors stay the caller's and open.
  JournalReader(std::vector<int> segments, std::size_t most);

  // nullopt at the end. Invalid for a line that is malformed or out of order; segment() and
  // number() say where.
  [[nodiscard]] Result<std::optional<Line>> next();
  // Of the line that next() gave, or failed to give.
  [[nodiscard]] std::size_t segment() const { return segment_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // Unfinished last lines met so far: of the last segment, or of one that the next one replaced.
  [[nodiscard]] const std::vector<Torn>& torn() const { return torn_; }

 private:
  void open_segment();
  void forget_torn();
  [[nodiscard]] Result<std::optional<Line>> next_here();
  [[nodiscard]] Result<std::optional<Line>> accept(std::string_view text);

  std::vector<int> segments_;
  std::size_t most_;
  std::size_t segment_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t until_ = 0;  // first line of the segments after this one; 0: none
  std::optional<LineReader> lines_;
  std::vector<Torn> torn_;
};

}  // namespace rb
