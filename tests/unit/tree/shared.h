// shared.h — the conformance data and corpus that lie beside the source tree.   [tests]
// Folder: $RUNBOOKD_SHARED, else ../shared beside the project. Absent: the tests that need it say
// so and pass; with RUNBOOKD_MUST_WORK=1 they fail.
#pragma once

#include <functional>
#include <string>

#include "common/json_reader.h"

namespace rb::test {

// "" when there is none.
[[nodiscard]] std::string shared_folder();
// True when the shared folder is there; says SKIPPED otherwise.
[[nodiscard]] bool have_shared();
// The whole file; ends the test when it can't be read.
[[nodiscard]] std::string read_all(const std::string& path);
// Calls back for each line of a JSONL file.
void each_line(const std::string& path, const std::function<void(const Json&)>& take);

}  // namespace rb::test
