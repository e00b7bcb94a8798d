// A Markdown front matter: what is broken refuses the runbook by name, place and advice; inputs
// that are accepted are variables a shell can hold and none that decides what programs do.
#include "daemon/reader/front_matter.h"
#include "daemon/reader/inputs.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = "---\n" + std::string(rb::as_text({data, size})) + "\n---\n";
  const rb::rdr::Parsed parsed = rb::rdr::parse(text, rb::rdr::Dialect::Markdown);
  std::vector<rb::rdr::Finding> findings;
  const rb::rdr::FrontMatter front = rb::rdr::read_front_matter(parsed.tree, findings);
  for (const rb::rdr::Finding& finding : findings) {
    rb::fuzz::must(finding.line >= 2 && finding.column >= 1);
    rb::fuzz::must(!finding.text.empty() && !finding.advice.empty() && !finding.code.empty());
  }
  for (const rb::rdr::InputDeclaration& input : front.inputs) {
    rb::fuzz::must(rb::rdr::is_variable_name(input.name));
    rb::fuzz::must(!rb::rdr::is_dangerous_variable(input.name));
  }
  rb::fuzz::planted(front.inputs.size() == 1 && !front.title.empty());
  return 0;
}
