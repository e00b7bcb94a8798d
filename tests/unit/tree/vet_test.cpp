// The vetting beyond the collected cases: all problems, in order, with what to write instead.
#include "daemon/reader/tree/vet.h"

#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>

#include "tests/unit/tree/shared.h"

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

TEST_CASE("vet: a statement is found where it would be a table's header below other text") {
  CHECK(codes("text\nexport default a\n|-\nb\n") == "2:1 R1-esm\n");
  CHECK(codes("text\n export default a\n|-\nb\n").empty());
  CHECK(codes("import a from 'b' // c\n\n\xef\xbb\xbfimport a\n") == "1:1 R1-esm\n");
  const Parsed broken = parse("text\nimport a | b\n-|-\n", Dialect::Mdx);
  REQUIRE(broken.problems.size() == 1);
  CHECK(broken.problems[0].line == 2);
}

// The list between "```text" and "```" of docs/RUNBOOKS.md §HTML.
std::set<std::string> documented_elements() {
  const std::string text = test::read_all(std::string(RUNBOOKD_SOURCE_ROOT) + "/docs/RUNBOOKS.md");
  const std::size_t begin = text.find("```text\n", text.find("\n## HTML\n")) + 8;
  std::istringstream words(text.substr(begin, text.find("```", begin) - begin));
  std::set<std::string> out;
  for (std::string word; words >> word;) {
    out.insert(word);
  }
  return out;
}

TEST_CASE("vet: the elements a runbook may hold are those that the documentation lists") {
  const std::set<std::string> documented = documented_elements();
  CHECK(documented.size() > 60);
  for (const std::string& name : documented) {
    CHECK_MESSAGE(is_allowed_element(name), name);
  }
  // HTML's elements and its former ones, SVG's and MathML's that matter.
  for (const char* name :
       {"a",        "abbr",    "acronym",  "address",    "applet",   "area",     "article",
        "aside",    "audio",   "b",        "base",       "basefont", "bdi",      "bdo",
        "bgsound",  "big",     "blink",    "blockquote", "body",     "br",       "button",
        "canvas",   "caption", "center",   "cite",       "code",     "col",      "colgroup",
        "command",  "content", "data",     "datalist",   "dd",       "del",      "details",
        "dfn",      "dialog",  "dir",      "div",        "dl",       "dt",       "element",
        "em",       "embed",   "fieldset", "figcaption", "figure",   "font",     "footer",
        "form",     "frame",   "frameset", "h1",         "h6",       "head",     "header",
        "hgroup",   "hr",      "html",     "i",          "iframe",   "image",    "img",
        "input",    "ins",     "isindex",  "kbd",        "keygen",   "label",    "legend",
        "li",       "link",    "listing",  "main",       "map",      "mark",     "marquee",
        "math",     "menu",    "menuitem", "meta",       "meter",    "multicol", "nav",
        "nextid",   "nobr",    "noembed",  "noframes",   "noscript", "object",   "ol",
        "optgroup", "option",  "output",   "p",          "param",    "picture",  "plaintext",
        "portal",   "pre",     "progress", "q",          "rb",       "rp",       "rt",
        "rtc",      "ruby",    "s",        "samp",       "script",   "search",   "section",
        "select",   "shadow",  "slot",     "small",      "source",   "spacer",   "span",
        "strike",   "strong",  "style",    "sub",        "summary",  "sup",      "svg",
        "table",    "tbody",   "td",       "template",   "textarea", "tfoot",    "th",
        "thead",    "time",    "title",    "tr",         "track",    "tt",       "u",
        "ul",       "var",     "video",    "wbr",        "webview",  "xmp",      "foreignobject",
        "animate",  "use",     "mglyph",   "annotation"}) {
    CHECK_MESSAGE(is_allowed_element(name) == (documented.count(name) != 0), std::string(name));
    const bool accepted = vetted("<" + std::string(name) + " />\n").empty();
    CHECK_MESSAGE(accepted == (documented.count(name) != 0), std::string(name));
  }
}

