// Any bytes are Markdown: the parser never refuses, and its tree is sound.
#include <algorithm>

#include "daemon/reader/tree/vet.h"
#include "tests/fuzz/tree_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = rb::as_text({data, size});
  rb::rdr::Parsed parsed = rb::rdr::parse(text, rb::rdr::Dialect::Markdown);
  rb::fuzz::must(parsed.problems.empty());
  rb::fuzz::check_tree(parsed.tree);
  rb::fuzz::must(rb::rdr::vet(parsed.tree).empty());
  const auto& nodes = parsed.tree.nodes;
  rb::fuzz::planted(std::any_of(nodes.begin(), nodes.end(), [](const rb::rdr::Node& node) {
    return node.kind == rb::rdr::Kind::Emphasis;
  }));
  return 0;
}
