// The whole parse: front matter, blocks, text, then the tree in its final order with positions.
#include <algorithm>
#include <utility>
#include <vector>

#include "daemon/reader/tree/blocks.h"
#include "daemon/reader/tree/context.h"
#include "daemon/reader/tree/inline.h"
#include "daemon/reader/tree/scan.h"
#include "daemon/reader/tree/source.h"
#include "daemon/reader/tree/tree.h"

namespace rb::rdr {
namespace {

using grammar::Line;
using grammar::Source;

constexpr std::size_t kBytesPerNode = 24;  // of dense text; it saves growing, no more

// Front matter lies between a first line `---` and the next one. As in the replaced system, a byte
// order mark in front makes it text in MDX.
void find_front_matter(const Source& source, Tree& tree) {
  const bool mark_allowed = tree.dialect == Dialect::Markdown;
  if (source.line_count() == 0 || (source.mark_bytes() > 0 && !mark_allowed)) {
    return;
  }
  const auto content = [&](std::uint32_t index) {
    const Line& line = source.line(index);
    const std::uint32_t begin = index == 0 ? source.mark_bytes() : line.begin;
    return source.text().substr(begin, line.end - begin);
  };
  if (content(0) != "---") {
    return;
  }
  for (std::uint32_t i = 1; i < source.line_count(); ++i) {
    const std::string_view line = content(i);
    if (line.substr(0, 3) == "---" && grammar::skip_blanks(line, 3) == line.size()) {
      tree.front_matter = true;
      tree.front_begin = source.line(0).next;
      tree.front_end = source.line(i).begin;
      tree.body_offset = source.line(i).next;
      tree.body_line = i + 2;
      return;
    }
  }
}

NodeId next_in_order(const std::vector<Node>& nodes, NodeId at) {
  if (nodes[at].first_child != kNone) {
    return nodes[at].first_child;
  }
  while (at != kNone && nodes[at].next == kNone) {
    at = nodes[at].parent;
  }
  return at == kNone ? kNone : nodes[at].next;
}

// Nodes in document order, so that what lies beneath a node follows it.
void order_nodes(Tree& tree) {
  const std::vector<Node>& old = tree.nodes;
  std::vector<NodeId> order;
  order.reserve(old.size());
  bool ordered_already = true;
  for (NodeId at = 0; at != kNone; at = next_in_order(old, at)) {
    ordered_already = ordered_already && at == order.size();
    order.push_back(at);
  }
  if (ordered_already && order.size() == old.size()) {
    return;
  }
  std::vector<NodeId> place(old.size(), kNone);
  std::vector<Node> ordered;
  ordered.reserve(order.size());
  for (const NodeId at : order) {
    place[at] = static_cast<NodeId>(ordered.size());
    ordered.push_back(old[at]);
  }
  const auto moved = [&](NodeId& id) { id = id == kNone ? kNone : place[id]; };
  for (Node& node : ordered) {
    moved(node.parent);
    moved(node.first_child);
    moved(node.last_child);
    moved(node.next);
  }
  for (Link& link : tree.links) {
    moved(link.definition);
  }
  tree.nodes = std::move(ordered);
}

void place_positions(const Source& source, Tree& tree) {
  const auto fill = [&](Position& position) { position = source.position(position.offset); };
  for (Node& node : tree.nodes) {
    fill(node.span.start);
    fill(node.span.end);
  }
  for (Attribute& attribute : tree.attributes) {
    fill(attribute.span.start);
    fill(attribute.span.end);
    fill(attribute.value_start);
  }
  for (LineMap& map : tree.line_maps) {
    map.column = source.position(map.offset).column;
  }
}

// A list or item is loose where a blank line lies between two things in it.
void mark_loose(Tree& tree) {
  for (Node& node : tree.nodes) {
    if (node.kind != Kind::List && node.kind != Kind::ListItem) {
      continue;
    }
    for (NodeId child = node.first_child; child != kNone; child = tree.nodes[child].next) {
      const NodeId after = tree.nodes[child].next;
      node.spread = node.spread || (after != kNone && tree.nodes[after].span.start.line >
                                                          tree.nodes[child].span.end.line + 1);
    }
  }
}

// Each text by itself: of one that is refused nothing stays.
void parse_texts(grammar::Context& context, grammar::Blocks& blocks) {
  std::vector<Node>& nodes = context.tree.nodes;
  for (grammar::InlineJob& job : blocks.jobs) {
    if (context.refused() && !context.go_on()) {
      return;
    }
    const std::size_t before = nodes.size();
    grammar::InlineParser(context, blocks, job).run();
    if (context.refused()) {
      nodes.resize(before);
      nodes[job.node].first_child = nodes[job.node].last_child = kNone;
    }
  }
}

// In document order, whether blocks or their texts were refused.
std::vector<Problem> take_problems(grammar::Context& context) {
  std::vector<Problem> out = std::move(context.found);
  if (context.refusal) {
    out.push_back(std::move(*context.refusal));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Problem& a, const Problem& b) { return a.offset < b.offset; });
  return out;
}

}  // namespace

Parsed parse(std::string_view text, Dialect dialect, const Limits& limits) {
  Parsed parsed;
  Tree& tree = parsed.tree;
  tree.dialect = dialect;
  tree.adopt(text);
  tree.nodes.reserve(text.size() / kBytesPerNode + 16);
  const Source source(tree.source());
  find_front_matter(source, tree);
  grammar::Context context(tree, source, limits);
  context.add(kNone, Kind::Root, tree.body_offset, source.size());
  grammar::Blocks blocks;
  grammar::BlockParser(context, blocks).run(tree.body_line - 1);
  parse_texts(context, blocks);
  order_nodes(tree);
  place_positions(source, tree);
  mark_loose(tree);
  parsed.problems = take_problems(context);
  return parsed;
}

}  // namespace rb::rdr
