// The vetting beyond the collected cases: all problems, in order, with what to write instead.
#include "daemon/reader/tree/vet.h"

#include <doctest/doctest.h>

#include <string>

namespace rb::rdr {
namespace {

std::vector<Problem> vetted(std::string_view text) {
  Parsed parsed = parse(text, Dialect::Mdx);
  REQUIRE(parsed.problems.empty());
  return vet(parsed.tree);
}

std::string codes(std::string_view text) {
  std::string out;
  for (const Problem& problem : vetted(text)) {
    out += std::to_string(problem.line) + ":" + std::to_string(problem.column) + " " +
           std::string(problem.code) + "\n";
  }
  return out;
}

TEST_CASE("vet: every problem is listed, in document order") {
  CHECK(
      codes("import a from 'b'\n\n<Bad x={y} {...z}>\n\n- {1 + 1} <script src=\"j\"/>\n\n</Bad>\n\n"
            "[l](javascript:x)\n") ==
      "1:1 R1-esm\n3:1 S1-unknown-block\n3:6 R3-prop\n3:12 R4-spread\n5:3 R2-expression\n"
      "5:11 R5-element\n9:1 S4-url\n");
}

TEST_CASE("vet: a misspelt block is told from one that doesn't exist") {
  CHECK(vetted("<Comand id=\"a\" />\n")[0].advice == "did you mean <Command>?");
  CHECK(vetted("<command id=\"a\" />\n")[0].advice == "did you mean <Command>?");
  CHECK(vetted("<BoilerplateInputs id=\"a\" />\n")[0].advice == "did you mean <Inputs>?");
  CHECK(vetted("<Zebra />\n")[0].advice.find("did you mean") == std::string::npos);
}

TEST_CASE("vet: a long offender is shown in one line, cut at a character") {
  std::string text = "{f(\n  \"";
  for (int i = 0; i < 60; ++i) {
    text += "\xc3\xa9";
  }
  const std::vector<Problem> problems = vetted(text + "\")}\n");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].text.find('\n') == std::string::npos);
  CHECK(problems[0].text.find("...`") != std::string::npos);
  CHECK(problems[0].text.size() < 160);
}

TEST_CASE("vet: javascript: is found however a browser would find it") {
  for (const char* url :
       {"javascript:x", " \x01javascript:x", "JaVa\tScRiPt:x", "java\r\nscript\n:x"}) {
    CHECK_MESSAGE(is_script_url(url), url);
  }
  for (const char* url :
       {"", "java script:x", "https://a/javascript:", "xjavascript:", "javascript"}) {
    CHECK_FALSE_MESSAGE(is_script_url(url), url);
  }
  CHECK(holds_script_url("#a; javascript:x"));
}

TEST_CASE("vet: Markdown is never refused, but links that run code are marked") {
  Parsed parsed = parse(
      "[a](javascript:x) [b](https://b) [c](data:text/html,x) ![d](./d.png) <e@f.g>\n"
      "[h][i]\n\n[i]: JAVASCRIPT&colon;x\n\n<script>y</script>\n",
      Dialect::Markdown);
  CHECK(parsed.problems.empty());
  CHECK(vet(parsed.tree).empty());
  std::string found;
  for (const Node& node : parsed.tree.nodes) {
    const bool link = node.kind == Kind::Link || node.kind == Kind::Image ||
                      node.kind == Kind::LinkReference || node.kind == Kind::Definition;
    if (link) {
      found += parsed.tree.link(node).unsafe ? 'u' : 's';
    }
  }
  CHECK(found == "usussuu");
}

TEST_CASE("vet: names of blocks, elements and attributes") {
  CHECK(is_known_block("Command"));
  CHECK_FALSE(is_known_block("command"));
  CHECK(is_allowed_element("details"));
  for (const char* name : {"script", "style", "form", "iframe", "meta", "link", "svg", "input"}) {
    CHECK_FALSE_MESSAGE(is_allowed_element(name), name);
  }
  CHECK(is_allowed_attribute("a", "HREF"));
  CHECK_FALSE(is_allowed_attribute("p", "href"));
  CHECK_FALSE(is_allowed_attribute("a", "onclick"));
  CHECK_FALSE(is_allowed_attribute("p", "style"));
  CHECK(is_allowed_attribute("p", "data-note"));
}

}  // namespace
}  // namespace rb::rdr
