// sealed_tree.h — the loaded folder as the reader sees it: names, kinds, bytes.
// [UNTRUSTED: reader]
// In:     reader::Tree and the sealed memory file of its content.
// Out:    what stands at a path as a runbook writes it, resolved within the folder by text alone:
//         links were followed by the loader, so a path here never leads anywhere else.
// Errors: Resolved::kind says why there are no bytes; bytes() is Invalid for a broken index.
// Source: docs/RUNBOOKS.md §Script files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/bytes.h"
#include "common/result.h"
#include "protocol/reader.capnp.h"

namespace rb::rdr {

struct TreeEntry {
  std::string path;
  reader::EntryKind kind = reader::EntryKind::UNSET;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

enum class PathState : std::uint8_t { File, Missing, NotAFile, Escapes, TooLarge, Unreadable };

struct Resolved {
  PathState state = PathState::Missing;
  const TreeEntry* entry = nullptr;  // File
  std::string path;                  // File: as the tree names it
};

class SealedTree {
 public:
  // Invalid where entries overlap the end, aren't sorted, or the runbook isn't among them. The
  // descriptor stays the caller's and must outlive the tree.
  [[nodiscard]] static Result<SealedTree> from_wire(reader::Tree::Reader wire, int content);

  [[nodiscard]] Resolved resolve(std::string_view written) const;
  [[nodiscard]] Result<std::string> bytes(const TreeEntry& entry, std::uint64_t most) const;
  [[nodiscard]] const std::string& main() const { return main_; }
  [[nodiscard]] const TreeEntry* find(std::string_view path) const;
  [[nodiscard]] bool bound() const { return bound_; }

 private:
  std::vector<TreeEntry> entries_;
  std::string main_;
  bool bound_ = false;
  int content_ = -1;
};

}  // namespace rb::rdr
