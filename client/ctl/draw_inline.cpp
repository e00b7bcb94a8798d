#include "client/ctl/draw_inline.h"

#include "client/lib/escape.h"
#include "protocol/wire.h"

namespace rb::ctl {

void InlineDrawer::add_children(unsigned index, unsigned faces, Flow& flow, int depth) {
  if (depth > kDeepest) {
    flow.add(" … nested too deep to be drawn ", kDim);
    return;
  }
  tree_.for_children(index, [&](unsigned child) { add(child, faces, flow, depth + 1); });
}

void InlineDrawer::add(unsigned index, unsigned faces, Flow& flow, int depth) {
  const Node node = tree_[index];
  switch (role_of(node)) {
    case Role::Text:
      flow.add(client::plain(wire::text(node.getText())), faces);
      return;
    case Role::Faced:
      add_children(index, faces | faces_of(node), flow, depth);
      return;
    case Role::Code:
      code(index, faces, flow);
      return;
    case Role::Break:
      flow.break_line();
      return;
    case Role::Link:
      link(index, faces, flow, depth);
      return;
    case Role::Image:
      image(node, flow);
      return;
    case Role::FootnoteMark:
      flow.add("[^" + client::label(wire::text(node.getText())) + "]", faces | kDim);
      return;
    case Role::Html:
      flow.add(client::plain(wire::text(node.getText())), faces | kDim);
      return;
    case Role::Block:
      blocks_.push_back(index);
      return;
    case Role::Container:
    case Role::Heading:
    case Role::Paragraph:
    case Role::List:
    case Role::Item:
    case Role::Quote:
    case Role::Pre:
    case Role::Table:
    case Role::Row:
    case Role::Cell:
    case Role::Rule:
    case Role::Footnote:
    case Role::Summary:
    case Role::Term:
      // It stands for itself, but was written within a line.
      flow.break_line();
      add_children(index, faces, flow, depth);
      flow.break_line();
  }
}

void InlineDrawer::code(unsigned index, unsigned faces, Flow& flow) {
  const std::string text = client::plain(tree_.text_of(index));
  flow.add(colours_ ? text : "`" + text + "`", faces | kLiteral);
}

void InlineDrawer::link(unsigned index, unsigned faces, Flow& flow, int depth) {
  const Node node = tree_[index];
  add_children(index, faces | kUnderline, flow, depth);
  std::string url = wire::text(node.getUrl());
  url = url.empty() ? attribute_of(node, "href") : url;
  const std::string text = tree_.text_of(index);
  if (!url.empty() && url != text && url != "mailto:" + text) {
    flow.add(text.empty() ? "<" : " <", faces | kDim);
    flow.add(client::label(url) + ">", faces | kDim);
  }
}

void InlineDrawer::image(const Node& node, Flow& flow) {
  const std::string kind = wire::text(node.getKind());
  const bool element = kind == "element";
  const std::string alt = element ? attribute_of(node, "alt") : wire::text(node.getText());
  const std::string url = element ? attribute_of(node, "src") : wire::text(node.getUrl());
  flow.add("[image" + (alt.empty() ? "" : ": " + client::plain(alt)) + "]", kPlain);
  flow.add(url.empty() ? "" : " <" + client::label(url) + ">", kDim);
}

}  // namespace rb::ctl
