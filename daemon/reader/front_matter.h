// front_matter.h — what stands between the two lines --- of a runbook.   [UNTRUSTED: reader]
// In:     a tree.
// Out:    title, inputs and interpreters of a Markdown runbook. An MDX runbook's front matter means
//         nothing: only its title is looked at, and nothing in it is ever an error.
// Errors: findings; a refusal among them means the runbook isn't opened (Markdown only).
// Source: docs/RUNBOOKS.md §Front matter.
#pragma once

#include <string>
#include <vector>

#include "daemon/reader/interpreter.h"
#include "daemon/reader/model.h"
#include "daemon/reader/tree/tree.h"

namespace rb::rdr {

struct FrontMatter {
  std::string title;
  std::vector<InputDeclaration> inputs;
  Languages languages;
};

[[nodiscard]] FrontMatter read_front_matter(const Tree& tree, std::vector<Finding>& findings);

}  // namespace rb::rdr
