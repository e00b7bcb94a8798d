// Positions, order and the fields of nodes that other code builds on.
#include "daemon/reader/tree/tree.h"

#include <doctest/doctest.h>

#include <string>

namespace rb::rdr {
namespace {

const Node& first(const Tree& tree, Kind kind) {
  for (const Node& node : tree.nodes) {
    if (node.kind == kind) {
      return node;
    }
  }
  FAIL("no node of kind ", kind_name(kind));
  return tree.nodes[0];
}

std::size_t count(const Tree& tree, Kind kind) {
  std::size_t found = 0;
  for (const Node& node : tree.nodes) {
    found += node.kind == kind ? 1 : 0;
  }
  return found;
}

std::string kinds(const Tree& tree) {
  std::string out;
  for (const Node& node : tree.nodes) {
    out += std::string(kind_name(node.kind)) + " ";
  }
  return out;
}

TEST_CASE("tree: nodes are in document order and know what lies beneath them") {
  const Parsed parsed = parse("- a *b*\n\nc\n", Dialect::Markdown);
  CHECK(kinds(parsed.tree) == "root list listItem paragraph text emphasis text paragraph text ");
  CHECK(parsed.tree.descendants(0) == 8);
  CHECK(parsed.tree.descendants(1) == 5);
  CHECK(parsed.tree.descendants(5) == 1);
  CHECK(parsed.tree.descendants(7) == 1);
}

TEST_CASE("tree: a column counts characters, an offset bytes, a tab is one column") {
  const Parsed parsed =
      parse("gr\xc3\xbc\xc3\x9f *x*\n\ta\xf0\x9f\x98\x80 `y`\n", Dialect::Markdown);
  const Node& emphasis = first(parsed.tree, Kind::Emphasis);
  CHECK(emphasis.span.start.line == 1);
  CHECK(emphasis.span.start.column == 6);
  CHECK(emphasis.span.start.offset == 7);
  const Node& code = first(parsed.tree, Kind::InlineCode);
  CHECK(code.span.start.line == 2);
  CHECK(code.span.start.column == 5);
  CHECK(code.span.end.column == 8);
}

TEST_CASE("tree: positions hold on the far side of a long line that isn't ASCII") {
  std::string text;
  for (int i = 0; i < 1000; ++i) {
    text += "\xc3\xa9";
  }
  const Parsed parsed = parse(text + " *x*", Dialect::Markdown);
  CHECK(first(parsed.tree, Kind::Emphasis).span.start.column == 1002);
}

TEST_CASE("tree: LF, CRLF and a lone CR each end a line; others don't") {
  const Parsed parsed = parse("a\r\nb\rc\n\xe2\x80\xa8\x0b\x0c# no\n\n# yes\r", Dialect::Markdown);
  CHECK(count(parsed.tree, Kind::Heading) == 1);
  CHECK(first(parsed.tree, Kind::Heading).span.start.line == 6);
}

TEST_CASE("tree: a byte order mark takes no column and hides no front matter in Markdown") {
  const Parsed parsed = parse("\xef\xbb\xbf---\ntitle: T\n---\n# H\n", Dialect::Markdown);
  CHECK(parsed.tree.front_matter);
  CHECK(parsed.tree.source().substr(parsed.tree.front_begin, 9) == "title: T\n");
  CHECK(first(parsed.tree, Kind::Heading).span.start.line == 4);
  const Parsed heading = parse("\xef\xbb\xbf# H\n", Dialect::Markdown);
  CHECK(first(heading.tree, Kind::Heading).span.start.column == 1);
  CHECK(first(heading.tree, Kind::Heading).span.start.offset == 3);
}

TEST_CASE("tree: text without an end line of front matter is text") {
  const Parsed parsed = parse("---\ntitle: T\n\ntext\n", Dialect::Markdown);
  CHECK_FALSE(parsed.tree.front_matter);
  CHECK(count(parsed.tree, Kind::ThematicBreak) == 1);
}

TEST_CASE("code: a fence knows its info string, its lines and whether it was closed") {
  const Parsed parsed =
      parse("- x\n\n  ~~~~ sh run  k=\"v w\"\n  one\n   two\n\n  ~~~~~\n", Dialect::Markdown);
  const Node& node = first(parsed.tree, Kind::Code);
  const Code& code = parsed.tree.code(node);
  CHECK(code.fenced);
  CHECK(code.closed);
  CHECK(code.fence == '~');
  CHECK(code.fence_length == 4);
  CHECK(code.language == "sh");
  CHECK(code.meta == "run  k=\"v w\"");
  CHECK(node.value == "one\n two\n");
  CHECK(node.span.start.line == 3);
  CHECK(node.span.start.column == 3);
  REQUIRE(code.body_lines == 3);
  CHECK(parsed.tree.line_maps[code.body].line == 4);
  CHECK(parsed.tree.line_maps[code.body].column == 3);
  CHECK(parsed.tree.line_maps[code.body + 1].line == 5);
}

TEST_CASE("code: an empty fence has no lines, one blank line is one") {
  const Parsed empty = parse("```sh\n```\n", Dialect::Markdown);
  CHECK(empty.tree.code(first(empty.tree, Kind::Code)).body_lines == 0);
  const Parsed blank = parse("```sh\n\n```\n", Dialect::Markdown);
  CHECK(blank.tree.code(first(blank.tree, Kind::Code)).body_lines == 1);
}

TEST_CASE("code: a fence that its list item ends isn't closed") {
  const Parsed parsed = parse("- ```sh\n  a\n\ntext\n", Dialect::Markdown);
  const Node& node = first(parsed.tree, Kind::Code);
  CHECK_FALSE(parsed.tree.code(node).closed);
  CHECK(first(parsed.tree, Kind::Paragraph).span.start.line == 4);
}

TEST_CASE("code: a tab that a list takes in part leaves its other columns as spaces") {
  const Parsed parsed = parse("-\t```\n\tx\n\t```\n", Dialect::Markdown);
  CHECK(first(parsed.tree, Kind::Code).value == "x");
  const Parsed quote = parse(">\t```\n>\t x\n>\t```\n", Dialect::Markdown);
  CHECK(first(quote.tree, Kind::Code).value == " x");
}

TEST_CASE("code: NUL is never in a script") {
  const Parsed parsed = parse(std::string("```sh\na\0b\n```\n", 14), Dialect::Markdown);
  CHECK(first(parsed.tree, Kind::Code).value ==
        "a\xef\xbf\xbd"
        "b");
}

TEST_CASE("lists: a task is ticked or not, and the mark is no text") {
  const Parsed parsed = parse("- [x] done\n- [ ] open\n- [y] none\n", Dialect::Markdown);
  std::string found;
  for (const Node& node : parsed.tree.nodes) {
    if (node.kind == Kind::ListItem) {
      found += node.checked == Checked::Yes ? 'x' : node.checked == Checked::No ? 'o' : '-';
    }
  }
  CHECK(found == "xo-");
  CHECK(first(parsed.tree, Kind::Text).value == "done");
}

TEST_CASE(
    "lists: a blank line within an element of an item makes it loose, one before it doesn't") {
  const auto loose = [](std::string_view text) {
    const Parsed parsed = parse(text, Dialect::Mdx);
    std::string out;
    for (const Node& node : parsed.tree.nodes) {
      if (node.kind == Kind::ListItem) {
        out += node.spread ? 'l' : 't';
      }
    }
    return out;
  };
  CHECK(loose("- <div>\n\n  x\n  </div>\n") == "l");
  CHECK(loose("- <div>\n  x\n\n  </div>\n") == "l");
  CHECK(loose("- <div>\n  x\n  </div>\n") == "t");
  CHECK(loose("- a\n\n- <b><i>x</i></b>\n- <div>\n  x\n  </div>\n") == "ttt");
}

TEST_CASE("lists: the text of a task begins at its first character, in whatever line") {
  for (const char* text : {"- [ ] one\n", "- [ ]\n  one\n", "- [ ]\n   one\n", "> - [ ]\n>  one\n",
                           "- [ ] \n one\n", "- [ ]\t\n\tone\n"}) {
    const Parsed parsed = parse(text, Dialect::Markdown);
    CHECK_MESSAGE(first(parsed.tree, Kind::ListItem).checked == Checked::No, std::string(text));
    CHECK_MESSAGE(first(parsed.tree, Kind::Text).value == "one", std::string(text));
  }
}

TEST_CASE("quotes: one goes on over a line that holds its mark alone") {
  const Parsed parsed = parse("* a\n  > b\n  >\n* c\n", Dialect::Markdown);
  CHECK_FALSE(first(parsed.tree, Kind::List).spread);
  CHECK(first(parsed.tree, Kind::Blockquote).span.end.line == 3);
}

TEST_CASE("links: GFM's addresses keep their scheme in Markdown, and are mail in MDX") {
  const auto urls = [](std::string_view text, Dialect dialect) {
    const Parsed parsed = parse(text, dialect);
    std::string out;
    for (const Node& node : parsed.tree.nodes) {
      out += node.kind == Kind::Link ? std::string(parsed.tree.link(node).url) + " " : "";
    }
    return out;
  };
  const char* text = "mailto:a@b.c xmpp:a@b.c/d@e. xmpp:a@b.c/d/e xmpp:a@b.c/ amailto:a@b.c\n";
  CHECK(urls(text, Dialect::Markdown) ==
        "mailto:a@b.c xmpp:a@b.c/d@e xmpp:a@b.c/d xmpp:a@b.c mailto:a@b.c ");
  CHECK(urls(text, Dialect::Mdx) ==
        "mailto:a@b.c mailto:a@b.c mailto:a@b.c mailto:a@b.c mailto:a@b.c ");
}

TEST_CASE("tables: cells know their column's alignment, the header its row") {
  const Parsed parsed = parse("| a | b |\n|:--|--:|\n| 1 | 2\\|3 |\n", Dialect::Markdown);
  CHECK(count(parsed.tree, Kind::TableCell) == 4);
  CHECK(first(parsed.tree, Kind::TableCell).align == Align::Left);
  CHECK(first(parsed.tree, Kind::TableRow).number == 0);
  const Node& table = first(parsed.tree, Kind::Table);
  CHECK(parsed.tree.text_of(table.first_child - 1) == "ab12|3");
}

TEST_CASE("links: a reference holds what its definition says, wherever that stands") {
  const Parsed parsed = parse("[Text][Key]\n\n[kEY]: <a b> 'title'\n", Dialect::Markdown);
  const Link& link = parsed.tree.link(first(parsed.tree, Kind::LinkReference));
  CHECK(link.url == "a b");
  CHECK(link.title == "title");
  CHECK(parsed.tree.nodes[link.definition].kind == Kind::Definition);
}

TEST_CASE("markdown: nothing is a syntax error, however deep it is nested") {
  std::string deep;
  for (int i = 0; i < 5000; ++i) {
    deep += "> ";
  }
  const Parsed quotes = parse(deep + "x", Dialect::Markdown);
  CHECK(quotes.problems.empty());
  CHECK(count(quotes.tree, Kind::Blockquote) < 300);
  const Parsed emphasis =
      parse(std::string(5000, '*') + "x" + std::string(5000, '*'), Dialect::Markdown);
  CHECK(emphasis.problems.empty());
}

TEST_CASE("mdx: what is nested too deeply is refused by name") {
  std::string deep;
  for (int i = 0; i < 5000; ++i) {
    deep += "> ";
  }
  std::string values = "{" + std::string(5000, '[') + std::string(5000, ']') + "}";
  std::string elements;
  for (int i = 0; i < 5000; ++i) {
    elements += "<b>";
  }
  for (const std::string& text : {deep + "x", values, elements, "x " + elements}) {
    const Parsed parsed = parse(text, Dialect::Mdx);
    REQUIRE(parsed.problems.size() == 1);
    CHECK(parsed.problems[0].code == "syntax-too-deep");
  }
}

TEST_CASE("mdx: attributes keep their places, their kinds and both readings of their values") {
  const Parsed parsed = parse(
      "<Command\n  id=\"a\"\n  on\n  command=\"one\n    two &lt;\"\n  n={ -5 }\n  {...x}\n/>\n",
      Dialect::Mdx);
  REQUIRE(parsed.problems.empty());
  const Node& node = first(parsed.tree, Kind::MdxJsxFlowElement);
  const Element& element = parsed.tree.element(node);
  REQUIRE(element.attribute_count == 5);
  const Attribute* at = &parsed.tree.attributes[element.first_attribute];
  CHECK(at[0].span.start.line == 2);
  CHECK(at[0].span.start.column == 3);
  CHECK(at[1].kind == AttributeKind::Bare);
  CHECK(at[2].value == "one\ntwo <");
  CHECK(at[2].verbatim == "one\n    two <");
  CHECK(at[2].value_start.column == 12);
  CHECK(parsed.tree.literals[at[3].literal].value == "-5");
  CHECK(at[4].kind == AttributeKind::Spread);
  CHECK(parsed.tree.attribute(node, "command") == &at[2]);
  CHECK(parsed.tree.attribute(node, "none") == nullptr);
}

TEST_CASE("mdx: a literal is a tree with keys, and strings have both readings") {
  const Parsed parsed =
      parse("{{a: [1, \"x\\u0041\"], 'b-c': `t\n    u`, 3: null}}\n", Dialect::Mdx);
  REQUIRE(parsed.problems.empty());
  const Node& node = first(parsed.tree, Kind::MdxFlowExpression);
  const Literal& object = parsed.tree.literals[parsed.tree.expression(node).literal];
  REQUIRE(object.kind == LiteralKind::Object);
  const Literal& list = parsed.tree.literals[object.first_child];
  CHECK(list.key == "a");
  const Literal& one = parsed.tree.literals[list.first_child];
  CHECK(one.value == "1");
  CHECK(parsed.tree.literals[one.next].value == "xA");
  const Literal& text = parsed.tree.literals[list.next];
  CHECK(text.key == "b-c");
  CHECK(text.value == "t\n  u");
  CHECK(text.verbatim == "t\n    u");
  CHECK(parsed.tree.literals[text.next].key == "3");
}

TEST_CASE("mdx: a syntax error names its place and what to write instead") {
  const Parsed parsed = parse("# T\n\ntext <!-- c -->\n", Dialect::Mdx);
  REQUIRE(parsed.problems.size() == 1);
  CHECK(parsed.problems[0].line == 3);
  CHECK(parsed.problems[0].column == 7);
  CHECK(parsed.problems[0].construct == "syntax");
  CHECK(parsed.problems[0].advice.find("{/* text */}") != std::string::npos);
  const Parsed link = parse("see <https://example.org>\n", Dialect::Mdx);
  REQUIRE(link.problems.size() == 1);
  CHECK(link.problems[0].advice.find("[text](address)") != std::string::npos);
}

TEST_CASE("tree: moving it keeps every string") {
  Parsed parsed = parse("x `y`\n", Dialect::Markdown);
  const Tree moved = std::move(parsed.tree);
  CHECK(moved.source() == "x `y`\n");
  CHECK(first(moved, Kind::InlineCode).value == "y");
}

}  // namespace
}  // namespace rb::rdr
