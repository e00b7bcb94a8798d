#include "daemon/reader/tree/tree.h"

#include <cstring>

namespace rb::rdr {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;

}  // namespace

std::string_view kind_name(Kind kind) {
  switch (kind) {
    case Kind::Root:
      return "root";
    case Kind::Paragraph:
      return "paragraph";
    case Kind::Heading:
      return "heading";
    case Kind::ThematicBreak:
      return "thematicBreak";
    case Kind::Blockquote:
      return "blockquote";
    case Kind::List:
      return "list";
    case Kind::ListItem:
      return "listItem";
    case Kind::Html:
      return "html";
    case Kind::Code:
      return "code";
    case Kind::Definition:
      return "definition";
    case Kind::FootnoteDefinition:
      return "footnoteDefinition";
    case Kind::Table:
      return "table";
    case Kind::TableRow:
      return "tableRow";
    case Kind::TableCell:
      return "tableCell";
    case Kind::Text:
      return "text";
    case Kind::Emphasis:
      return "emphasis";
    case Kind::Strong:
      return "strong";
    case Kind::Delete:
      return "delete";
    case Kind::InlineCode:
      return "inlineCode";
    case Kind::Break:
      return "break";
    case Kind::Link:
      return "link";
    case Kind::Image:
      return "image";
    case Kind::LinkReference:
      return "linkReference";
    case Kind::ImageReference:
      return "imageReference";
    case Kind::FootnoteReference:
      return "footnoteReference";
    case Kind::MdxJsxFlowElement:
      return "mdxJsxFlowElement";
    case Kind::MdxJsxTextElement:
      return "mdxJsxTextElement";
    case Kind::MdxFlowExpression:
      return "mdxFlowExpression";
    case Kind::MdxTextExpression:
      return "mdxTextExpression";
    case Kind::MdxjsEsm:
      return "mdxjsEsm";
  }
  return "";
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
