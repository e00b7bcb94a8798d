#include "client/ctl/node_role.h"

#include <algorithm>
#include <array>

#include "client/ctl/flow.h"
#include "protocol/wire.h"

namespace rb::ctl {
namespace {

struct Named {
  std::string_view name;
  Role role;
  unsigned faces = kPlain;
};

// mdast's names; what isn't here holds others and draws nothing itself.
constexpr std::array kKinds = std::to_array<Named>({
    {"text", Role::Text},
    {"strong", Role::Faced, kBold},
    {"emphasis", Role::Faced, kItalic},
    {"delete", Role::Faced, kStrike},
    {"inlineCode", Role::Code},
    {"break", Role::Break},
    {"link", Role::Link},
    {"image", Role::Image},
    {"footnoteReference", Role::FootnoteMark},
    {"heading", Role::Heading},
    {"paragraph", Role::Paragraph},
    {"list", Role::List},
    {"listItem", Role::Item},
    {"blockquote", Role::Quote},
    {"code", Role::Pre},
    {"table", Role::Table},
    {"tableRow", Role::Row},
    {"tableCell", Role::Cell},
    {"thematicBreak", Role::Rule},
    {"html", Role::Html},
    {"footnoteDefinition", Role::Footnote},
    {"block", Role::Block},
});

// docs/RUNBOOKS.md §HTML; what isn't here is a container.
constexpr std::array kElements = std::to_array<Named>({
    {"a", Role::Link},
    {"abbr", Role::Faced},
    {"b", Role::Faced, kBold},
    {"bdi", Role::Faced},
    {"bdo", Role::Faced},
    {"blockquote", Role::Quote},
    {"br", Role::Break},
    {"caption", Role::Paragraph},
    {"cite", Role::Faced, kItalic},
    {"code", Role::Code},
    {"dd", Role::Item},
    {"del", Role::Faced, kStrike},
    {"dfn", Role::Faced, kItalic},
    {"dt", Role::Term},
    {"em", Role::Faced, kItalic},
    {"figcaption", Role::Paragraph},
    {"h1", Role::Heading},
    {"h2", Role::Heading},
    {"h3", Role::Heading},
    {"h4", Role::Heading},
    {"h5", Role::Heading},
    {"h6", Role::Heading},
    {"hr", Role::Rule},
    {"i", Role::Faced, kItalic},
    {"img", Role::Image},
    {"ins", Role::Faced, kUnderline},
    {"kbd", Role::Code},
    {"li", Role::Item},
    {"mark", Role::Faced, kBold},
    {"ol", Role::List},
    {"p", Role::Paragraph},
    {"pre", Role::Pre},
    {"q", Role::Faced},
    {"rp", Role::Faced},
    {"rt", Role::Faced},
    {"ruby", Role::Faced},
    {"s", Role::Faced, kStrike},
    {"samp", Role::Code},
    {"small", Role::Faced, kDim},
    {"span", Role::Faced},
    {"strong", Role::Faced, kBold},
    {"sub", Role::Faced},
    {"summary", Role::Summary},
    {"sup", Role::Faced},
    {"table", Role::Table},
    {"td", Role::Cell},
    {"th", Role::Cell},
    {"time", Role::Faced},
    {"tr", Role::Row},
    {"u", Role::Faced, kUnderline},
    {"ul", Role::List},
    {"var", Role::Faced, kItalic},
    {"wbr", Role::Faced},
});

template <std::size_t N>
const Named* find(const std::array<Named, N>& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Named& one) { return one.name == name; });
  return found == table.end() ? nullptr : &*found;
}

const Named* named(const Node& node) {
  const std::string kind = wire::text(node.getKind());
  return kind == "element" ? find(kElements, wire::text(node.getText())) : find(kKinds, kind);
}

}  // namespace

Role role_of(const Node& node) {
  const Named* known = named(node);
  return known == nullptr ? Role::Container : known->role;
}

bool stands_in_a_line(Role role) {
  return role <= Role::FootnoteMark;
}

unsigned faces_of(const Node& node) {
  const Named* known = named(node);
  return known == nullptr ? kPlain : known->faces;
}

unsigned heading_depth(const Node& node) {
  const std::string kind = wire::text(node.getKind());
  const std::string name = wire::text(node.getText());
  const unsigned depth = kind == "element" && name.size() == 2
                             ? static_cast<unsigned>(name[1] - '0')
                             : static_cast<unsigned>(node.getNumber());
  return std::clamp(depth, 1U, 6U);
}

std::string attribute_of(const Node& node, std::string_view name) {
  for (const auto attribute : node.getAttributes()) {
    if (wire::text(attribute.getName()) == name) {
      return wire::text(attribute.getValue());
    }
  }
  return "";
}

}  // namespace rb::ctl
