// Text written to be slow: time grows with its size and not faster.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/tree/parse_time.h"

namespace rb::rdr {
namespace {

std::string repeat(const std::string& part, std::size_t bytes) {
  std::string out;
  while (out.size() < bytes) {
    out += part;
  }
  return out;
}

// Parts that are repeated; each was quadratic in some parser.
constexpr const char* kParts[] = {"*a ",
                                  "**a ",
                                  "_a_ ",
                                  "*_",
                                  "***a",
                                  "a**b",
                                  "*a **b ",
                                  "~a ",
                                  "~~a~",
                                  "*_~",
                                  "[",
                                  "](",
                                  "![",
                                  "[a](",
                                  "[a](<b",
                                  "[a](b \"",
                                  "[a](b (",
                                  "[]",
                                  "[][",
                                  "[a][b] ",
                                  "`",
                                  "`a``",
                                  "> ",
                                  ">",
                                  "- ",
                                  "1. ",
                                  "<",
                                  "<a ",
                                  "<!--",
                                  "<?",
                                  "<![CDATA[",
                                  "<a b='",
                                  "<a b=\"x\" ",
                                  "&",
                                  "&#",
                                  "&a",
                                  "\\",
                                  "|a",
                                  "|a|\n|-|\n",
                                  "-|-\n",
                                  "[a]: b\n",
                                  "[a]:\n",
                                  "[^a]: ",
                                  "[^a]",
                                  "a\n=\n",
                                  "https://a.b!!!",
                                  "https://",
                                  "www.a",
                                  "www.a_b_",
                                  "a@b.",
                                  "https://a.b((",
                                  "https://x.y&a;",
                                  "<a><b>",
                                  "</a>",
                                  "- a\n",
                                  "  - a\n",
                                  "\t",
                                  "```\n",
                                  "    a\n",
                                  "<div>\n",
                                  "\r",
                                  "{",
                                  "{\"",
                                  "{`",
                                  "{/*",
                                  "{a(",
                                  "{[",
                                  "{{",
                                  "{1}a\n",
                                  "{1\n",
                                  "<a b={",
                                  "<a b={/*\n",
                                  "<a b='\n",
                                  "<a b={1}/>a\n",
                                  "<a>",
                                  "<a/>",
                                  "{a=>",
                                  "{a?b:",
                                  "{!",
                                  "{new ",
                                  "{<a>",
                                  "{`${",
                                  "{async (",
                                  "{/a",
                                  "import a from 'b'\n",
                                  "export const a = [\n",
                                  "\xc3\xa9",
                                  "\xff",
                                  "a\n<a b={/*\n"};

std::vector<std::string> whole_texts(std::size_t bytes) {
  std::vector<std::string> out = {
      repeat("[", bytes / 2) + repeat("]", bytes / 2),
      repeat("*", bytes / 2) + "a" + repeat("*", bytes / 2),
      repeat("*a ", bytes / 2) + repeat(" b*", bytes / 2),
      repeat("[", bytes / 2) + repeat("[a](b) ", bytes / 2),
      repeat("|a", bytes / 2) + "\n" + repeat("|-", bytes / 2) + "\n",
      "|a|b|\n|-|-|\n" + repeat("|x|y|\n", bytes),
      repeat("[a]: b\n", bytes / 2) + "\n" + repeat("[a] ", bytes / 2),
      "[a]: b\n\n" + repeat("[" + std::string(900, 'x') + "]", bytes),
      repeat("<a b={/*\n", bytes) + "*/1}> text",
      repeat("<a b='\nx'/> t\n", bytes),
      "- a\n" + std::string(bytes, '\n'),
  };
  std::string stairs;
  for (std::size_t i = 0; stairs.size() < bytes; ++i) {
    stairs += std::string(2 * (i % 200), ' ') + "- a\n";
  }
  std::string ticks;
  for (std::size_t i = 1; ticks.size() < bytes; ++i) {
    ticks += std::string(i % 3000, '`') + "a";
  }
  std::string nested;
  for (std::size_t i = 0; i < 100; ++i) {
    nested += std::string(2 * i, ' ') + "- a\n";
  }
  out.push_back(stairs);
  out.push_back(ticks);
  out.push_back(nested + std::string(bytes, '\n'));
  return out;
}

std::vector<std::string> texts(std::size_t bytes) {
  std::vector<std::string> out = whole_texts(bytes);
  for (const char* part : kParts) {
    out.push_back(repeat(part, bytes));
  }
  return out;
}

// Quadratic would be 64 times as long; below 20 ms the clock tells nothing.
bool grows_like_size(double few, double many) {
  return many < 20 || many < 24 * std::max(few, 0.5);
}

TEST_CASE("cost: eight times the hostile text takes at most about eight times the time") {
  const std::vector<std::string> small = texts(12'500);
  const std::vector<std::string> large = texts(100'000);
  double worst = 0;
  for (std::size_t i = 0; i < small.size(); ++i) {
    for (const Dialect dialect : {Dialect::Markdown, Dialect::Mdx}) {
      double few = parse_ms(small[i], dialect);
      double many = parse_ms(large[i], dialect);
      // A neighbour on the machine slows one measurement, not all of them.
      for (int again = 0; again < 12 && !grows_like_size(few, many); ++again) {
        few = std::min(few, parse_ms(small[i], dialect));
        many = std::min(many, parse_ms(large[i], dialect));
      }
      worst = std::max(worst, many);
      CHECK_MESSAGE(grows_like_size(few, many), small[i].substr(0, 20), ": ", few, " ms, then ",
                    many, " ms");
    }
  }
  MESSAGE("worst of 100 KB: ", worst, " ms");
}

}  // namespace
}  // namespace rb::rdr
