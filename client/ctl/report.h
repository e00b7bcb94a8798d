// report.h — problems of a runbook, as a compiler would print them.
// Every text in a problem is hostile: it passes through the terminal's encoder.
#pragma once

#include <string>
#include <vector>

#include "client/lib/model.h"
#include "client/lib/terminal.h"

namespace rb::ctl {

// "FILE:LINE:COL: error[code]: text", then the source line and a caret where there is one.
// `file` stands for problems that name no file of their own.
[[nodiscard]] std::string problem_text(const client::Problem& problem, const std::string& file,
                                       bool colour);

// "billing/deploy", 12 digits of its digest, ...: the line above a run.
[[nodiscard]] std::string heading_text(const client::Opened& opened,
                                       const client::Terminal& terminal);
// What a block runs, in one line: its file, or its first line that says something.
[[nodiscard]] std::string block_summary(const client::BlockInfo& block);

}  // namespace rb::ctl
