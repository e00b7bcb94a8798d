#include "daemon/reader/prop.h"

namespace rb::rdr {
namespace {

void read_literal(const Tree& tree, LiteralId id, Prop& out) {
  if (id == kNone) {
    return;
  }
  const Literal& literal = tree.literals[id];
  out.literal = id;
  switch (literal.kind) {
    case LiteralKind::String:
    case LiteralKind::Template:
      out.state = PropState::Text;
      out.text = literal.value;
      out.verbatim = literal.verbatim;
      return;
    case LiteralKind::Number:
      out.number = literal.value;
      return;
    case LiteralKind::Boolean:
      out.is_true = literal.value == "true";
      return;
    case LiteralKind::Null:
    case LiteralKind::BigInt:
    case LiteralKind::Regex:
    case LiteralKind::Array:
    case LiteralKind::Object:
    case LiteralKind::NotLiteral:
      return;
  }
}

}  // namespace

Prop prop_of(const Tree& tree, const Node& node, std::string_view name) {
  Prop out;
  const Attribute* attribute = tree.attribute(node, name);
  if (attribute == nullptr) {
    return out;
  }
  out.state = PropState::NotText;
  out.line = attribute->value_start.line;
  switch (attribute->kind) {
    case AttributeKind::String:
      out.state = PropState::Text;
      out.text = attribute->value;
      out.verbatim = attribute->verbatim;
      break;
    case AttributeKind::Expression:
      read_literal(tree, attribute->literal, out);
      break;
    case AttributeKind::Bare:
    case AttributeKind::Spread:
      break;
  }
  return out;
}

std::vector<std::string> texts_of(const Tree& tree, const Prop& prop) {
  std::vector<std::string> out;
  if (prop.state == PropState::Text) {
    out.emplace_back(prop.text);
    return out;
  }
  if (prop.literal == kNone || tree.literals[prop.literal].kind != LiteralKind::Array) {
    return out;
  }
  for (LiteralId id = tree.literals[prop.literal].first_child; id != kNone;
       id = tree.literals[id].next) {
    const Literal& one = tree.literals[id];
    if (one.kind == LiteralKind::String || one.kind == LiteralKind::Template) {
      out.emplace_back(one.value);
    }
  }
  return out;
}

// Outside containers a script is what its author wrote, column by column. Within a list, a quote or
// a table nobody can say which columns are the container's: there the reference's value is taken.
std::string script_text(const Tree& tree, const Node& node, const Prop& command) {
  for (NodeId at = node.parent; at != kNone; at = tree.nodes[at].parent) {
    const Kind kind = tree.nodes[at].kind;
    if (kind == Kind::ListItem || kind == Kind::Blockquote || kind == Kind::TableCell) {
      return std::string(command.text);
    }
  }
  return std::string(command.verbatim);
}

}  // namespace rb::rdr
