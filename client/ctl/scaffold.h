// scaffold.h — the first version of a runbook, for `init`: it vets without a warning and runs.
// [runbookctl]
#pragma once

#include <string>
#include <vector>

namespace rb::ctl {

struct ScaffoldFile {
  std::string path;  // below the runbook's folder
  std::string text;
  bool executable = false;
};

enum class Flavour : unsigned char { Mdx, Markdown };

// `main`: the runbook's own file name. The title is any text; what it holds of markup stays text.
// With `alone` everything stands in that one file.
[[nodiscard]] std::vector<ScaffoldFile> scaffold(Flavour flavour, const std::string& main,
                                                 const std::string& title, bool alone);

// "deploy-billing.mdx" → "Deploy billing".
[[nodiscard]] std::string title_from_name(std::string name);

}  // namespace rb::ctl
