#include "tests/golden/tree/tree_dump.h"

#include <cstdint>

namespace rb::test {
namespace {

using rdr::Attribute;
using rdr::Kind;
using rdr::kNone;
using rdr::Link;
using rdr::Literal;
using rdr::LiteralId;
using rdr::LiteralKind;
using rdr::Node;
using rdr::Tree;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string at(const rdr::Position& position) {
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::string literal(const Tree& tree,
                    LiteralId id) {  // NOLINT(misc-no-recursion): tests' own input
  const Literal& found = tree.literals[id];
  const bool list = found.kind == LiteralKind::Array;
  std::string out = found.key.empty() ? "" : std::string(found.key) + ": ";
  if (!list && found.kind != LiteralKind::Object) {
    return out + quoted(found.verbatim);
  }
  out += list ? "[" : "{";
  for (LiteralId child = found.first_child; child != kNone; child = tree.literals[child].next) {
    out += (child == found.first_child ? "" : ", ") + literal(tree, child);
  }
  return out + (list ? "]" : "}");
}

std::string attribute(const Tree& tree, const Attribute& found) {
  std::string out = " @" + at(found.span.start) + " " + std::string(found.name);
  switch (found.kind) {
    case rdr::AttributeKind::String:
      return out + "=" + quoted(found.verbatim);
    case rdr::AttributeKind::Bare:
      return out;
    case rdr::AttributeKind::Spread:
      return out + "{" + std::string(found.value) + "}";
    case rdr::AttributeKind::Expression:
      break;
  }
  return out + "=" + (found.literal == kNone ? "?" : literal(tree, found.literal));
}

std::string link(const Link& found) {
  std::string out;
  const auto field = [&](const char* name, std::string_view value) {
    out += value.empty() ? "" : " " + std::string(name) + "=" + quoted(value);
  };
  field("url", found.url);
  field("title", found.title);
  field("label", found.label);
  field("alt", found.alt);
  return out;
}

std::string code(const rdr::Code& found) {
  if (!found.fenced) {
    return " indented";
  }
  std::string out = " " + std::string(found.fence_length, found.fence) + quoted(found.info);
  out += " lines=" + std::to_string(found.body_lines);
  return out + (found.closed ? "" : " unclosed");
}

std::string own_fields(const Tree& tree, const Node& node) {
  const bool element = node.kind == Kind::MdxJsxFlowElement || node.kind == Kind::MdxJsxTextElement;
  if (element) {
    const rdr::Element& found = tree.element(node);
    std::string out = " <" + std::string(found.name) + ">";
    for (std::uint32_t i = 0; i < found.attribute_count; ++i) {
      out += attribute(tree, tree.attributes[found.first_attribute + i]);
    }
    return out;
  }
  if (node.kind == Kind::Code) {
    return code(tree.code(node));
  }
  if (node.kind == Kind::Heading) {
    return " " + std::to_string(node.number);
  }
  if (node.kind == Kind::List) {
    return (node.ordered ? " from " + std::to_string(node.number) : "") +
           std::string(node.spread ? " loose" : "");
  }
  if (node.kind == Kind::ListItem && node.checked != rdr::Checked::None) {
    return node.checked == rdr::Checked::Yes ? " [x]" : " [ ]";
  }
  const bool links = node.detail != kNone && node.kind != Kind::MdxFlowExpression &&
                     node.kind != Kind::MdxTextExpression;
  return links ? link(tree.link(node)) : "";
}

}  // namespace

std::string dump_tree(const Tree& tree) {
  std::string out;
  std::vector<std::size_t> depth(tree.nodes.size());
  for (rdr::NodeId id = 0; id < tree.nodes.size(); ++id) {
    const Node& node = tree.nodes[id];
    depth[id] = node.parent == kNone ? 0 : depth[node.parent] + 1;
    out += std::string(2 * depth[id], ' ') + std::string(rdr::kind_name(node.kind)) + " " +
           at(node.span.start) + "-" + at(node.span.end) + own_fields(tree, node);
    out += node.value.empty() ? "\n" : " " + quoted(node.value) + "\n";
  }
  return out;
}

}  // namespace rb::test
