// document_text.h — a vetted document as text: `show --print`.
#pragma once

#include <string>

#include "client/lib/model.h"
#include "common/result.h"

namespace rb::ctl {

// `document` is the sealed memory file that came with the runbook. Every text is hostile and is
// escaped; a block's script comes from the registry (`info`), not from the document.
[[nodiscard]] Result<std::string> document_text(int document, const client::RunbookInfo& info);

}  // namespace rb::ctl
