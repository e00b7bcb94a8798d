// text.h — durations, sizes, times and tables, as people read them.   [frontends]
// Out:    calm and short: "0.8 s", "1 m 02 s", "2.1 MiB", "14:02:11".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"

namespace rb::client {

[[nodiscard]] std::string duration_text(Millis span);
// "500ms", "90", "90s", "1m30s", "2h", "1d"; nullopt for anything else and for over a year.
[[nodiscard]] std::optional<Millis> parse_duration(std::string_view text);
[[nodiscard]] std::string size_text(std::uint64_t bytes);
// Local time of day; with the date when it is another day than `now_ms`.
[[nodiscard]] std::string time_text(std::int64_t wall_ms, std::int64_t now_ms);

// Columns on a terminal: characters, not bytes; wide ones count twice.
[[nodiscard]] std::size_t columns(std::string_view utf8);
// At most that many columns, ending in "…" where something was cut.
[[nodiscard]] std::string shortened(std::string_view utf8, std::size_t most);
// Filled with blanks up to that many columns.
[[nodiscard]] std::string padded(std::string_view utf8, std::size_t width);

// Rows of cells under a heading, two blanks between columns, the last column unpadded.
class Table {
 public:
  explicit Table(std::vector<std::string> heading) : rows_{std::move(heading)} {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.size() == 1; }
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// The candidate that is most like what was typed; "" when none is close.
[[nodiscard]] std::string closest(std::string_view typed,
                                  const std::vector<std::string>& candidates);

}  // namespace rb::client
