// trees.h — the sealed copy of a runbook's folder, which scripts see.   [TRUSTED: broker]
// trees/<digest>/ holds exactly the files that were hashed. A copy that is there already is taken
// only when every byte and every name in it is right; else it is put aside and made anew. It isn't
// synced: a power cut costs a copy, and the next opening finds that out.
// Source: DESIGN §5; attack A9.
#pragma once

#include "broker/registry.h"
#include "common/fd.h"

namespace rb::brk {

struct SealedTree {
  Fd folder;
  bool is_new = false;  // this content was never opened here before
};
// Removes half copies that a broker left which died in the midst of one.
void sweep_trees(int trees);
[[nodiscard]] Result<SealedTree> seal_tree(int trees, const Tree& tree, ByteView content);

}  // namespace rb::brk
