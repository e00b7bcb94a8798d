// check_report.h — what `check` says about one file, and about all of them.
#pragma once

#include <string>
#include <vector>

#include "client/ctl/check_job.h"

namespace rb::ctl {

// The object of DESIGN §9; one line without its end.
[[nodiscard]] std::string checked_json(const Checked& checked);
// Every problem, as a compiler prints them; "" when there is none.
[[nodiscard]] std::string checked_text(const Checked& checked, bool colour);
// "3 files: 1 refused, 1 with errors, 1 with warnings"
[[nodiscard]] std::string check_summary(const std::vector<Checked>& all);
[[nodiscard]] int check_status(const std::vector<Checked>& all, bool strict);

}  // namespace rb::ctl