TEST_CASE("vet: javascript: in a property is refused in every spelling, at the property") {
  for (const char* attribute :
       {"href=\"javascript:x\"",           "HREF='JAVASCRIPT:x'",
        "xlink:href=\"javascript:x\"",     "formAction=\"javascript:x\"",
        "href=\" \x01\x1f javascript:x\"", "href=\"java\tscript:x\"",
        "href=\"java&Tab;script:x\"",      "href=\"java&NewLine;script:x\"",
        "href=\"&#106;avascript:x\"",      "href=\"&#x6A;avascript:x\"",
        "href=\"javascript&colon;x\"",     "href=\"javascript&#58;x\"",
        "href=\"&#1;javascript:x\"",       "values=\"#a;javascript:x\"",
        "values=\"#a; javascript:x\"",     "href={\"javascript:x\"}",
        "href={'\\x6aavascript:x'}",       "href={'\\u006aavascript:x'}",
        "href={'\\u{6a}avascript:x'}",     "href={`javascript:x`}",
        "href={'\\\njavascript:x'}",       "href={[\"a\", [[\"javascript:x\"]]]}",
        "href={'java\\nscript:x'}",        "href={\"\\0javascript:x\"}"}) {
    const std::string text = "text\n\n<a title=\"t\" " + std::string(attribute) + ">l</a>\n";
    const std::vector<Problem> problems = vetted(text);
    REQUIRE_MESSAGE(problems.size() == 1, text);
    CHECK(problems[0].construct == "url");
    CHECK(problems[0].line == 3);
    CHECK(problems[0].column == 14);
    CHECK(!problems[0].advice.empty());
  }
  for (const char* attribute :
       {"href=\"https://example.org/javascript:x\"", "title=\"echo javascript: is off\"",
        "href={\"&#106;avascript:x\"}", "href={{a: \"javascript:x\"}}",
        "href=\"\xc2\xa0javascript:x\"", "href=\"java script:x\"", "href=\"javascript\"",
        "href={/javascript:/}"}) {
    const std::string text = "<a " + std::string(attribute) + ">l</a>\n";
    CHECK_MESSAGE(vetted(text).empty(), text);
  }
}

TEST_CASE(
    "vet: javascript: in Markdown's links, images and definitions is refused where it stands") {
  CHECK(codes("[a](javascript:x)\n\n![b](<JAVA\tSCRIPT:x>)\n\n[c](&#106;avascript:x 't')\n\n[d]\n\n"
              "[d]: java\\script:x\n[e]: javascript&colon;x\n") ==
        "1:1 S4-url\n3:1 S4-url\n5:1 S4-url\n10:1 S4-url\n");
}

TEST_CASE("vet: a name that is nearly a block's says which, one that isn't doesn't") {
  struct Meant {
    const char* written;
    const char* block;
  };
  for (const Meant& one : {Meant{"Comand", "Command"},
                           {"Commands", "Command"},
                           {"COMMAND", "Command"},
                           {"Chek", "Check"},
                           {"Input", "Inputs"},
                           {"Admonitoin", "Admonition"},
                           {"Templates", "Template"},
                           {"TemplateInLine", "TemplateInline"},
                           {"IFrame", "Iframe"},
                           {"GithubAuth", "GitHubAuth"}}) {
    const std::vector<Problem> problems = vetted("<" + std::string(one.written) + " id=\"a\" />\n");
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].construct == "unknown-block");
    CHECK(problems[0].advice == "did you mean <" + std::string(one.block) + ">?");
  }
  for (const char* written : {"Note", "Mystery", "Step", "X", "Co"}) {
    const std::vector<Problem> problems = vetted("<" + std::string(written) + " id=\"a\" />\n");
    REQUIRE(problems.size() == 1);
    CHECK_MESSAGE(problems[0].advice.find("did you mean") == std::string::npos,
                  std::string(written));
    CHECK(!problems[0].advice.empty());
  }
}

TEST_CASE("vet: every refusal says what to write instead") {
  const std::string text =
      "import a from 'b'\n\n{x}\n\n<p {...x} onClick=\"y\" srcDoc=\"z\" __proto__=\"p\" title={t}>a"
      "</p>\n\n<script />\n\n<a.b />\n\n<x-y />\n\n<a:b />\n\n<Zebra />\n\n<form "
      "/>\n\n{{__proto__: "
      "1}}\n\n<a href=\"javascript:x\">l</a>\n\n[l](javascript:x)\n";
  const std::vector<Problem> problems = vetted(text);
  CHECK(problems.size() == 16);
  std::uint32_t line = 0;
  for (const Problem& problem : problems) {
    CHECK_MESSAGE(!problem.advice.empty(), problem.text);
    CHECK_MESSAGE(problem.line >= line, problem.text);
    line = problem.line;
  }
}

}  // namespace
}  // namespace rb::rdr
