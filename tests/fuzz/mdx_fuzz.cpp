// MDX is accepted or refused at one place of the file; what passes the vetting is declarative.
#include <algorithm>

#include "daemon/reader/tree/vet.h"
#include "tests/fuzz/tree_check.h"

namespace {

using rb::fuzz::must;

void check_problem(const rb::rdr::Tree& tree, const rb::rdr::Problem& problem) {
  must(problem.line >= 1 && problem.column >= 1 && problem.offset <= tree.source().size());
  must(!problem.code.empty() && !problem.construct.empty() && !problem.text.empty());
}

// What the rules promise, asked of the tree again in the simplest way.
void check_declarative(const rb::rdr::Tree& tree) {
  for (const rb::rdr::Node& node : tree.nodes) {
    must(node.kind != rb::rdr::Kind::MdxjsEsm);
    const bool element = node.kind == rb::rdr::Kind::MdxJsxFlowElement ||
                         node.kind == rb::rdr::Kind::MdxJsxTextElement;
    const bool braces = node.kind == rb::rdr::Kind::MdxFlowExpression ||
                        node.kind == rb::rdr::Kind::MdxTextExpression;
    if (braces) {
      const rb::rdr::Expression& expression = tree.expression(node);
      must(expression.empty || expression.literal != rb::rdr::kNone);
    }
    if (!element) {
      continue;
    }
    const rb::rdr::Element& found = tree.element(node);
    must(found.name.empty() || rb::rdr::is_known_block(found.name) ||
         rb::rdr::is_allowed_element(found.name));
    for (std::uint32_t i = 0; i < found.attribute_count; ++i) {
      const rb::rdr::Attribute& attribute = tree.attributes[found.first_attribute + i];
      must(attribute.kind != rb::rdr::AttributeKind::Spread);
      must(attribute.kind != rb::rdr::AttributeKind::Expression ||
           attribute.literal != rb::rdr::kNone);
      must(attribute.kind != rb::rdr::AttributeKind::String ||
           !rb::rdr::is_script_url(attribute.value));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = rb::as_text({data, size});
  rb::rdr::Parsed parsed = rb::rdr::parse(text, rb::rdr::Dialect::Mdx);
  rb::fuzz::check_tree(parsed.tree);
  for (const rb::rdr::Problem& problem : parsed.problems) {
    check_problem(parsed.tree, problem);
  }
  if (!parsed.problems.empty()) {
    return 0;
  }
  const auto problems = rb::rdr::vet(parsed.tree);
  for (const rb::rdr::Problem& problem : problems) {
    check_problem(parsed.tree, problem);
  }
  if (problems.empty()) {
    check_declarative(parsed.tree);
    rb::fuzz::planted(!parsed.tree.elements.empty());
  }
  return 0;
}
