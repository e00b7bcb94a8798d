// A document as a taken-over daemon may send it, drawn for a terminal: whatever the tree is, the
// drawing ends, and nothing but text, line ends and our own faces comes out.
#include <capnp/message.h>

#include <array>
#include <string>

#include "client/ctl/draw_document.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"

namespace {

constexpr std::array kKinds = {"root",
                               "heading",
                               "paragraph",
                               "text",
                               "strong",
                               "emphasis",
                               "delete",
                               "inlineCode",
                               "code",
                               "break",
                               "link",
                               "image",
                               "list",
                               "listItem",
                               "blockquote",
                               "table",
                               "tableRow",
                               "tableCell",
                               "thematicBreak",
                               "html",
                               "footnoteReference",
                               "footnoteDefinition",
                               "element",
                               "block"};
constexpr std::array kNames = {"ul", "ol", "li",      "h3",  "table",      "tr",
                               "th", "td", "span",    "br",  "pre",        "a",
                               "dl", "dd", "details", "img", "Admonition", ""};

std::string some_text(rb::fuzz::Input& input) {
  const std::uint8_t choice = input.byte();
  if (choice < kNames.size()) {
    return std::string(kNames[choice]);
  }
  return input.text(40);
}

void fill(rb::fuzz::Input& input, rb::document::Node::Builder node) {
  node.setKind(kKinds[input.byte() % kKinds.size()]);
  node.setDescendants(input.number());
  node.setText(some_text(input).c_str());
  const std::uint8_t more = input.byte();
  node.setNumber(more & 7U);
  node.setFlag((more & 8U) != 0);
  if ((more & 16U) != 0) {
    node.setBlock("b");
  }
  if ((more & 32U) != 0) {
    node.setUrl(input.text(20).c_str());
  }
  if ((more & 64U) != 0) {
    auto attributes = node.initAttributes(1);
    attributes[0].setName("title");
    attributes[0].setValue(input.text(20).c_str());
  }
}

bool is_face(const std::string& out, std::size_t& at) {
  std::size_t end = at + 1;
  if (end >= out.size() || out[end] != '[') {
    return false;
  }
  while (++end < out.size() && ((out[end] >= '0' && out[end] <= '9') || out[end] == ';')) {
  }
  at = end;
  return end < out.size() && out[end] == 'm';
}

bool is_harmless(const std::string& out, bool colours) {
  for (std::size_t at = 0; at < out.size(); ++at) {
    const auto byte = static_cast<unsigned char>(out[at]);
    if (byte == 0x1B ? !colours || !is_face(out, at)
                     : byte == 0x7F || (byte < 0x20 && byte != '\n' && byte != '\t')) {
      return false;
    }
  }
  return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rb::fuzz::Input input(data, size);
  rb::client::RunbookInfo info;
  info.blocks.emplace_back();
  info.blocks[0].id = std::string("b");
  info.blocks[0].runnable = (input.byte() & 1U) != 0;
  info.blocks[0].title = input.text(20);
  info.blocks[0].script = rb::Bytes(20, '`');
  const std::uint8_t how = input.byte();
  const rb::ctl::Drawing drawing{
      20U + how % 64U, (how & 64U) != 0,
      (how & 128U) != 0 ? rb::ctl::Manner::Instructions : rb::ctl::Manner::Page};
  capnp::MallocMessageBuilder message;
  auto nodes = message.initRoot<rb::document::Document>().initNodes(1 + input.byte());
  nodes[0].setDescendants(0xFFFFFFFF);
  for (auto node : nodes) {
    fill(input, node);
  }
  nodes[0].setDescendants(nodes.size());
  const std::string out =
      rb::ctl::draw_nodes(message.getRoot<rb::document::Document>().asReader(), info, drawing);
  rb::fuzz::planted(out.find("┼") != std::string::npos);
  rb::fuzz::must(is_harmless(out, drawing.colours));
  return 0;
}
