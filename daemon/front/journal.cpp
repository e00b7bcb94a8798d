#include "daemon/front/journal.h"

#include <algorithm>

#include "common/io.h"
#include "protocol/limits.h"

namespace rb::fnt {
namespace {

constexpr std::size_t kPiece = std::size_t{64} * 1024;

}  // namespace

Status Journal::add_segment(std::uint32_t number, std::uint64_t first_line, Fd file) {
  // Almost always at the end. A segment that was on its way while nobody watched may have come
  // first; then those before it follow, and no cursor stands here yet.
  const auto after = std::lower_bound(
      segments_.begin(), segments_.end(), number,
      [](const Segment& each, std::uint32_t wanted) { return each.number < wanted; });
  if (after != segments_.end() && after->number == number) {
    return after->first_line == first_line ? done()
                                           : error(Code::Invalid, "a segment begins elsewhere now");
  }
  const bool before_fits = after == segments_.begin() || (after - 1)->first_line <= first_line;
  const bool after_fits = after == segments_.end() || first_line <= after->first_line;
  if (first_line == 0 || !before_fits || !after_fits) {
    return error(Code::Invalid, "a segment is out of order");
  }
  segments_.insert(after, Segment{number, first_line, 0, std::move(file)});
  return done();
}

Status Journal::grew(std::uint32_t number, std::uint64_t length, std::uint64_t last_line) {
  const auto found = std::find_if(segments_.begin(), segments_.end(),
                                  [&](const Segment& each) { return each.number == number; });
  if (found == segments_.end() || length < found->length) {
    return error(Code::Invalid, "a journal can only grow");
  }
  found->length = length;
  last_line_ = std::max(last_line_, last_line);
  return done();
}

Cursor Journal::find(std::uint64_t line) const {
  if (segments_.empty()) {
    return {0, 0, 1};
  }
  if (line > last_line_) {
    return {segments_.size() - 1, segments_.back().length, last_line_ + 1};
  }
  std::size_t at = 0;
  for (std::size_t i = 0; i < segments_.size() && segments_[i].first_line <= line; ++i) {
    at = i;
  }
  return {at, 0, segments_[at].first_line};
}

// At least one whole line, or up to kPiece bytes of them.
Result<Bytes> Journal::read_piece(const Segment& segment, std::uint64_t offset) const {
  const std::uint64_t left = segment.length - offset;
  for (std::uint64_t want = std::min<std::uint64_t>(kPiece, left);;) {
    Result<Bytes> piece = read_at(segment.file.get(), offset, static_cast<std::size_t>(want));
    if (!piece) {
      return piece;
    }
    const std::string_view text = as_text(*piece);
    const std::size_t end = text.rfind('\n');
    if (end != std::string_view::npos) {
      piece->resize(end + 1);
      return piece;
    }
    if (want == left || want > limits::kJournalLineBytes) {
      return error(Code::Invalid, "a journal line doesn't end");
    }
    want = std::min<std::uint64_t>(limits::kJournalLineBytes + 1, left);
  }
}

Result<bool> Journal::read_step(Cursor& cursor, const Take& take) const {
  if (cursor.segment >= segments_.size()) {
    return false;
  }
  const Segment& segment = segments_[cursor.segment];
  if (cursor.offset >= segment.length) {
    if (cursor.segment + 1 == segments_.size()) {
      return false;
    }
    if (segments_[cursor.segment + 1].first_line != cursor.line) {
      return error(Code::Invalid, "a segment doesn't go on where the last one ended");
    }
    ++cursor.segment;
    cursor.offset = 0;
    return true;
  }
  const Result<Bytes> piece = read_piece(segment, cursor.offset);
  if (!piece) {
    return piece.failure();
  }
  std::string_view rest = as_text(*piece);
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const bool go_on = take(cursor.line, rest.substr(0, end));
    rest.remove_prefix(end + 1);
    cursor.offset += end + 1;
    ++cursor.line;
    if (!go_on) {
      return true;
    }
  }
  return true;
}

}  // namespace rb::fnt
