// Published inputs that other parsers took minutes or crashed for, at the size they were published
// with, in both dialects: none takes time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/tree/parse_time.h"

namespace rb::rdr {
namespace {

struct Input {
  const char* name;
  std::string text;
};

std::string times(std::string_view part, std::size_t count) {
  std::string out;
  out.reserve(part.size() * count);
  for (std::size_t i = 0; i < count; ++i) {
    out += part;
  }
  return out;
}

std::string each(std::size_t first, std::size_t last,
                 const std::function<std::string(std::size_t)>& make) {
  std::string out;
  for (std::size_t i = first; i < last; ++i) {
    out += make(i);
  }
  return out;
}

// cmark's and commonmark.js's reports.
std::vector<Input> of_commonmark() {
  return {
      {"nested strong emphasis", times("*a **a ", 65'000) + "b" + times(" a** a*", 65'000)},
      {"closers without openers", times("a_ ", 65'000)},
      {"openers without closers", times("_a ", 65'000)},
      {"link closers without openers", times("a]", 65'000)},
      {"link openers without closers", times("[a", 65'000)},
      {"openers and closers that don't fit", times("*a_ ", 50'000)},
      {"two kinds of openers", times("*a ", 20'000) + times("_a*_ ", 20'000)},
      {"runs whose sum is three", "a**b" + times("c* ", 50'000)},
      {"link openers, emphasis closers", times("[ a_", 50'000)},
      {"brackets before parentheses", times("[ (](", 80'000)},
      {"images in images", times("![[]()", 160'000)},
      {"bold and italic", "**x" + times(" [*b**c* d](x ", 10'000)},
      {"nested brackets", times("[", 50'000) + "a" + times("]", 50'000)},
      {"nested quotes", times("> ", 50'000) + "a"},
      {"nested lists", each(0, 1'000, [](auto i) { return std::string(2 * i, ' ') + "* a\n"; })},
      {"NUL", times(std::string_view("abc\0de\0", 7), 10'000)},
      {"backticks of all lengths",
       each(1, 2'500, [](auto i) { return "e" + std::string(i, '`'); })},
      {"unclosed destinations in brackets", times("[a](<b", 30'000)},
      {"unclosed destinations", times("[a](b", 30'000)},
      {"unclosed comments", "</" + times("<!--", 300'000)},
      {"unclosed declarations", times("a <!A ", 100'000)},
      {"unclosed instructions", times("<?", 300'000)},
      {"unclosed character data", times("<![CDATA[", 100'000)},
      {"blank lines in deep lists", times("- ", 30'000) + "x" + times("\n", 30'000)},
      {"blank lines in deep lists of a quote",
       "> " + times("- ", 30'000) + "x\n" + times(">\n", 30'000)},
      {"emphasis in deep quotes", times(">", 100'000) + times("a*", 100'000)},
      {"many definitions",
       each(1, 20'000, [](auto i) { return "[" + std::to_string(i) + "]: u\n"; }) + "\n" +
           times("[0] ", 20'000)},
      {"one definition's label, many times",
       "[" + std::string(900, 'a') + "]: u\n\n" + times("[" + std::string(900, 'a') + "]", 1'000)},
      {"entities", times("&amp;&#x10ffff;&", 60'000)},
      {"backslashes", times("\\", 500'000)},
  };
}

// GFM's and micromark's.
std::vector<Input> of_extensions() {
  return {
      {"a wide table", times("|a", 20'000) + "\n" + times("|-", 20'000) + "\n" + "|b\n"},
      {"a long table of one column", "|a|\n|-|\n" + times("|b|\n", 100'000)},
      {"short rows of a wide table",
       times("|a", 1'000) + "\n" + times("|-", 1'000) + "\n" + times("|b\n", 20'000)},
      {"headers that are none", times("a|b\n-", 60'000)},
      {"footnotes in footnotes", times("[^a]: ", 50'000) + "b"},
      {"calls of a footnote", "[^a]: b\n\n" + times("[^a]", 50'000)},
      {"links with underscores", times("www.a_", 60'000)},
      {"links with dots", "https://" + times("a.", 200'000)},
      {"links and parentheses", "https://a.b/" + times("(", 200'000) + times(")", 200'000)},
      {"links that end in entities", "https://a.b/" + times("&a;", 100'000)},
      {"e-mail addresses that are none", times("a@", 150'000)},
      {"e-mail's dots", "a@b" + times(".c", 150'000) + "."},
      {"tildes", times("~a~~b~", 60'000)},
      {"task boxes", times("- [ ] a\n", 60'000)},
  };
}

// Of MDX and JavaScript.
std::vector<Input> of_mdx() {
  return {
      {"nested elements", times("<a>", 100'000)},
      {"nested braces", times("{", 300'000)},
      {"nested arrays", "{" + times("[", 150'000) + times("]", 150'000) + "}"},
      {"nested objects", "{" + times("{a:", 100'000) + "1" + times("}", 100'000) + "}"},
      {"nested templates", "{" + times("`${", 100'000)},
      {"nested parentheses", "{" + times("(", 300'000)},
      {"arrows", "{" + times("a=>", 100'000) + "1}"},
      {"conditions", "{" + times("a?", 100'000)},
      {"signs", "{" + times("-", 300'000) + "1}"},
      {"a pattern's groups", "{/" + times("(", 200'000) + "/}"},
      {"a pattern's classes", "{/" + times("[a-z]", 60'000) + "/}"},
      {"a pattern's named groups",
       "{/" + each(0, 20'000, [](auto i) { return "(?<a" + std::to_string(i) + ">b)"; }) + "/}"},
      {"braces over lines that are text after all", times("a {1\n", 50'000)},
      {"tags over lines that are text after all", times("<a\nb=1>\n", 50'000)},
      {"attributes", "<a " + times("b='c' ", 900) + "/>\n"},
      {"imports", times("import a from 'b'\n", 20'000)},
      {"an import that never ends", "import {" + times("a,\n", 100'000)},
      {"comments in braces", "{" + times("/**/", 100'000) + "}"},
      {"a brace opened before every line", times("{\n", 100'000)},
      {"a brace that never closes in each block", times("{\n\n", 150'000)},
      {"a quote that never closes in each block", times("<a b='\n\n", 60'000)},
      {"a brace that never closes in each text", times("a {\n\n", 100'000)},
      {"quotes and braces", times("> {`\n", 50'000)},
  };
}

// Alone each takes about 100 ms at most, which is the goal and isn't judged here: a test runs
// beside others, which slow memory down for all.
constexpr double kAllowedMs = 300;

double allowed_ms() {
  const char* slower = std::getenv("RUNBOOKD_TEST_SLOWER");
  return kAllowedMs * (slower == nullptr ? 1.0 : std::max(1.0, std::atof(slower)));
}

TEST_CASE("worst cases: no published input takes time") {
  double worst = 0;
  std::string slowest;
  for (const std::vector<Input>& inputs : {of_commonmark(), of_extensions(), of_mdx()}) {
    for (const Input& input : inputs) {
      for (const Dialect dialect : {Dialect::Markdown, Dialect::Mdx}) {
        double took = parse_ms(input.text, dialect);
        // A neighbour on the machine slows one measurement, not all of them.
        for (int again = 0; again < 9 && took >= allowed_ms(); ++again) {
          took = std::min(took, parse_ms(input.text, dialect));
        }
        CHECK_MESSAGE(took < allowed_ms(), std::string(input.name), ": ", took, " ms");
        slowest = took > worst ? input.name : slowest;
        worst = std::max(worst, took);
      }
    }
  }
  MESSAGE("slowest: ", slowest, ", ", worst, " ms");
}

}  // namespace
}  // namespace rb::rdr
