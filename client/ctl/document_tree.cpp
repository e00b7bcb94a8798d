#include "client/ctl/document_tree.h"

#include <algorithm>

#include "protocol/wire.h"

namespace rb::ctl {

// A child that claimed more than its parent has would be drawn again by the parent's siblings, and
// so on below: time without end from a short list.
DocumentTree::DocumentTree(DocumentNodes nodes) : nodes_(nodes), ends_(nodes.size()) {
  std::vector<unsigned> open;
  for (unsigned index = 0; index < nodes.size(); ++index) {
    while (!open.empty() && ends_[open.back()] <= index) {
      open.pop_back();
    }
    const std::uint64_t most = open.empty() ? nodes.size() : ends_[open.back()];
    const std::uint64_t end = std::uint64_t{index} + 1 + nodes[index].getDescendants();
    ends_[index] = static_cast<unsigned>(std::min(end, most));
    open.push_back(index);
  }
  wraps_.resize(nodes.size());
  for (unsigned index = 1; index < nodes.size(); ++index) {
    wraps_[index] = is_wrapper(index);
  }
}

// A paragraph of nothing but elements that stand for themselves, and blanks between them.
bool DocumentTree::is_wrapper(unsigned index) const {
  if (role_of(nodes_[index]) != Role::Paragraph) {
    return false;
  }
  bool any = false;
  for (unsigned child = index + 1; child < ends_[index]; child = ends_[child]) {
    const Role role = role_of(nodes_[child]);
    const std::string text = role == Role::Text ? wire::text(nodes_[child].getText()) : "x";
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
      continue;
    }
    if (stands_in_a_line(role) || role == Role::Html) {
      return false;
    }
    any = true;
  }
  return any;
}

std::string DocumentTree::text_of(unsigned index) const {
  const std::string kind = wire::text(nodes_[index].getKind());
  std::string out = kind == "element" || kind == "block" ? "" : wire::text(nodes_[index].getText());
  for (unsigned i = index + 1; i < end_of(index); ++i) {
    const Role role = role_of(nodes_[i]);
    const bool element = wire::text(nodes_[i].getKind()) == "element";
    if (!element && (role == Role::Text || role == Role::Code || role == Role::Pre)) {
      out += wire::text(nodes_[i].getText());
    } else if (role == Role::Break) {
      out += '\n';
    }
  }
  return out;
}

}  // namespace rb::ctl
