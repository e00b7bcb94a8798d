// Every limit of a runbook: what reaches it is read, what passes it is refused in words, with a
// line and with what to do.
#include <doctest/doctest.h>

#include <string>

#include "daemon/reader/read.h"
#include "protocol/limits.h"
#include "tests/unit/reader/opened.h"

namespace rb::test {
namespace {

std::string times(std::string_view part, std::size_t count) {
  std::string out;
  out.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) {
    out += part;
  }
  return out;
}

// "too-many-blocks at 4001", "" where the text is fine.
std::string refused(const std::string& text, rdr::Dialect dialect = rdr::Dialect::Mdx) {
  const rdr::Answer answer = rdr::read_text(text, dialect, "runbook", nullptr);
  if (answer.vetted) {
    return "";
  }
  REQUIRE(!answer.findings.empty());
  const rdr::Finding& finding = answer.findings[0];
  CHECK(!finding.text.empty());
  CHECK(answer.blocks.empty());
  return finding.code + " at " + std::to_string(finding.line);
}

std::string blocks(std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) {
    out += "<Check id=\"b" + std::to_string(i) + "\" command=\"x\" />\n\n";
  }
  return out;
}

std::string attributes(std::size_t count) {
  std::string out = "<p";
  for (std::size_t i = 0; i < count; ++i) {
    out += " data-a" + std::to_string(i) + "=\"x\"";
  }
  return out + ">text</p>\n";
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  return times(open, depth) + "a\n" + times(close, depth);
}

}  // namespace

TEST_CASE("limits: a runbook has room for 4 MiB and not for a byte more") {
  std::string text = "# Title\n\n" + times("0123456789abcdef\n\n", 100'000);
  text.resize(limits::kRunbookBytes, '\n');
  CHECK(open_text("runbook.md", text).vetted);
  CHECK(open_text("runbook.mdx", text).vetted);
  const Opened over = open_text("runbook.mdx", text + "\n");
  CHECK(!over.vetted);
  CHECK(over.failed == "too-large");
  CHECK(over.blocks.empty());
}

TEST_CASE("limits: blocks") {
  CHECK(refused(blocks(limits::kExecutables)).empty());
  CHECK(refused(blocks(limits::kExecutables + 1)) ==
        "too-many-blocks at " + std::to_string(2 * limits::kExecutables + 1));
  const std::string fence = "```sh run\nx\n```\n\n";
  CHECK(refused(times(fence, limits::kExecutables), rdr::Dialect::Markdown).empty());
  CHECK(refused(times(fence, limits::kExecutables + 1), rdr::Dialect::Markdown) ==
        "too-many-blocks at " + std::to_string(4 * limits::kExecutables + 1));
}

TEST_CASE("limits: parts of a document, in both dialects") {
  // A paragraph and its text are two parts; the root is one.
  const std::string fits = times("a\n\n", 199'999);
  for (const rdr::Dialect dialect : {rdr::Dialect::Mdx, rdr::Dialect::Markdown}) {
    CHECK(refused(fits, dialect).empty());
    CHECK(refused(times("a\n\n", 210'000), dialect).substr(0, 17) == "syntax-too-large ");
  }
}

TEST_CASE("limits: attributes of one element") {
  CHECK(refused(attributes(1'000)).empty());
  CHECK(refused(attributes(1'001)) == "syntax-tag at 1");
}

TEST_CASE("limits: elements, quotes, lists, braces and emphasis within each other") {
  CHECK(refused(nested(240, "<div>\n", "</div>\n")).empty());
  CHECK(refused(nested(260, "<div>\n", "</div>\n")) == "syntax-too-deep at 250");
  CHECK(refused(nested(240, "> ", "")).empty());
  CHECK(refused(nested(260, "> ", "")) == "syntax-too-deep at 1");
  CHECK(refused(nested(120, "- ", "")).empty());
  CHECK(refused(nested(260, "- ", "")) == "syntax-too-deep at 1");
  CHECK(refused("{" + times("[", 240) + times("]", 240) + "}\n").empty());
  CHECK(refused("{" + times("[", 260) + times("]", 260) + "}\n") == "syntax-too-deep at 1");
  CHECK(refused("text " + times("<b>", 240) + "a" + times("</b>", 240) + "\n").empty());
  CHECK(refused("text " + times("<b>", 260) + "a" + times("</b>", 260) + "\n") ==
        "syntax-too-deep at 1");
  // Markdown has no errors: what is nested deeper is text.
  for (const char* open : {"> ", "- ", "*a **b ", "[", "<div>\n"}) {
    CHECK_MESSAGE(refused(nested(2'000, open, ""), rdr::Dialect::Markdown).empty(),
                  std::string(open));
  }
}

TEST_CASE("limits: time, where a text would have to be read in two ways again and again") {
  const std::string text = times("a\n{/*\n", 30'000) + "*/1} text\n";
  CHECK(refused(text).substr(0, 18) == "syntax-too-complex");
  CHECK(refused(times("a\n\n{/*\n", 1) + "*/1} text\n").empty());
}

// "3 syntax, 5 prop" of all that is wrong.
std::string all_wrong(const std::string& text) {
  std::string out;
  for (const rdr::Finding& one :
       rdr::read_text(text, rdr::Dialect::Mdx, "runbook.mdx", nullptr).findings) {
    out += (out.empty() ? "" : ", ") + std::to_string(one.line) + " " + one.construct;
    CHECK_MESSAGE(!one.advice.empty(), one.text);
  }
  return out;
}

TEST_CASE("problems: what can't be read hides nothing in front of it or behind it") {
  CHECK(all_wrong("{x}\n\na <b c\n\n<p title={y}>z</p>\n\n{{ .inputs.Name }}\n\n<Zebra />\n\n"
                  "- a {1 2}\n- {z}\n") ==
        "1 expression, 3 syntax, 5 prop, 7 syntax, 9 unknown-block, 11 syntax, 12 expression");
  CHECK(all_wrong("<!-- a -->\n\n<script />\n\n<b>\n\ntext\n") == "1 syntax, 3 element");
  CHECK(all_wrong("text\n\n<div>\n\n{x}\n") == "3 syntax, 5 expression");
  // Tags that no longer fit behind something broken are no problems of their own.
  CHECK(all_wrong("<div x=>\n\ntext\n\n</div>\n\n{x}\n") == "1 syntax");
}

TEST_CASE("problems: a text that is wrong everywhere is told of twenty times, and quickly") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "{\n\n";
  }
  const rdr::Answer answer = rdr::read_text(text, rdr::Dialect::Mdx, "runbook.mdx", nullptr);
  CHECK(!answer.vetted);
  CHECK(answer.findings.size() <= 20);
  std::string texts;
  for (int i = 0; i < 20'000; ++i) {
    texts += "a {\n\n";
  }
  CHECK(rdr::read_text(texts, rdr::Dialect::Mdx, "runbook.mdx", nullptr).findings.size() == 20);
}

TEST_CASE("limits: of many problems the first are listed, and how many follow") {
  const rdr::Answer answer =
      rdr::read_text(times("{x}\n\n", 1'000), rdr::Dialect::Mdx, "runbook.mdx", nullptr);
  REQUIRE(answer.findings.size() == 301);
  CHECK(answer.findings[0].line == 1);
  CHECK(answer.findings[299].line == 599);
  CHECK(answer.findings[300].code == "more");
  CHECK(answer.findings[300].severity == rdr::Severity::Refusal);
  CHECK(answer.findings[300].text.find("700") != std::string::npos);
}

}  // namespace rb::test
