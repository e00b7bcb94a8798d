// draw_document.h — a vetted document as a person reads it in a terminal.   [runbookctl]
// In:     the sealed memory file that came with the runbook, and the registry's blocks. Every text
//         is hostile and is escaped; a block's script is the registry's, never the document's.
// Out:    lines for a page of that width. `Manner::Instructions` is instruction mode: every block
//         becomes text to copy, at the left edge, and nothing of it is shortened.
#pragma once

#include <cstdint>
#include <string>

#include "client/lib/model.h"
#include "common/result.h"
#include "protocol/document.capnp.h"

namespace rb::ctl {

enum class Manner : std::uint8_t { Page, Instructions };

struct Drawing {
  std::size_t width = 80;
  bool colours = false;
  Manner manner = Manner::Page;
};

[[nodiscard]] std::string draw_nodes(rb::document::Document::Reader document,
                                     const client::RunbookInfo& info, const Drawing& drawing);
[[nodiscard]] Result<std::string> draw_document(int document, const client::RunbookInfo& info,
                                                const Drawing& drawing);

}  // namespace rb::ctl
