#include "daemon/reader/read.h"

#include <algorithm>
#include <tuple>

#include "daemon/reader/document.h"
#include "daemon/reader/naming.h"
#include "daemon/reader/reading.h"
#include "daemon/reader/tree/vet.h"
#include "protocol/limits.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kFindings = 300;
constexpr std::uint32_t kNodes = 400'000;

void refuse_all(const std::vector<Problem>& problems, std::vector<Finding>& findings) {
  for (const Problem& problem : problems) {
    Finding finding;
    finding.severity = Severity::Refusal;
    finding.line = problem.line;
    finding.column = problem.column;
    finding.end_column = problem.end_column;
    finding.code = std::string(problem.code);
    finding.construct = std::string(problem.construct);
    finding.text = problem.text;
    finding.advice = problem.advice;
    findings.push_back(std::move(finding));
  }
}

bool has_refusal(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::Refusal; });
}

// What stands in the runbook first, by place; then other files.
void put_in_order(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
  });
  if (findings.size() > kFindings) {
    const std::size_t more = findings.size() - kFindings;
    const bool refusal_cut =
        std::any_of(findings.begin() + kFindings, findings.end(),
                    [](const Finding& finding) { return finding.severity == Severity::Refusal; });
    findings.resize(kFindings);
    Finding rest = findings.back();
    rest.severity = refusal_cut ? Severity::Refusal : Severity::Warning;
    rest.code = "more";
    rest.construct = refusal_cut ? "syntax" : "";
    rest.text = "and " + std::to_string(more) + " more problems below";
    rest.advice = "mend these first";
    rest.block.clear();
    findings.push_back(std::move(rest));
  }
}

std::string title_of(const Tree& tree, const FrontMatter& front, const std::string& file_name) {
  if (!front.title.empty()) {
    return for_people(front.title, 300);
  }
  for (NodeId id = 0; id < tree.nodes.size(); ++id) {
    if (tree.nodes[id].kind == Kind::Heading) {
      const std::string text = for_people(tree.text_of(id), 300);
      return text.empty() ? for_people(file_name, 300) : text;
    }
  }
  return for_people(file_name, 300);
}

void refuse_crowd(Reading& reading) {
  if (reading.blocks.size() <= limits::kExecutables) {
    return;
  }
  Finding finding;
  finding.severity = Severity::Refusal;
  finding.line = reading.blocks[limits::kExecutables].line;
  finding.code = "too-many-blocks";
  finding.construct = "syntax";
  finding.text = "more than " + std::to_string(limits::kExecutables) + " blocks";
  finding.advice = "split the runbook";
  reading.findings.push_back(std::move(finding));
}

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

}  // namespace

Answer read_text(std::string_view text, Dialect dialect, const std::string& file_name,
                 const SealedTree* folder) {
  Answer out;
  out.format = dialect == Dialect::Mdx ? "mdx" : "markdown";
  out.source = std::string(text);
  Limits limits;
  limits.nodes = kNodes;
  Parsed parsed = parse(text, dialect, limits);
  refuse_all(parsed.problems, out.findings);
  refuse_all(vet(parsed.tree), out.findings);  // of what could be read, however much that is
  const FrontMatter front = read_front_matter(parsed.tree, out.findings);
  out.title = title_of(parsed.tree, front, file_name);
  if (!has_refusal(out.findings)) {
    Reading reading{parsed.tree, front, folder, file_name, std::move(out.findings), {}, {}};
    reading.block_of_node.assign(parsed.tree.nodes.size(), kNone);
    dialect == Dialect::Mdx ? read_blocks(reading) : read_fences(reading);
    refuse_crowd(reading);
    out.findings = std::move(reading.findings);
    out.vetted = !has_refusal(out.findings);
    if (out.vetted) {
      out.document = encode_document(reading, out.title);
      out.blocks = std::move(reading.blocks);
    }
  }
  put_in_order(out.findings);
  return out;
}

std::variant<Answer, ReadFailure> read_runbook(const SealedTree& folder) {
  const std::string& name = folder.main();
  const TreeEntry* entry = folder.find(name);
  if (entry == nullptr || entry->kind != reader::EntryKind::FILE) {
    return ReadFailure{"malformed", "the folder's index doesn't hold the runbook"};
  }
  const bool mdx = ends_with_any(name, {".mdx", ".MDX"});
  if (!mdx && !ends_with_any(name, {".md", ".MD", ".markdown"})) {
    return ReadFailure{"malformed", "a runbook's name ends in .mdx or .md"};
  }
  const Result<std::string> text = folder.bytes(*entry, limits::kRunbookBytes);
  if (!text) {
    return ReadFailure{"too-large", text.failure().text()};
  }
  return read_text(*text, mdx ? Dialect::Mdx : Dialect::Markdown, name, &folder);
}

}  // namespace rb::rdr
