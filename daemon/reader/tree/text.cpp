#include "daemon/reader/tree/text.h"

#include <algorithm>

namespace rb::rdr::grammar {
namespace {

constexpr std::uint32_t kTab = 4;

std::uint32_t width_at(char c, std::uint32_t column) {
  return c == '\t' ? kTab - column % kTab : 1;
}

bool is_blank_char(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

Cursor::Cursor(const Source& source, std::uint32_t line_index)
    : text(source.text()),
      line(line_index),
      at(source.line(line_index).begin),
      end(source.line(line_index).end) {
  if (line_index == 0) {
    at += source.mark_bytes();
  }
}

bool Cursor::blank() const {
  for (std::uint32_t i = at; i < end; ++i) {
    if (!is_blank_char(text[i])) {
      return false;
    }
  }
  return true;
}

std::uint32_t Cursor::indent(std::uint32_t enough) const {
  std::uint32_t reached = column + blanks;
  for (std::uint32_t i = at; i < end && is_blank_char(text[i]) && reached - column < enough; ++i) {
    reached += width_at(text[i], reached);
  }
  return reached - column;
}

void Cursor::skip_columns(std::uint32_t columns) {
  while (columns > 0) {
    if (blanks > 0) {
      const std::uint32_t taken = std::min(blanks, columns);
      blanks -= taken;
      column += taken;
      columns -= taken;
      continue;
    }
    if (at >= end || !is_blank_char(text[at])) {
      return;
    }
    blanks = width_at(text[at], column);
    ++at;
  }
}

void Cursor::skip_blanks() {
  column += blanks;
  blanks = 0;
  while (at < end && is_blank_char(text[at])) {
    column += width_at(text[at], column);
    ++at;
  }
}

void Cursor::skip_bytes(std::uint32_t bytes) {
  at += bytes;
  column += bytes;
}

void Text::append(const Cursor& cursor) {
  if (!segments_.empty()) {
    chars_ += '\n';
  }
  segments_.push_back({size(), cursor.at, cursor.blanks, cursor.line, cursor.column});
  chars_.append(cursor.blanks, ' ');
  chars_.append(cursor.rest());
}

void Text::append(const Source& source, std::uint32_t begin, std::uint32_t end) {
  if (!segments_.empty()) {
    chars_ += '\n';
  }
  segments_.push_back({size(), begin, 0, source.line_of(begin), 0});
  chars_.append(source.text().substr(begin, end - begin));
}

void Text::clear() {
  chars_.clear();
  segments_.clear();
  hint_ = 0;
}

void Text::drop_last_line() {
  const std::uint32_t start = segments_.back().index;
  segments_.pop_back();
  chars_.resize(start == 0 ? 0 : start - 1);
  hint_ = 0;
}

void Text::drop_front(std::uint32_t count) {
  std::size_t first = 0;
  while (first + 1 < segments_.size() && segments_[first + 1].index <= count) {
    ++first;
  }
  const std::uint32_t into = count - segments_[first].index;
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(first));
  Segment& head = segments_.front();
  const std::uint32_t from_blanks = std::min(into, head.blanks);
  head.blanks -= from_blanks;
  head.source += into - from_blanks;
  head.column += into;
  head.index = count;
  chars_.erase(0, count);
  for (Segment& segment : segments_) {
    segment.index -= count;
  }
  hint_ = 0;
}

const Segment& Text::segment(std::uint32_t index) const {
  const auto covers = [&](std::size_t i) {
    return segments_[i].index <= index &&
           (i + 1 == segments_.size() || index < segments_[i + 1].index);
  };
  if (hint_ < segments_.size() && covers(hint_)) {
    return segments_[hint_];
  }
  if (hint_ + 1 < segments_.size() && covers(hint_ + 1)) {
    return segments_[++hint_];
  }
  const auto found =
      std::upper_bound(segments_.begin(), segments_.end(), index,
                       [](std::uint32_t v, const Segment& s) { return v < s.index; });
  hint_ = static_cast<std::size_t>(found - segments_.begin()) - 1;
  return segments_[hint_];
}

std::uint32_t Text::offset(std::uint32_t index) const {
  const Segment& found = segment(index);
  const std::uint32_t into = index - found.index;
  return found.source + (into > found.blanks ? into - found.blanks : 0);
}

}  // namespace rb::rdr::grammar
