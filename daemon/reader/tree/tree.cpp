#include "daemon/reader/tree/tree.h"

#include <cstring>

namespace rb::rdr {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} * 1024;

}  // namespace

std::string_view kind_name(Kind kind) {
  // In the order of Kind.
  static constexpr std::string_view kNames[] = {
      "root",
      "paragraph",
      "heading",
      "thematicBreak",
      "blockquote",
      "list",
      "listItem",
      "html",
      "code",
      "definition",
      "footnoteDefinition",
      "table",
      "tableRow",
      "tableCell",
      "text",
      "emphasis",
      "strong",
      "delete",
      "inlineCode",
      "break",
      "link",
      "image",
      "linkReference",
      "imageReference",
      "footnoteReference",
      "mdxJsxFlowElement",
      "mdxJsxTextElement",
      "mdxFlowExpression",
      "mdxTextExpression",
      "mdxjsEsm",
  };
  return kNames[static_cast<std::size_t>(kind)];
}

const Attribute* Tree::attribute(const Node& node, std::string_view name) const {
  const Element& owner = element(node);
  for (std::uint32_t i = 0; i < owner.attribute_count; ++i) {
    const Attribute& candidate = attributes[owner.first_attribute + i];
    if (candidate.kind != AttributeKind::Spread && candidate.name == name) {
      return &candidate;
    }
  }
  return nullptr;
}

std::uint32_t Tree::descendants(NodeId id) const {
  // Preorder: what lies beneath ends where the next sibling of it or of an ancestor begins.
  for (NodeId at = id; at != kNone; at = nodes[at].parent) {
    if (nodes[at].next != kNone) {
      return nodes[at].next - id - 1;
    }
  }
  return static_cast<std::uint32_t>(nodes.size()) - id - 1;
}

std::string Tree::text_of(NodeId id) const {
  std::string out;
  const NodeId end = id + descendants(id) + 1;
  for (NodeId at = id; at < end; ++at) {
    const Node& node = nodes[at];
    if (node.kind == Kind::Text || node.kind == Kind::InlineCode) {
      out += node.value;
    } else if (node.kind == Kind::Break) {
      out += '\n';
    } else if (node.kind == Kind::Image || node.kind == Kind::ImageReference) {
      out += link(node).alt;
    }
  }
  return out;
}

void Tree::adopt(std::string_view text) {
  source_ = std::make_unique<char[]>(text.size() + 1);
  source_size_ = text.size();
  if (!text.empty()) {
    std::memcpy(source_.get(), text.data(), text.size());
  }
}

std::string_view Tree::keep(std::string_view made) {
  if (made.empty()) {
    return {};
  }
  if (made.size() > block_size_ - block_used_) {
    block_size_ = made.size() > kBlockBytes ? made.size() : kBlockBytes;
    block_used_ = 0;
    blocks_.push_back(std::make_unique<char[]>(block_size_));
  }
  char* place = blocks_.back().get() + block_used_;
  std::memcpy(place, made.data(), made.size());
  block_used_ += made.size();
  return {place, made.size()};
}

}  // namespace rb::rdr
