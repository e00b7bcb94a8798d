// tree_check.h — what holds for every tree, whatever the text was.   [tests]
#pragma once

#include <string_view>

#include "daemon/reader/tree/tree.h"
#include "tests/fuzz/fuzz.h"

namespace rb::fuzz {

inline void check_position(const rdr::Tree& tree, const rdr::Position& position) {
  must(position.line >= 1 && position.column >= 1);
  must(position.offset <= tree.source().size());
}

// Preorder, links that agree with each other, spans within the file and within their parents.
inline void check_tree(const rdr::Tree& tree) {
  must(!tree.nodes.empty() && tree.nodes[0].kind == rdr::Kind::Root);
  for (rdr::NodeId id = 0; id < tree.nodes.size(); ++id) {
    const rdr::Node& node = tree.nodes[id];
    check_position(tree, node.span.start);
    check_position(tree, node.span.end);
    must(node.span.start.offset <= node.span.end.offset);
    must(node.first_child == rdr::kNone || node.first_child == id + 1);
    must(id == 0 || (node.parent < id && tree.nodes[node.parent].first_child <= id));
    for (rdr::NodeId child = node.first_child; child != rdr::kNone;
         child = tree.nodes[child].next) {
      must(child > id && tree.nodes[child].parent == id);
      must(tree.nodes[child].next != rdr::kNone || node.last_child == child);
    }
  }
  for (const rdr::Attribute& attribute : tree.attributes) {
    check_position(tree, attribute.span.start);
    check_position(tree, attribute.span.end);
  }
}

}  // namespace rb::fuzz
