// context.h — what the parts of one parse share: the tree being built, the file, the first refusal.
// [UNTRUSTED: reader]
// A refusal ends what is being read: whoever sees refused() returns at once. The parse may go on
// behind it, to find what else is wrong; the tree is then never shown.
// Errors: none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/reader/tree/source.h"
#include "daemon/reader/tree/text.h"
#include "daemon/reader/tree/tree.h"

namespace rb::rdr::grammar {

struct Context {
  Context(Tree& built, const Source& file, const Limits& allowed)
      : tree(built), source(file), limits(allowed), work(allowed.work(file.size())) {}

  Tree& tree;
  const Source& source;
  Limits limits;
  std::uint64_t work;  // characters that may still be read more than once
  std::optional<Problem> refusal;
  std::vector<Problem> found;  // refusals behind which the parse went on

  [[nodiscard]] bool mdx() const { return tree.dialect == Dialect::Mdx; }
  [[nodiscard]] bool refused() const { return refusal.has_value(); }
  // Keeps the first.
  void refuse(std::uint32_t offset, std::string_view code, std::string text,
              std::string advice = {});
  // Puts the refusal aside. False: it ends the parse (a limit is reached, or enough was found).
  bool go_on();
  // Spends work on a second look; false and a refusal when none is left.
  bool spend(std::uint64_t characters, std::uint32_t offset);

  // Adds a node as last child; its span is filled in as offsets (lines and columns come at the
  // end).
  NodeId add(NodeId parent, Kind kind, std::uint32_t begin, std::uint32_t end);
  Node& node(NodeId id) { return tree.nodes[id]; }
  // A value for the tree: NUL is never shown or run, it becomes U+FFFD.
  std::string_view keep(std::string_view made);
};

}  // namespace rb::rdr::grammar
