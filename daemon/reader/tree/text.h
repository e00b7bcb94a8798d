// text.h — a leaf's text with its containers' prefixes removed, and the way back to the file.
// [UNTRUSTED: reader]
// A paragraph in a block quote is not one stretch of the file. Text joins its lines by one LF each
// and remembers for every line where it came from.
// Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/reader/tree/source.h"

namespace rb::rdr::grammar {

// Reads one line from the left while containers and markers are taken off.
struct Cursor {
  std::string_view text;     // the whole file
  std::uint32_t line = 0;    // index
  std::uint32_t at = 0;      // offset of the next byte
  std::uint32_t end = 0;     // offset where the line ends
  std::uint32_t column = 0;  // visual, tab stops of 4, from 0
  std::uint32_t blanks = 0;  // columns left of a tab that was taken in part

  Cursor() = default;
  Cursor(const Source& source, std::uint32_t line_index);

  [[nodiscard]] char peek() const { return at < end ? text[at] : '\0'; }
  [[nodiscard]] bool blank() const;
  // Columns of blanks ahead; beyond `enough` they aren't counted.
  [[nodiscard]] std::uint32_t indent(std::uint32_t enough = 0xffffffffU) const;
  [[nodiscard]] std::string_view rest() const { return text.substr(at, end - at); }
  void skip_columns(std::uint32_t columns);  // at most the blanks ahead
  void skip_blanks();
  void skip_bytes(std::uint32_t bytes);  // of marker characters: one column each
};

struct Segment {
  std::uint32_t index = 0;   // in chars
  std::uint32_t source = 0;  // offset of its first byte that is in the file
  std::uint32_t blanks = 0;  // spaces in front of it that stand for a part of a tab
  std::uint32_t line = 0;    // index
  std::uint32_t column = 0;  // visual
};

class Text {
 public:
  [[nodiscard]] std::string_view chars() const { return chars_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(chars_.size()); }
  [[nodiscard]] bool empty() const { return segments_.empty(); }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

  // Adds what is left of a line; an LF goes before it unless it is the first.
  void append(const Cursor& cursor);
  // Adds a part of the file (of one line).
  void append(const Source& source, std::uint32_t begin, std::uint32_t end);
  void clear();
  // Removes the last line, or the first `count` characters (up to a line's start).
  void drop_last_line();
  void drop_front(std::uint32_t count);

  // Offset in the file of a character.
  [[nodiscard]] std::uint32_t offset(std::uint32_t index) const;
  // The segment a character belongs to (an LF: that of the line it ends).
  [[nodiscard]] const Segment& segment(std::uint32_t index) const;

 private:
  std::string chars_;
  std::vector<Segment> segments_;
  mutable std::size_t hint_ = 0;
};

}  // namespace rb::rdr::grammar
