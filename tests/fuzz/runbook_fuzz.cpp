// A whole runbook: the first byte says which dialect. One tree decides all, so what isn't vetted
// has neither blocks nor a document, and what runs is covered by its trace exactly.
#include "daemon/reader/read.h"
#include "tests/fuzz/fuzz.h"

namespace {

void check_block(const rb::rdr::Block& block) {
  if (!block.runnable) {
    return;
  }
  std::uint32_t at = 0;
  for (const rb::rdr::Piece& piece : block.trace) {
    rb::fuzz::must(piece.offset == at);
    at += piece.length;
  }
  rb::fuzz::must(block.kind == "file" || at == block.script.size());
  rb::fuzz::must(!block.id.empty() && !block.interpreter.empty());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) {
    return 0;
  }
  const bool mdx = (data[0] & 1) != 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const rb::rdr::Answer answer =
      rb::rdr::read_text(text, mdx ? rb::rdr::Dialect::Mdx : rb::rdr::Dialect::Markdown,
                         mdx ? "runbook.mdx" : "runbook.md", nullptr);
  rb::fuzz::must(answer.vetted || (answer.blocks.empty() && answer.document.empty()));
  for (const rb::rdr::Finding& finding : answer.findings) {
    rb::fuzz::must(finding.severity != rb::rdr::Severity::Refusal || !answer.vetted);
    rb::fuzz::must(finding.line >= 1 && finding.column >= 1);
  }
  std::size_t runnable = 0;
  for (const rb::rdr::Block& block : answer.blocks) {
    check_block(block);
    runnable += block.runnable ? 1 : 0;
  }
  rb::fuzz::planted(runnable >= 2);
  return 0;
}
