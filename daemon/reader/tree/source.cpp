#include "daemon/reader/tree/source.h"

#include <algorithm>

namespace rb::rdr::grammar {
namespace {

constexpr std::uint32_t kEvery = 64;

bool starts_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
}

}  // namespace

Source::Source(std::string_view text) : text_(text) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") {
    mark_bytes_ = 3;
  }
  std::uint32_t begin = 0;
  for (std::uint32_t at = 0; at < size();) {
    const char c = text[at];
    if (c != '\n' && c != '\r') {
      ++at;
      continue;
    }
    const bool pair = c == '\r' && at + 1 < size() && text[at + 1] == '\n';
    const std::uint32_t next = at + (pair ? 2 : 1);
    lines_.push_back({begin, at, next});
    begin = at = next;
  }
  line_count_ = static_cast<std::uint32_t>(lines_.size()) + (begin < size() ? 1 : 0);
  lines_.push_back({begin, size(), size()});
  set_checkpoints();
}

void Source::set_checkpoints() {
  const bool ascii = std::all_of(text_.begin(), text_.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) {
    return;
  }
  checkpoints_.reserve(size() / kEvery + 1);
  std::uint32_t characters = 0;
  for (std::uint32_t at = 0; at < size(); ++at) {
    if (at % kEvery == 0) {
      checkpoints_.push_back(characters);
    }
    characters += starts_character(text_[at]) ? 1 : 0;
  }
}

std::uint32_t Source::line_of(std::uint32_t offset) const {
  const auto in = [&](std::uint32_t index) {
    return lines_[index].begin <= offset &&
           (index + 1 == lines_.size() || offset < lines_[index + 1].begin);
  };
  if (in(hint_)) {
    return hint_;
  }
  if (hint_ + 1 < lines_.size() && in(hint_ + 1)) {
    return ++hint_;
  }
  const auto found = std::upper_bound(lines_.begin(), lines_.end(), offset,
                                      [](std::uint32_t v, const Line& l) { return v < l.begin; });
  hint_ = static_cast<std::uint32_t>(found - lines_.begin()) - 1;
  return hint_;
}

std::uint32_t Source::characters_before(std::uint32_t offset) const {
  std::uint32_t at = offset / kEvery;
  if (at >= checkpoints_.size()) {
    at = static_cast<std::uint32_t>(checkpoints_.size()) - 1;
  }
  std::uint32_t characters = checkpoints_[at];
  for (at *= kEvery; at < offset; ++at) {
    characters += starts_character(text_[at]) ? 1 : 0;
  }
  return characters;
}

Position Source::position(std::uint32_t offset) const {
  offset = std::min(offset, size());
  const std::uint32_t index = line_of(offset);
  std::uint32_t begin = lines_[index].begin;
  if (index == 0 && mark_bytes_ <= offset) {
    begin = mark_bytes_;
  }
  const std::uint32_t column =
      checkpoints_.empty() ? offset - begin : characters_before(offset) - characters_before(begin);
  return {index + 1, column + 1, offset};
}

}  // namespace rb::rdr::grammar
