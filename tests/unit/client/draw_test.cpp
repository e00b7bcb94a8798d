#include <doctest/doctest.h>

#include <capnp/message.h>

#include <string>
#include <vector>

#include "client/ctl/draw_document.h"
#include "client/ctl/draw_table.h"
#include "client/ctl/flow.h"
#include "client/ctl/page.h"

namespace rb::ctl {
namespace {

using Lines = std::vector<std::string>;

Flow flow_of(const std::string& text) {
  Flow out;
  out.add(text, kPlain);
  return out;
}

TEST_CASE("running text is broken at words and never within one") {
  CHECK(flow_of("one two three").lines(7, false) == Lines{"one two", "three"});
  CHECK(flow_of("  one \n two ").lines(80, false) == Lines{"one two"});
  CHECK(flow_of("https://example.org/very/long x").lines(10, false) ==
        Lines{"https://example.org/very/long", "x"});
  CHECK(flow_of("").lines(10, false).empty());
  CHECK(flow_of("日本 語").lines(4, false) == Lines{"日本", "語"});
}

TEST_CASE("a table's column cuts a word that is longer than itself") {
  CHECK(flow_of("abcdefgh ij").lines(3, false, true) == Lines{"abc", "def", "gh", "ij"});
  CHECK(flow_of("日本語").lines(3, false, true) == Lines{"日", "本", "語"});
}

TEST_CASE("a break starts a line, faces run on over pieces of one word") {
  Flow flow;
  flow.add("a", kBold);
  flow.add("b c", kPlain);
  flow.break_line();
  flow.add("d", kItalic);
  CHECK(flow.lines(80, false) == Lines{"ab c", "d"});
  CHECK(flow.lines(80, true) == Lines{"\x1b[1ma\x1b[0mb c", "\x1b[3md\x1b[0m"});
  CHECK(flow.natural_width() == 4);
}

TEST_CASE("margins stand before every line, an item's mark before its first") {
  Page page(20, false);
  page.line("top");
  page.blank();
  page.push("1. ", "   ");
  page.line("first");
  page.blank();
  page.line("second");
  page.pop();
  page.push("│ ", "│ ");
  page.line("quoted");
  page.blank();
  page.line("again");
  page.pop();
  page.blank();  // nothing follows: no empty line at the end
  CHECK(page.take() == "top\n\n1. first\n\n   second\n│ quoted\n│\n│ again\n");
}

TEST_CASE("columns of a table are fitted, the narrow ones first") {
  Page page(21, false);
  std::vector<DrawnRow> rows(2);
  rows[0].heading = true;
  rows[0].cells = {flow_of("N"), flow_of("What it says")};
  rows[1].cells = {flow_of("12"), flow_of("some words more than fit")};
  draw_table(page, rows, {Align::Right, Align::None});
  CHECK(page.take() ==
        " N │ What it says\n"
        "───┼─────────────────\n"
        "12 │ some words more\n"
        "   │ than fit\n");
}

TEST_CASE("a row without cells and a table without rows draw nothing that isn't there") {
  Page page(40, false);
  draw_table(page, {}, {});
  draw_table(page, std::vector<DrawnRow>(2), {});
  CHECK(page.take().empty());
}

// Two nodes that claim all that follows would each draw it, and double the work with every pair.
TEST_CASE("a tree whose children claim more than their parents is drawn once") {
  constexpr unsigned kNodes = 200;
  capnp::MallocMessageBuilder message;
  auto nodes = message.initRoot<document::Document>().initNodes(kNodes);
  for (unsigned i = 0; i < kNodes; ++i) {
    nodes[i].setKind("blockquote");
    nodes[i].setDescendants(i % 2 == 0 ? 0xFFFFFFFFU : 1);
  }
  nodes[kNodes - 1].setKind("text");
  nodes[kNodes - 1].setText("once");
  const std::string out =
      draw_nodes(message.getRoot<document::Document>().asReader(), {}, {80, false, Manner::Page});
  CHECK(out.find("once") != std::string::npos);
  CHECK(out.find("once") == out.rfind("once"));
}

// Blocks that stand in a line begin no count of their own: the stack is as deep as the page allows.
TEST_CASE("blocks within lines within blocks end as every nesting does") {
  constexpr unsigned kNodes = 200'000;
  capnp::MallocMessageBuilder message;
  auto nodes = message.initRoot<document::Document>().initNodes(kNodes);
  client::RunbookInfo info;
  info.blocks.emplace_back();
  info.blocks[0].id = std::string("b");
  for (unsigned i = 0; i < kNodes; ++i) {
    nodes[i].setKind(i % 2 == 0 ? "strong" : "block");
    nodes[i].setDescendants(kNodes);
    if (i % 2 == 1) {
      nodes[i].setBlock("b");
    }
  }
  const std::string out =
      draw_nodes(message.getRoot<document::Document>().asReader(), info, {80, false, Manner::Page});
  CHECK(out.find("nested too deep") != std::string::npos);
}

}  // namespace
}  // namespace rb::ctl
