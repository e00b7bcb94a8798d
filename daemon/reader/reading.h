// reading.h — one runbook as its reading goes on: the tree, what was found, what is shared.
// [UNTRUSTED: reader]
#pragma once

#include <string>
#include <vector>

#include "daemon/reader/front_matter.h"
#include "daemon/reader/model.h"
#include "daemon/reader/sealed_tree.h"
#include "daemon/reader/tree/tree.h"

namespace rb::rdr {

struct Reading {
  const Tree& tree;
  const FrontMatter& front;
  const SealedTree* folder = nullptr;  // null where only the text is known (tests, fuzzing)
  std::string file_name;               // of the runbook

  std::vector<Finding> findings;
  std::vector<Block> blocks;
  // For each node of the tree: the index of its block in `blocks`, else kNone.
  std::vector<std::uint32_t> block_of_node;

  // A finding at a node of the runbook.
  [[nodiscard]] Finding at(const Node& node, Severity severity, std::string code) const {
    Finding out;
    out.severity = severity;
    out.code = std::move(code);
    out.line = node.span.start.line;
    out.column = node.span.start.column;
    return out;
  }
};

// Blocks of a Markdown runbook: every fence with an info string (fences.cpp).
void read_fences(Reading& reading);
// Blocks of an MDX runbook: every known component with an id (blocks.cpp).
void read_blocks(Reading& reading);

}  // namespace rb::rdr
