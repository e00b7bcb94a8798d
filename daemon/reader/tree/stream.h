// stream.h — a text that grows by a line when a construct reads past its end.   [UNTRUSTED: reader]
// A tag or a value in braces may go on over lines. Between blocks the next line comes from the
// file, with its containers' prefixes removed; within a paragraph the text is complete. Errors:
// none; why there is no more is in `ended`.
#pragma once

#include <cstdint>
#include <functional>

#include "daemon/reader/tree/text.h"

namespace rb::rdr::grammar {

enum class Ended {
  No,
  EndOfText,  // of the paragraph or the file
  Container,  // the line closes the container that the construct stands in
};

struct Stream {
  Text& text;
  std::function<Ended()> more;  // appends one line; empty: the text is complete
  Ended ended = Ended::No;

  // The character at an index exists, after as many further lines as that takes.
  bool has(std::uint32_t index) {
    while (index >= text.size()) {
      if (ended == Ended::No) {
        ended = more ? more() : Ended::EndOfText;
      }
      if (ended != Ended::No) {
        return false;
      }
    }
    return true;
  }
  // NUL at the end; a NUL in the text is told apart by has().
  char at(std::uint32_t index) { return has(index) ? text.chars()[index] : '\0'; }
  // At the end of the line as read so far, without asking for more.
  [[nodiscard]] bool at_line_end(std::uint32_t index) const {
    return index >= text.size() || text.chars()[index] == '\n';
  }
};

}  // namespace rb::rdr::grammar
