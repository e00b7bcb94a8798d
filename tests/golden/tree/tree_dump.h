// tree_dump.h — a tree as text, one node a line, for people to review.   [tests]
#pragma once

#include <string>

#include "daemon/reader/tree/tree.h"

namespace rb::test {

// Indentation is depth; then kind, `line:column-line:column`, the node's own fields, its value.
[[nodiscard]] std::string dump_tree(const rdr::Tree& tree);

}  // namespace rb::test
