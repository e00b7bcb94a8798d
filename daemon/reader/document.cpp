#include "daemon/reader/document.h"

#include <utility>
#include <vector>

#include "daemon/reader/naming.h"
#include "daemon/reader/prop.h"
#include "daemon/reader/tree/vet.h"
#include "protocol/document.capnp.h"
#include "protocol/wire.h"

namespace rb::rdr {
namespace {

using Attributes = std::vector<std::pair<std::string, std::string>>;

// An expression that shows something: a literal text or number. Others render as nothing.
const Literal* shown_literal(const Tree& tree, const Node& node) {
  const LiteralId id = tree.expression(node).literal;
  if (id == kNone) {
    return nullptr;
  }
  const Literal& literal = tree.literals[id];
  const bool shown = literal.kind == LiteralKind::String || literal.kind == LiteralKind::Template ||
                     literal.kind == LiteralKind::Number;
  return shown ? &literal : nullptr;
}

bool is_expression(const Node& node) {
  return node.kind == Kind::MdxFlowExpression || node.kind == Kind::MdxTextExpression;
}

bool is_shown(const Tree& tree, const Node& node) {
  if (is_expression(node)) {
    return shown_literal(tree, node) != nullptr;
  }
  return node.kind != Kind::Definition && node.kind != Kind::MdxjsEsm;
}

class DocumentWriter {
 public:
  DocumentWriter(const Reading& reading) : reading_(reading), tree_(reading.tree) {}

  void write(document::Document::Builder into, const std::string& title) {
    into.setTitle(wire::text(title));
    // How many shown nodes stand before each node: what is left out has no children.
    std::vector<std::uint32_t> before(tree_.nodes.size() + 1, 0);
    for (NodeId id = 0; id < tree_.nodes.size(); ++id) {
      before[id + 1] = before[id] + (is_shown(tree_, tree_.nodes[id]) ? 1U : 0U);
    }
    auto nodes = into.initNodes(before.back());
    for (NodeId id = 0; id < tree_.nodes.size(); ++id) {
      if (before[id + 1] == before[id]) {
        continue;
      }
      auto node = nodes[before[id]];
      node.setDescendants(before[id + tree_.descendants(id) + 1] - before[id + 1]);
      fill(id, tree_.nodes[id], node);
    }
  }

 private:
  static void set_text(document::Node::Builder into, std::string_view text) {
    into.setText(wire::text(to_valid_utf8(text)));
  }

  void fill(NodeId id, const Node& node, document::Node::Builder into) {
    into.setKind(wire::text(std::string(kind_name(node.kind))));
    into.setLine(node.span.start.line);
    into.setColumn(node.span.start.column);
    into.setOffset(node.span.start.offset);
    set_text(into, node.value);
    fill_kind(node, into);
    if (const std::uint32_t block = reading_.block_of_node[id]; block != kNone) {
      into.setBlock(wire::text(reading_.blocks[block].id));
    }
  }

  void fill_kind(const Node& node, document::Node::Builder into) {
    if (is_expression(node)) {
      into.setKind("text");
      set_text(into, shown_literal(tree_, node)->value);
    } else if (node.kind == Kind::MdxJsxFlowElement || node.kind == Kind::MdxJsxTextElement) {
      fill_element(node, into);
    } else if (node.kind == Kind::Link || node.kind == Kind::LinkReference) {
      into.setKind("link");
      fill_link(tree_.link(node), into);
    } else if (node.kind == Kind::Image || node.kind == Kind::ImageReference) {
      into.setKind("image");
      fill_link(tree_.link(node), into);
      set_text(into, tree_.link(node).alt);
    } else if (node.kind == Kind::FootnoteReference || node.kind == Kind::FootnoteDefinition) {
      set_text(into, tree_.link(node).label);
    } else if (node.kind == Kind::Code) {
      fill_attributes({{"info", for_people(tree_.code(node).info, 500)}}, into);
    } else {
      fill_numbers(node, into);
    }
  }

  static void fill_numbers(const Node& node, document::Node::Builder into) {
    if (node.kind == Kind::Heading) {
      into.setNumber(node.number);
    } else if (node.kind == Kind::List) {
      into.setNumber(node.number);
      into.setFlag(node.ordered);
    } else if (node.kind == Kind::ListItem) {
      into.setNumber(node.checked == Checked::None ? 0 : 1);  // 1: a task
      into.setFlag(node.checked == Checked::Yes);
    } else if (node.kind == Kind::TableRow) {
      into.setFlag(node.number == 0);
    } else if (node.kind == Kind::TableCell) {
      into.setNumber(static_cast<std::uint32_t>(node.align));
    }
  }

  static void fill_link(const Link& link, document::Node::Builder into) {
    if (!link.unsafe && !is_script_url(link.url)) {
      into.setUrl(wire::text(to_valid_utf8(link.url)));
    }
    if (!link.title.empty()) {
      fill_attributes({{"title", to_valid_utf8(link.title)}}, into);
    }
  }

  void fill_element(const Node& node, document::Node::Builder into) {
    const Element& element = tree_.element(node);
    const bool block = is_known_block(element.name);
    into.setKind(block ? "block" : "element");
    set_text(into, element.name);
    Attributes shown;
    for (std::uint32_t i = 0; i < element.attribute_count; ++i) {
      const Attribute& attribute = tree_.attributes[element.first_attribute + i];
      add_attribute(element, attribute, block, shown);
    }
    fill_attributes(shown, into);
  }

  // Blocks show all plain values but the script, which comes from the registry alone.
  void add_attribute(const Element& element, const Attribute& attribute, bool block,
                     Attributes& into) const {
    const bool wanted = block ? attribute.name != "command" && attribute.name != "path"
                              : is_allowed_attribute(element.name, attribute.name);
    if (!wanted || attribute.kind == AttributeKind::Spread) {
      return;
    }
    std::string value;
    if (attribute.kind == AttributeKind::String) {
      value = to_valid_utf8(attribute.value);
    } else if (attribute.kind == AttributeKind::Expression) {
      const Literal* literal =
          attribute.literal == kNone ? nullptr : &tree_.literals[attribute.literal];
      const bool plain = literal != nullptr && literal->kind != LiteralKind::Array &&
                         literal->kind != LiteralKind::Object &&
                         literal->kind != LiteralKind::Regex;
      if (!plain) {
        return;
      }
      value = to_valid_utf8(literal->value);
    }
    if (!is_script_url(value)) {
      into.emplace_back(to_valid_utf8(attribute.name), std::move(value));
    }
  }

  static void fill_attributes(const Attributes& from, document::Node::Builder into) {
    auto attributes = into.initAttributes(static_cast<unsigned>(from.size()));
    for (unsigned i = 0; i < from.size(); ++i) {
      attributes[i].setName(wire::text(from[i].first));
      attributes[i].setValue(wire::text(from[i].second));
    }
  }

  const Reading& reading_;
  const Tree& tree_;
};

}  // namespace

Bytes encode_document(const Reading& reading, const std::string& title) {
  return wire::build<document::Document>(
      [&](auto root) { DocumentWriter(reading).write(root, title); });
}

}  // namespace rb::rdr
