// draw_block.h — one block of the registry on a page: as a card, or as text to copy.   [runbookctl]
#pragma once

#include <string>

#include "client/ctl/page.h"
#include "client/lib/model.h"

namespace rb::ctl {

// Name, type, profile, state; the first lines of what it would run, or why it doesn't.
void draw_card(Page& page, const client::BlockInfo& block, const client::RunbookInfo& info,
               const std::string& description);
// Instruction mode: what to do by hand, the script whole and at the left edge between fences that
// are longer than any in it.
void draw_instructions(Page& page, const client::BlockInfo& block, const std::string& description);
// Lines between fences at the left edge; `language` may be "".
void draw_fenced(Page& page, const std::string& text, const std::string& language);

}  // namespace rb::ctl
