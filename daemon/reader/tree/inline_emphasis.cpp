// Pairing runs of * _ ~.
#include <array>

#include "daemon/reader/tree/inline.h"

namespace rb::rdr::grammar {
namespace {

std::size_t slot_of(const Run& closer, std::uint32_t length) {
  const std::size_t character = closer.character == '*' ? 0 : closer.character == '_' ? 1 : 2;
  // Strikethrough pairs equal lengths alone.
  return (character * 2 + (closer.can_open ? 1 : 0)) * 3 +
         (closer.character == '~' ? closer.length : length % 3);
}

}  // namespace

// The length that the rule of three looks at: CommonMark's that of the run as written, MDX's
// reference implementation what is left of it.
std::uint32_t InlineParser::rule_length(const Run& run) const {
  return context_.mdx() ? run.end - run.begin : run.length;
}

bool InlineParser::fits(const Run& opener, const Run& closer) const {
  if (!opener.can_open || opener.character != closer.character) {
    return false;
  }
  if (closer.character == '~') {
    return opener.length == closer.length;
  }
  const std::uint32_t length = rule_length(closer);
  const bool both = closer.can_open || opener.can_close;
  return !both || length % 3 == 0 || (rule_length(opener) + length) % 3 != 0;
}

std::uint32_t InlineParser::first_above(std::uint32_t below) const {
  std::uint32_t run = last_run_;
  while (run != kNone && runs_[run].previous != below) {
    run = runs_[run].previous;
  }
  return run;
}

void InlineParser::unlink(std::uint32_t run) {
  Run& gone = runs_[run];
  if (gone.previous != kNone) {
    runs_[gone.previous].next = gone.next;
  }
  if (gone.next != kNone) {
    runs_[gone.next].previous = gone.previous;
  } else {
    last_run_ = gone.previous;
  }
}

// Takes one or two characters from each and notes what they enclose.
void InlineParser::pair(std::uint32_t opener, std::uint32_t closer) {
  Run& left = runs_[opener];
  Run& right = runs_[closer];
  const std::uint32_t in_left = left.end - left.begin;
  const std::uint32_t in_right = right.end - right.begin;
  const bool strike = right.character == '~';
  const std::uint32_t count = strike ? right.length : (in_left >= 2 && in_right >= 2 ? 2 : 1);
  left.end -= count;
  right.begin += count;
  Mark mark;
  mark.kind = strike ? Kind::Delete : count == 2 ? Kind::Strong : Kind::Emphasis;
  mark.begin = left.end;
  mark.end = right.begin;
  mark.inner = left.opens;
  left.opens = static_cast<std::uint32_t>(marks_.size());
  marks_.push_back(mark);
  ++right.closes;
}

// The nearest run that the closer can pair with, not beyond `bottom`.
std::uint32_t InlineParser::opener_for(std::uint32_t closer, std::uint32_t bottom) const {
  std::uint32_t opener = runs_[closer].previous;
  while (opener != kNone && opener >= bottom && !fits(runs_[opener], runs_[closer])) {
    opener = runs_[opener].previous;
  }
  return opener != kNone && opener >= bottom ? opener : kNone;
}

// Pairs the two and takes out what lies between them and what is used up. The result is the run to
// go on with: the closer itself while something of it is left.
std::uint32_t InlineParser::pair_up(std::uint32_t opener, std::uint32_t closer) {
  while (runs_[closer].previous != opener) {
    unlink(runs_[closer].previous);
  }
  pair(opener, closer);
  if (runs_[opener].begin == runs_[opener].end) {
    unlink(opener);
  }
  if (runs_[closer].begin != runs_[closer].end) {
    return closer;
  }
  const std::uint32_t next = runs_[closer].next;
  unlink(closer);
  return next;
}

// All runs above `below` (kNone: all there are) pair or become text.
void InlineParser::pair_runs(std::uint32_t below) {
  // By slot: how far down openers were already looked for in vain. Runs are in document order, so
  // indexes tell.
  std::array<std::uint32_t, 18> bottoms{};
  bottoms.fill(below == kNone ? 0 : below + 1);
  std::uint32_t closer = first_above(below);
  while (closer != kNone) {
    const std::uint32_t next = runs_[closer].next;
    if (!runs_[closer].can_close) {
      closer = next;
      continue;
    }
    std::uint32_t& bottom = bottoms[slot_of(runs_[closer], rule_length(runs_[closer]))];
    const std::uint32_t opener = opener_for(closer, bottom);
    if (opener != kNone) {
      closer = pair_up(opener, closer);
      continue;
    }
    bottom = closer;
    if (!runs_[closer].can_open) {
      unlink(closer);
    }
    closer = next;
  }
  while (last_run_ != kNone && last_run_ != below) {
    unlink(last_run_);
  }
}

}  // namespace rb::rdr::grammar
