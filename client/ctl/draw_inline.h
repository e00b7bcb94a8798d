// draw_inline.h — what stands in a line of a document, as running text with faces.   [runbookctl]
#pragma once

#include <utility>
#include <vector>

#include "client/ctl/document_tree.h"
#include "client/ctl/flow.h"

namespace rb::ctl {

class InlineDrawer {
 public:
  // `tree` must outlive this. Without colours code stands between backquotes.
  InlineDrawer(const DocumentTree& tree, bool colours) : tree_(tree), colours_(colours) {}

  // The node and all beneath it, in these faces. What stands for itself but was written in a line
  // gets lines of its own.
  void add(unsigned index, unsigned faces, Flow& flow, int depth);
  void add_children(unsigned index, unsigned faces, Flow& flow, int depth);
  // Blocks that were met: to be drawn after the line.
  [[nodiscard]] std::vector<unsigned> take_blocks() { return std::exchange(blocks_, {}); }

 private:
  void code(unsigned index, unsigned faces, Flow& flow);
  void link(unsigned index, unsigned faces, Flow& flow, int depth);
  static void image(const Node& node, Flow& flow);

  const DocumentTree& tree_;
  bool colours_;
  std::vector<unsigned> blocks_;
};

}  // namespace rb::ctl
