// registry.h — what one opened runbook can run: sealed, and const from then on.   [TRUSTED: broker]
// In:     what a loader and a reader said, both hostile: every name, size, range and count is
//         checked again here, and the bytes come from the sealed content, hashed by us.
// Out:    a Registry only where the reader vetted the document and named no refusal.
// Errors: Invalid: the reader broke its contract, nothing is opened.
// Source: DESIGN §5; docs/PROTOCOL.md §Digests; attacks A9, A21.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/bytes.h"
#include "common/digest.h"
#include "common/result.h"
#include "protocol/reader.capnp.h"

namespace rb::brk {

struct TreeEntry {
  std::string path;
  bool folder = false;
  bool executable = false;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// The files and folders of the loaded folder.
struct Tree {
  std::string main;
  bool bound = false;
  std::vector<TreeEntry> entries;
  Digest digest;

  // nullptr unless it is a file.
  [[nodiscard]] const TreeEntry* file(std::string_view path) const;
};

// Of what is sealed, which is what scripts see: whether that is the whole folder, and of every file
// and folder its path, whether its owner may execute it, and its bytes. The copy's is the same.
[[nodiscard]] Digest tree_digest(const Tree& tree, ByteView content);

// `content`: the loader's sealed memory.
[[nodiscard]] Result<Tree> check_tree(reader::Tree::Reader from, ByteView content);

struct Piece {
  enum class Kind : std::uint8_t { Literal, Dropped, Insertion };
  Kind kind = Kind::Literal;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  std::string input;
  std::string not_value;
  std::string why;
  reader::Place place = reader::Place::UNSET;
  std::uint32_t line = 0;
  bool word_start = false;
};

struct InputSpec {
  std::string name;
  std::string type;
  std::string inputs_id;
  std::string description;
  std::vector<std::string> options;
  std::string fallback;  // where has_fallback
  bool required = false;
  bool has_fallback = false;
  bool sensitive = false;
};

struct Executable {
  std::string id;
  std::string type;
  std::string kind;
  std::string language;
  std::string title;
  std::string path;  // kind file: in the tree
  std::string profile;
  std::string why_not;
  bool runnable = false;
  bool use_pty = false;
  std::uint32_t line = 0;
  std::uint64_t timeout_ms = 0;
  std::shared_ptr<const Bytes> script;
  std::vector<std::string> interpreter;
  std::vector<Piece> trace;
  std::vector<InputSpec> inputs;
  Digest digest;
};

struct Registry {
  std::string title;
  std::string format;  // mdx, markdown
  std::vector<Executable> blocks;

  [[nodiscard]] const Executable* block(std::string_view id) const;
};

[[nodiscard]] Result<Registry> seal_registry(reader::Outcome::Reader from, const Tree& tree,
                                             ByteView content);

}  // namespace rb::brk
