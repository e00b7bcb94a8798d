// Which patterns of regular expressions are some; beside the reference implementation in
// tests/differential, which finds its cases by chance. Here: one case a rule.
#include <doctest/doctest.h>

#include <string>

#include "daemon/reader/tree/js_pattern.h"
#include "daemon/reader/tree/tree.h"

namespace rb::rdr {
namespace {

constexpr std::uint32_t kNesting = 250;

struct Case {
  const char* pattern;
  const char* flags;
  bool fine;
};

// What holds without flags may be wrong with u or v, which are strict.
constexpr Case kCases[] = {
    {"a|b|", "", true},
    {"(a(b))", "", true},
    {"(a", "", false},
    {"a)", "", false},
    {"*a", "", false},
    {"a**", "", false},
    {"a*?", "", true},
    {"^*", "", false},
    {"\\b+", "", false},
    {"(?=a)*", "", true},
    {"(?=a)*", "u", false},
    {"(?<=a)*", "", false},
    {"a{2,1}", "", false},
    {"a{1,2}?", "", true},
    {"a{,2}", "", true},
    {"a{,2}", "u", false},
    {"{1}", "", false},
    {"{", "", true},
    {"{", "u", false},
    {"]", "", true},
    {"]", "u", false},
    {"a{99999999999999999999,99999999999999999999}", "", true},
    {"(?:a)(?!b)(?<!c)", "", true},
    {"(?a)", "", false},
    {"(?i:a)", "", false},
    {"(?<n>a)\\k<n>", "", true},
    {"\\k<n>(?<n>a)", "", true},
    {"(?<n>a)\\k<m>", "", false},
    {"\\k<n>", "", true},
    {"\\k<n>", "u", false},
    {"(?<n>a)|(?<n>b)", "", false},
    {"(?<1>a)", "", false},
    {"(?<n", "", false},
    {"(?<\\u0061>a)\\k<a>", "", true},
    {"(?<\xf0\x9d\x92\x9c>a)", "", true},
    {"\\1", "", true},
    {"\\1", "u", false},
    {"(a)\\1", "u", true},
    {"\\8", "", true},
    {"\\07", "", true},
    {"\\07", "u", false},
    {"a\\", "", false},
    {"\\c", "", true},
    {"\\c", "u", false},
    {"\\cA", "u", true},
    {"\\a", "", true},
    {"\\a", "u", false},
    {"\\/\\.", "u", true},
    {"\\x4", "", true},
    {"\\x4", "u", false},
    {"\\u{110000}", "", true},  // that many times u
    {"\\u{110000}", "u", false},
    {"\\u{10ffff}", "u", true},
    {"\\u004", "", true},
    {"\\u004", "u", false},
    {"[z-a]", "", false},
    {"[\\d-a]", "", true},
    {"[\\d-a]", "u", false},
    {"[a", "", false},
    {"[\xf0\x9f\x98\x80-\xf0\x9f\x98\x82]", "", false},  // halves: the range runs backwards
    {"[\xf0\x9f\x98\x80-\xf0\x9f\x98\x82]", "u", true},
    {"[\\ud83d\\ude00-\\ud83d\\ude02]", "u", true},
    {"[\\b\\c1\\-]", "", true},
    {"[\\c1]", "u", false},
    {"\\p{Lu}\\P{Script=Greek}\\p{scx=Grek}\\p{gc=Letter}", "u", true},
    {"\\p{Lu}", "", true},
    {"\\p{Nonsense}", "u", false},
    {"\\p{Script=Nonsense}", "u", false},
    {"\\p{Lu", "u", false},
    {"\\p{RGI_Emoji}", "u", false},
    {"\\p{RGI_Emoji}", "v", true},
    {"\\P{RGI_Emoji}", "v", false},
    {"[^\\p{RGI_Emoji}]", "v", false},
    {"[a[b-c]]", "v", true},
    {"[a&&b]", "v", true},
    {"[a&&&b]", "v", false},
    {"[a--b--c]", "v", true},
    {"[a--b&&c]", "v", false},
    {"[\\q{ab|c}]", "v", true},
    {"[^\\q{ab}]", "v", false},
    {"[^\\q{a}]", "v", true},
    {"[(]", "v", false},
    {"[(]", "u", true},
    {"[a-z--[aeiou]]", "v", false},
    {"[!!]", "v", false},
};

TEST_CASE("pattern: each rule of the grammar, and what the flags u and v change") {
  for (const Case& one : kCases) {
    const bool fine = grammar::is_pattern(one.pattern, one.flags, kNesting);
    const std::string shown = "/" + std::string(one.pattern) + "/" + one.flags;
    CHECK_MESSAGE(fine == one.fine, shown);
  }
}

TEST_CASE("pattern: groups and classes are refused beyond the limit, not followed") {
  const auto nested = [](std::size_t depth, const char* open, const char* close) {
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) {
      out += open;
    }
    out += "a";
    for (std::size_t i = 0; i < depth; ++i) {
      out += close;
    }
    return out;
  };
  CHECK(grammar::is_pattern(nested(kNesting - 1, "(", ")"), "", kNesting));
  CHECK_FALSE(grammar::is_pattern(nested(kNesting, "(", ")"), "", kNesting));
  CHECK_FALSE(grammar::is_pattern(nested(100'000, "(", ")"), "", kNesting));
  CHECK(grammar::is_pattern(nested(kNesting - 1, "[", "]"), "v", kNesting));
  CHECK_FALSE(grammar::is_pattern(nested(100'000, "[", "]"), "v", kNesting));
}

TEST_CASE("pattern: what is none refuses the text around it") {
  CHECK(parse("<Check id={/a+/} />\n", Dialect::Mdx).problems.empty());
  const Parsed parsed = parse("text\n\n{/a++/}\n", Dialect::Mdx);
  REQUIRE(parsed.problems.size() == 1);
  CHECK(parsed.problems[0].line == 3);
  CHECK(parsed.problems[0].construct == "syntax");
}

}  // namespace
}  // namespace rb::rdr
