// block_json.h — runbooks and blocks as scripts may rely on them (docs/COMMANDS.md §JSON).
#pragma once

#include <string>

#include "client/lib/escape.h"
#include "client/lib/model.h"

namespace rb::ctl {

// {"runbook","digest","blocks":[...]}: of `show --json`; with "problems" of `open --json`.
[[nodiscard]] std::string runbook_json(const client::RunbookInfo& info,
                                       const std::string& only_block);
[[nodiscard]] std::string opened_json(const client::Opened& opened);
[[nodiscard]] std::string run_json(const client::RunInfo& run);
// One line of `list --json`.
[[nodiscard]] std::string listed_json(const client::RunbookInfo& info);

}  // namespace rb::ctl
