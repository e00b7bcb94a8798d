// document_tree.h — a document's preorder list as a tree. What a hostile daemon sends can't lead
// out of the list or keep anyone going round in it.   [runbookctl]
#pragma once

#include <string>
#include <vector>

#include "client/ctl/node_role.h"

namespace rb::ctl {

using DocumentNodes = capnp::List<rb::document::Node>::Reader;

inline constexpr int kDeepest = 256;  // whoever draws goes no deeper

class DocumentTree {
 public:
  explicit DocumentTree(DocumentNodes nodes);

  [[nodiscard]] unsigned size() const { return nodes_.size(); }
  [[nodiscard]] Node operator[](unsigned index) const { return nodes_[index]; }

  // The index after the node and all beneath it: never beyond its parent's.
  [[nodiscard]] unsigned end_of(unsigned index) const { return ends_[index]; }

  // MDX puts <li> or <tr> that stand alone on a line into a paragraph: its children take its place.
  template <typename Each>
  void for_children(unsigned index, Each each) const {
    for (unsigned child = index + 1; child < ends_[index];
         child = wraps_[child] ? child + 1 : ends_[child]) {
      if (!wraps_[child]) {
        each(child);
      }
    }
  }

  // What is written in a node, faces and all else left out.
  [[nodiscard]] std::string text_of(unsigned index) const;

 private:
  [[nodiscard]] bool is_wrapper(unsigned index) const;

  DocumentNodes nodes_;
  std::vector<unsigned> ends_;
  std::vector<bool> wraps_;
};

}  // namespace rb::ctl
