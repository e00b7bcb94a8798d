// check_walk.h — the runbooks that a path means: a file is itself; below a folder every .md and
// .mdx, but in a folder that holds runbook.mdx or runbook.md that one alone.
// Hidden entries, node_modules and links to folders are passed over; the order is bytewise.
#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace rb::ctl {

struct Candidate {
  std::string path;    // as it is shown: the argument, or the argument with what lies below
  std::string folder;  // opened by us
  std::string name;    // file within it
};

// NotFound for a path that isn't there. Appends.
[[nodiscard]] Status find_runbooks(const std::string& path, std::vector<Candidate>& into);

}  // namespace rb::ctl
