// node_role.h — what a node of a document is to whoever draws it: Markdown's own nodes and the HTML
// elements a runbook may write, by one list of roles.   [runbookctl]
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/document.capnp.h"

namespace rb::ctl {

using Node = rb::document::Node::Reader;

enum class Role : std::uint8_t {
  // They stand in a line.
  Text,
  Faced,  // strong, em, kbd, …: its faces, and what is in it
  Code,
  Break,
  Link,
  Image,
  FootnoteMark,
  // They stand for themselves.
  Container,
  Heading,
  Paragraph,
  List,
  Item,
  Quote,
  Pre,
  Table,
  Row,
  Cell,
  Rule,
  Html,
  Footnote,
  Summary,
  Term,
  Block,
};

[[nodiscard]] Role role_of(const Node& node);
[[nodiscard]] bool stands_in_a_line(Role role);
[[nodiscard]] unsigned faces_of(const Node& node);
[[nodiscard]] unsigned heading_depth(const Node& node);  // 1 to 6
// "" where there is none.
[[nodiscard]] std::string attribute_of(const Node& node, std::string_view name);

}  // namespace rb::ctl
