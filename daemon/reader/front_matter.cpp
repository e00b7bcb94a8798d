#include "daemon/reader/front_matter.h"

#include <algorithm>

#include "daemon/reader/inputs.h"
#include "daemon/reader/text_place.h"
#include "daemon/reader/yaml.h"

namespace rb::rdr {
namespace {

Finding refusal(const TextPlace& place, std::uint32_t line, std::uint32_t column) {
  Finding out;
  out.severity = Severity::Refusal;
  out.construct = "syntax";
  const auto [at_line, at_column] = place.at(line, column);
  out.line = at_line;
  out.column = at_column;
  return out;
}

void read_interpreters(const YamlNode& node, const TextPlace& place, Languages& languages,
                       std::vector<Finding>& findings) {
  if (node.is(YamlNode::Kind::Null)) {
    return;
  }
  const auto refuse = [&](const YamlNode& where, std::string text) {
    Finding finding = refusal(place, where.line, where.column);
    finding.code = "front-matter-interpreters";
    finding.text = std::move(text);
    finding.advice = "write language: command, such as python: python3";
    findings.push_back(std::move(finding));
  };
  if (!node.is(YamlNode::Kind::Map)) {
    refuse(node, "interpreters aren't a mapping of languages to commands");
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const YamlNode& command = node.items[i];
    if (!command.is(YamlNode::Kind::Text) || !languages.add(node.keys[i], command.text)) {
      refuse(command, "the interpreter of " + node.keys[i] + " isn't a command");
      return;
    }
  }
}

}  // namespace

FrontMatter read_front_matter(const Tree& tree, std::vector<Finding>& findings) {
  FrontMatter out;
  if (!tree.front_matter || tree.front_end <= tree.front_begin) {
    return out;
  }
  const std::string_view source = tree.source();
  const std::string_view text = source.substr(tree.front_begin, tree.front_end - tree.front_begin);
  const TextPlace place("", 2);  // its first line is always the file's second
  const Yaml parsed = parse_yaml(text);
  const bool markdown = tree.dialect == Dialect::Markdown;
  if (parsed.problem ||
      (markdown && !parsed.root.is(YamlNode::Kind::Map) && !parsed.root.is(YamlNode::Kind::Null))) {
    if (markdown) {
      Finding finding = refusal(place, parsed.problem ? parsed.problem->line : 1,
                                parsed.problem ? parsed.problem->column : 1);
      finding.code = "front-matter";
      finding.text = "front matter: " +
                     (parsed.problem ? parsed.problem->text : std::string("it isn't a mapping"));
      finding.advice = parsed.problem ? parsed.problem->advice : "write key: value lines";
      findings.push_back(std::move(finding));
    }
    return out;
  }
  if (const YamlNode* title = parsed.root.find("title");
      title != nullptr && title->is(YamlNode::Kind::Text)) {
    out.title = title->text;
  }
  if (!markdown) {
    return out;
  }
  if (const YamlNode* inputs = parsed.root.find("inputs")) {
    out.inputs = parse_front_inputs(*inputs, place, findings);
  }
  if (const YamlNode* interpreters = parsed.root.find("interpreters")) {
    read_interpreters(*interpreters, place, out.languages, findings);
  }
  return out;
}

}  // namespace rb::rdr
