// help.h — help, written from the table of verbs alone.
#pragma once

#include <string>

#include "client/ctl/context.h"

namespace rb::ctl {

[[nodiscard]] std::string help_overview(const client::Terminal& terminal);
[[nodiscard]] std::string help_of(const Command& command, const client::Terminal& terminal);
// "runbookctl run PATH|RUNBOOK [BLOCK...] [options]"
[[nodiscard]] std::string usage_of(const Command& command);
// What to say about a verb that isn't there.
[[nodiscard]] std::string unknown_verb(const std::string& typed);

}  // namespace rb::ctl
