#include "client/ctl/draw_table.h"

#include <algorithm>
#include <numeric>

#include "client/lib/text.h"

namespace rb::ctl {
namespace {

constexpr std::size_t kNarrowestColumn = 4;
constexpr std::string_view kGap = " │ ";
constexpr std::size_t kGapColumns = 3;

std::vector<std::size_t> natural_widths(const std::vector<DrawnRow>& rows) {
  std::vector<std::size_t> out;
  for (const DrawnRow& row : rows) {
    out.resize(std::max(out.size(), row.cells.size()), 1);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      out[i] = std::max(out[i], row.cells[i].natural_width());
    }
  }
  return out;
}

// Narrow columns keep what they need; wide ones share the rest.
void fit(std::vector<std::size_t>& widths, std::size_t room) {
  const std::size_t gaps = kGapColumns * (widths.size() - std::min<std::size_t>(1, widths.size()));
  const std::size_t most = room - std::min(room, gaps);
  std::size_t level =
      std::min(*std::max_element(widths.begin(), widths.end()), std::max(most, kNarrowestColumn));
  const auto taken = [&](std::size_t at_most) {
    return std::accumulate(
        widths.begin(), widths.end(), std::size_t{0},
        [&](std::size_t sum, std::size_t w) { return sum + std::min(w, at_most); });
  };
  while (level > kNarrowestColumn && taken(level) > most) {
    --level;
  }
  for (std::size_t& width : widths) {
    width = std::min(width, level);
  }
}

// `line` has faces in it; its columns were counted before.
std::string aligned(const std::string& line, std::size_t have, std::size_t width, Align align) {
  const std::size_t spare = width - std::min(width, have);
  const std::size_t left = align == Align::Right ? spare : align == Align::Center ? spare / 2 : 0;
  return std::string(left, ' ') + line + std::string(spare - left, ' ');
}

struct Cell {
  std::vector<std::string> drawn;
  std::vector<std::string> bare;  // the same without faces, to be measured
};

void draw_row(Page& page, const DrawnRow& row, const std::vector<std::size_t>& widths,
              const std::vector<Align>& aligns) {
  std::vector<Cell> cells(widths.size());
  std::size_t height = 1;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    cells[i] = {row.cells[i].lines(widths[i], page.colours(), true),
                row.cells[i].lines(widths[i], false, true)};
    height = std::max(height, cells[i].drawn.size());
  }
  for (std::size_t y = 0; y < height; ++y) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const bool there = y < cells[i].drawn.size();
      const Align align = i < aligns.size() ? aligns[i] : Align::None;
      line += i == 0 ? "" : painted(kGap, kDim, page.colours());
      line += aligned(there ? cells[i].drawn[y] : "", there ? client::columns(cells[i].bare[y]) : 0,
                      widths[i], align);
    }
    while (!line.empty() && line.back() == ' ') {
      line.pop_back();
    }
    page.line(line);
  }
}

std::string rule(const std::vector<std::size_t>& widths) {
  std::string out;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    out += i == 0 ? "" : "─┼─";
    for (std::size_t x = 0; x < widths[i]; ++x) {
      out += "─";
    }
  }
  return out;
}

}  // namespace

void draw_table(Page& page, const std::vector<DrawnRow>& rows, const std::vector<Align>& aligns) {
  std::vector<std::size_t> widths = natural_widths(rows);
  if (widths.empty()) {
    return;
  }
  fit(widths, page.room());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    draw_row(page, rows[i], widths, aligns);
    if (rows[i].heading && (i + 1 == rows.size() || !rows[i + 1].heading)) {
      page.line(painted(rule(widths), kDim, page.colours()));
    }
  }
}

}  // namespace rb::ctl
