// text_place.h — where a piece of text taken out of a file stands in that file.
// [UNTRUSTED: reader]
// In:     a line and column within the piece, from 1.
// Out:    the line and column in the file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rb::rdr {

class TextPlace {
 public:
  // A whole file, or text that starts at the beginning of `first_line`.
  explicit TextPlace(std::string file = "", std::uint32_t first_line = 1)
      : file_(std::move(file)), first_line_(first_line) {}
  // Text whose lines each start somewhere else: (line, column) of each.
  explicit TextPlace(std::vector<std::pair<std::uint32_t, std::uint32_t>> lines)
      : lines_(std::move(lines)) {}

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> at(std::uint32_t line,
                                                           std::uint32_t column) const {
    if (lines_.empty()) {
      return {first_line_ + line - 1, column};
    }
    if (line > lines_.size()) {
      return {lines_.back().first + 1, 1};
    }
    return {lines_[line - 1].first, lines_[line - 1].second + column - 1};
  }
  // "" is the runbook itself.
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string file_;
  std::uint32_t first_line_ = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines_;
};

}  // namespace rb::rdr
