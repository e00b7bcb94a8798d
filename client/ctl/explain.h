// explain.h — what a script ran into, where the profile's text alone says why.   [runbookctl]
// In:     the end of an execution's output, and what its sandbox was made of. No file is touched: a
//         path that isn't shown is explained in the same words whether there is something or not.
// Out:    at most three, each once. Nothing where another cause is as likely: a missing file in a
//         place that is shown, permissions, names that don't resolve.
// Source: DESIGN §7 (explained refusals).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/profile.h"

namespace rb::ctl {

// What the sandbox was made of; paths absolute and clean, "" for none.
struct Ground {
  policy::Profile profile;
  std::string home;
  std::string runbook_folder;
  std::string work;
  std::string record;  // the state folder: never talked of
  std::string cwd;
  std::vector<std::string> read;     // granted
  std::vector<std::string> written;  // granted, or given as the work folder
  std::vector<std::string> sets;     // granted
};

struct Explanation {
  std::string what;    // "write /etc/billing/a.conf"
  std::string why;     // "workspace: system folders are read-only"
  std::string advice;  // "--write /etc/billing"
};

[[nodiscard]] std::vector<Explanation> explain(std::string_view output, const Ground& ground);

}  // namespace rb::ctl
