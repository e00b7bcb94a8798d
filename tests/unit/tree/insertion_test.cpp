// A refused construct, put between two blocks of an accepted runbook, refuses it at that line: in
// whatever runbook, at whatever boundary, whichever construct.
#include <doctest/doctest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "daemon/reader/tree/vet.h"
#include "tests/unit/tree/shared.h"

namespace rb::rdr {
namespace {

struct Refused {
  const char* text;
  const char* construct;
};

constexpr Refused kRefused[] = {
    {"import x from 'y'", "esm"},
    {"export const x = 1", "esm"},
    {"{alert(1)}", "expression"},
    {"{x}", "expression"},
    {"{`a${b}`}", "expression"},
    {"<p {...x}>text</p>", "spread"},
    {"<script>x</script>", "element"},
    {"<ScRiPt />", "unknown-block"},
    {"<sCript />", "element"},
    {"<iframe src=\"https://example.org\" />", "element"},
    {"<style>x</style>", "element"},
    {"<form><input /></form>", "element"},
    {"<a.b />", "dotted"},
    {"<x-y />", "custom"},
    {"<svg:script />", "namespaced"},
    {"<p onClick=\"x\">text</p>", "prop"},
    {"<p title={x}>text</p>", "prop"},
    {"<p dangerouslySetInnerHTML={{a: 1}} />", "prop"},
    {"<p srcDoc=\"x\" />", "prop"},
    {"<p __proto__=\"x\" />", "proto"},
    {"<Inputs id=\"zz\" prefilledVariables={{__proto__: 1}} />", "proto"},
    {"<Inputs id=\"zz\" prefilledVariables={{'__pr\\u006fto__': 1}} />", "proto"},
    {"<a href=\"javascript:x\">text</a>", "url"},
    {"<a href=\" &#x01;JaVa&Tab;script&colon;x\">text</a>", "url"},
    {"<a href={\"\\x6aavascript:x\"}>text</a>", "url"},
    {"<Command id=\"zz\" command=\"true\" title={[[\"javascript:x\"]]} />", "url"},
    {"[text](javascript:x)", "url"},
    {"![text](java&#115;cript:x)", "url"},
    {"[zz]: JAVASCRIPT:x", "url"},
    {"<Zebra />", "unknown-block"},
    {"<command id=\"zz\" command=\"true\" />", "element"},
    {"{{ .inputs.Name }}", "syntax"},
    {"<br>", "syntax"},
    {"<!-- text -->", "syntax"},
    {"a {", "syntax"},
    {"{/a++/}", "syntax"},
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

// Lines (from 1) in front of which a block of the document's own level begins.
std::vector<std::uint32_t> boundaries(const Tree& tree) {
  std::vector<std::uint32_t> out;
  for (NodeId child = tree.nodes[0].first_child; child != kNone; child = tree.nodes[child].next) {
    out.push_back(tree.nodes[child].span.start.line);
  }
  return out;
}

// The text with blank lines and the construct in front of a line. Where a list or footnote ends,
// only something without indentation stands outside it; the constructs have none.
std::string with(const std::string& text, std::uint32_t line, const std::string& construct) {
  std::string out;
  std::uint32_t number = 1;
  for (const std::string& one : lines_of(text)) {
    out += number == line ? "\n" + construct + "\n\n" : "";
    out += one + "\n";
    ++number;
  }
  return out;
}

Problem first_problem(const std::string& text) {
  Parsed parsed = parse(text, Dialect::Mdx);
  std::vector<Problem> problems =
      parsed.problems.empty() ? vet(parsed.tree) : std::move(parsed.problems);
  return problems.empty() ? Problem{} : problems[0];
}

class Insertion {
 public:
  explicit Insertion(std::uint32_t seed) : random_(seed) {}

  // Puts one construct somewhere into an accepted text; false: the text has no boundary.
  bool try_one(const std::string& text) {
    const Parsed parsed = parse(text, Dialect::Mdx);
    const std::vector<std::uint32_t> places = boundaries(parsed.tree);
    if (places.empty()) {
      return false;
    }
    const std::uint32_t line = places[random_() % places.size()];
    const Refused& refused = kRefused[random_() % std::size(kRefused)];
    const Problem problem = first_problem(with(text, line, refused.text));
    const std::string where = "line " + std::to_string(line + 1) + " of:\n" +
                              with(text, line, refused.text) + "\nfound " +
                              std::to_string(problem.line) + " " + std::string(problem.construct) +
                              " " + problem.text;
    CHECK_MESSAGE(problem.construct == refused.construct, where);
    CHECK_MESSAGE(problem.line == line + 1, where);
    return true;
  }

 private:
  std::mt19937 random_;
};

bool is_accepted(const std::string& text) {
  Parsed parsed = parse(text, Dialect::Mdx);
  return parsed.problems.empty() && vet(parsed.tree).empty();
}

const std::vector<std::string>& own_samples() {
  static const std::vector<std::string> samples = {
      "# Title\n\nText.\n\n- one\n- two\n\n> quote\n\n```sh\n<script>\n```\n\nEnd.\n",
      "---\ntitle: T\n---\n\n<Command id=\"a\" command=\"x\" />\n\n|a|b|\n|-|-|\n|c|d|\n\nText.\n",
      "<details>\n<summary>s</summary>\n\ntext\n\n</details>\n\n1. one\n\n   two\n\nEnd[^1].\n\n"
      "[^1]: note\n",
      "a\n\n***\n\nb\n===\n\n[l]: https://example.org\n\n{/* c */}\n\n<Inputs "
      "id=\"f\">\n\n```yaml\n"
      "variables: []\n```\n\n</Inputs>\n\nEnd.\n",
  };
  return samples;
}

TEST_CASE("insertion: a refused construct refuses our own runbooks at its line") {
  Insertion insertion(20261130);
  std::size_t done = 0;
  for (const std::string& sample : own_samples()) {
    REQUIRE(is_accepted(sample));
    for (int i = 0; i < 200; ++i) {
      done += insertion.try_one(sample) ? 1 : 0;
    }
  }
  CHECK(done > 700);
}

TEST_CASE("insertion: a refused construct refuses every collected runbook at its line") {
  if (!test::have_shared()) {
    return;
  }
  Insertion insertion(20261201);
  std::size_t samples = 0;
  std::size_t done = 0;
  const auto try_some = [&](const std::string& text) {
    const bool plain = text.find('\r') == std::string::npos;
    if (!plain || !is_accepted(text)) {
      return;
    }
    ++samples;
    for (int i = 0; i < 6; ++i) {
      done += insertion.try_one(text) ? 1 : 0;
    }
  };
  const std::string shared = test::shared_folder();
  test::each_line(shared + "/conformance/mdx-vetting.jsonl",
                  [&](const Json& c) { try_some(std::string(c.text_at("source"))); });
  test::each_line(shared + "/corpus/expected-mdx.jsonl", [&](const Json& c) {
    try_some(test::read_all(shared + "/corpus/" + std::string(c.text_at("file"))));
  });
  MESSAGE(samples, " accepted runbooks, ", done, " insertions");
  CHECK(samples > 400);
  CHECK(done > 2000);
}

}  // namespace
}  // namespace rb::rdr
