// Agreement with the collected cases: MDX vetting, fences, the corpus. The floors are what is
// reached; they only rise.
#include <doctest/doctest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "common/digest.h"
#include "daemon/reader/tree/tree.h"
#include "daemon/reader/tree/vet.h"
#include "tests/unit/tree/shared.h"

namespace rb::rdr {
namespace {

struct Verdict {
  std::string verdict;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string construct;
  std::string text;
};

Verdict judge(std::string_view source) {
  Parsed parsed = parse(source, Dialect::Mdx);
  Verdict out;
  const Problem* first = nullptr;
  std::vector<Problem> problems = parsed.problems;
  out.verdict = problems.empty() ? "accept" : "syntax-error";
  if (problems.empty()) {
    problems = vet(parsed.tree);
    out.verdict = problems.empty() ? "accept" : "reject";
  }
  if (!problems.empty()) {
    first = &problems.front();
    out.line = first->line;
    out.column = first->column;
    out.construct = first->construct;
    out.text = std::string(first->code) + ": " + first->text;
  }
  return out;
}

// "" when the product's answer is right.
std::string difference(const Json& c, const Verdict& got) {
  const std::string wanted(c.text_at("verdict"));
  const std::string place = std::to_string(got.line) + ":" + std::to_string(got.column) + " " +
                            got.construct + " (" + got.text + ")";
  if (got.verdict != wanted) {
    return "verdict " + got.verdict + " " + place + ", wanted " + wanted;
  }
  if (wanted != "reject") {
    return "";
  }
  const bool column = c.find("column") == nullptr || c.natural_at("column") == got.column;
  if (c.natural_at("line") != got.line || !column || c.text_at("construct") != got.construct) {
    return "place " + place + ", wanted " + std::to_string(c.natural_at("line")) + ":" +
           std::to_string(c.natural_at("column")) + " " + std::string(c.text_at("construct"));
  }
  return "";
}

void run_vetting(const std::string& file, std::size_t floor) {
  std::size_t passed = 0;
  std::size_t total = 0;
  test::each_line(test::shared_folder() + "/conformance/" + file, [&](const Json& c) {
    ++total;
    const std::string wrong = difference(c, judge(c.text_at("source")));
    passed += wrong.empty() ? 1 : 0;
    if (!wrong.empty()) {
      std::cout << file << " " << c.text_at("id") << ": " << wrong << "\n";
    }
  });
  std::cout << file << ": " << passed << " of " << total << " cases\n";
  CHECK(passed >= floor);
}

std::string code_text(const Code& code, const Node& node) {
  return code.body_lines == 0 ? "" : std::string(node.value) + "\n";
}

TEST_CASE("mdx vetting: verdict, place and construct of the first refusal are as collected") {
  if (test::have_shared()) {
    run_vetting("mdx-vetting.jsonl", 1163);
  }
}

TEST_CASE("mdx vetting: what is refused beyond the replaced system is refused as collected") {
  if (test::have_shared()) {
    run_vetting("mdx-stricter.jsonl", 121);
  }
}

TEST_CASE("fences: the code of every block is as collected") {
  if (!test::have_shared()) {
    return;
  }
  std::size_t passed = 0;
  std::size_t total = 0;
  test::each_line(test::shared_folder() + "/conformance/fences.jsonl", [&](const Json& c) {
    const Parsed parsed = parse(c.text_at("source"), Dialect::Markdown);
    std::string got;
    for (const Node& node : parsed.tree.nodes) {
      const bool block = node.kind == Kind::Code && parsed.tree.code(node).fenced &&
                         !parsed.tree.code(node).info.empty();
      if (block) {
        const Code& code = parsed.tree.code(node);
        got += std::to_string(node.span.start.line) + " " + std::string(code.language) + "\n" +
               code_text(code, node);
      }
    }
    std::string wanted;
    for (const Json& block : c.find("blocks")->items()) {
      wanted += std::to_string(block.natural_at("line")) + " " +
                std::string(block.text_at("language")) + "\n" + std::string(block.text_at("code"));
    }
    ++total;
    passed += got == wanted ? 1 : 0;
    if (got != wanted) {
      std::cout << "fences.jsonl " << c.text_at("id") << ": got\n" << got << "wanted\n" << wanted;
    }
  });
  std::cout << "fences.jsonl: code of " << passed << " of " << total << " cases\n";
  CHECK(passed >= 168);
}

TEST_CASE("corpus: every Markdown fence has the collected line, info string and content") {
  if (!test::have_shared()) {
    return;
  }
  const std::string corpus = test::shared_folder() + "/corpus/";
  std::size_t wrong = 0;
  std::size_t files = 0;
  test::each_line(corpus + "expected-fences.jsonl", [&](const Json& c) {
    const std::string text = test::read_all(corpus + std::string(c.text_at("file")));
    const Parsed parsed = parse(text, Dialect::Markdown);
    std::string got = parsed.tree.front_matter ? "front matter\n" : "";
    std::string wanted = c.boolean_at("front_matter") ? "front matter\n" : "";
    std::map<std::string, std::string> also;
    for (const Json& fence : c.find("fences")->items()) {
      const std::string digest(fence.text_at("sha256_of_code"));
      wanted += std::to_string(fence.natural_at("line")) + " " +
                std::string(fence.text_at("info")) + " " + digest + "\n";
      also[std::string(fence.text_at("sha256_also"))] = digest;
    }
    for (const Node& node : parsed.tree.nodes) {
      if (node.kind == Kind::Code && parsed.tree.code(node).fenced) {
        const Code& code = parsed.tree.code(node);
        std::string digest = sha256(as_bytes(code_text(code, node))).hex();
        digest = also.count(digest) != 0 ? also[digest] : digest;
        got += std::to_string(node.span.start.line) + " " + std::string(code.info) + " " + digest +
               "\n";
      }
    }
    ++files;
    wrong += got == wanted ? 0 : 1;
    if (got != wanted) {
      std::cout << c.text_at("file") << ": got\n" << got << "wanted\n" << wanted;
    }
  });
  std::cout << "expected-fences.jsonl: " << files - wrong << " of " << files << " files\n";
  CHECK(wrong == 0);
}

TEST_CASE("corpus: every MDX runbook of the replaced system is accepted") {
  if (!test::have_shared()) {
    return;
  }
  const std::string corpus = test::shared_folder() + "/corpus/";
  std::size_t accepted = 0;
  std::size_t files = 0;
  test::each_line(corpus + "expected-mdx.jsonl", [&](const Json& c) {
    const std::string file(c.text_at("file"));
    const Verdict got = judge(test::read_all(corpus + file));
    ++files;
    accepted += got.verdict == "accept" ? 1 : 0;
    if (got.verdict != "accept") {
      std::cout << file << ":" << got.line << ":" << got.column << " " << got.text << "\n";
    }
  });
  std::cout << "expected-mdx.jsonl: " << accepted << " of " << files << " accepted\n";
  CHECK(accepted == files);
}

// The script of an inline block: `command` as the tree gives it, and as its author wrote it.
struct Script {
  std::string value;
  std::string verbatim;
};

std::multimap<std::uint64_t, Script> inline_scripts(const Tree& tree) {
  std::multimap<std::uint64_t, Script> out;
  for (const Node& node : tree.nodes) {
    if (node.kind != Kind::MdxJsxFlowElement && node.kind != Kind::MdxJsxTextElement) {
      continue;
    }
    const Attribute* command = tree.attribute(node, "command");
    if (command == nullptr) {
      continue;
    }
    Script& script = out.emplace(node.span.start.line, Script{})->second;
    if (command->kind == AttributeKind::String) {
      script = {std::string(command->value), std::string(command->verbatim)};
    } else if (command->literal != kNone) {
      const Literal& literal = tree.literals[command->literal];
      script = {std::string(literal.value), std::string(literal.verbatim)};
    }
  }
  return out;
}

TEST_CASE("registry: inline scripts are as collected, and verbatim as their authors wrote them") {
  if (!test::have_shared()) {
    return;
  }
  std::size_t passed = 0;
  std::size_t total = 0;
  test::each_line(test::shared_folder() + "/conformance/registry.jsonl", [&](const Json& c) {
    const Parsed parsed = parse(c.text_at("source"), Dialect::Mdx);
    std::multimap<std::uint64_t, Script> scripts = inline_scripts(parsed.tree);
    for (const Json& executable : c.find("executables")->items()) {
      if (executable.text_at("kind") != "inline") {
        continue;
      }
      const auto found = scripts.find(executable.natural_at("line"));
      REQUIRE(found != scripts.end());
      const Script got = found->second;
      scripts.erase(found);
      const std::string value(executable.text_at("script"));
      const bool differs = executable.find("script_verbatim") != nullptr;
      const std::string verbatim =
          differs ? std::string(executable.text_at("script_verbatim")) : value;
      const bool right = got.value == value && (!differs || got.verbatim == verbatim);
      ++total;
      passed += right ? 1 : 0;
      if (!right) {
        std::cout << "registry.jsonl " << c.text_at("id") << " line "
                  << executable.natural_at("line") << ": got [" << got.value << "] ["
                  << got.verbatim << "], wanted [" << value << "] [" << verbatim << "]\n";
      }
    }
  });
  std::cout << "registry.jsonl: " << passed << " of " << total << " inline scripts\n";
  CHECK(passed == total);
}

}  // namespace
}  // namespace rb::rdr
