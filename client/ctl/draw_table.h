// draw_table.h — a table of a document, its columns fitted to the page.   [runbookctl]
#pragma once

#include <cstdint>
#include <vector>

#include "client/ctl/page.h"

namespace rb::ctl {

enum class Align : std::uint8_t { None, Left, Right, Center };

struct DrawnRow {
  std::vector<Flow> cells;
  bool heading = false;
};

// Rows may have fewer cells than others. Cells are wrapped where the page is too narrow.
void draw_table(Page& page, const std::vector<DrawnRow>& rows, const std::vector<Align>& aligns);

}  // namespace rb::ctl
