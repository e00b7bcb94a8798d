// What a taken-over reader may answer, as the broker checks it. Built field by field; sealed is
// only what lies within the content and is covered by its trace.
#include "broker/registry.h"
#include "protocol/wire.h"
#include "tests/fuzz/input.h"

namespace {

using rb::fuzz::Input;

void fill_tree(rb::reader::Tree::Builder tree, Input& input) {
  tree.setMain(input.text(12));
  tree.setBound((input.byte() & 1) != 0);
  auto entries = tree.initEntries(input.byte() % 5U);
  for (auto entry : entries) {
    entry.setPath(input.text(12));
    entry.setKind(static_cast<rb::reader::EntryKind>(input.byte() % 9U));
    entry.setMode(input.number());
    entry.setOffset(input.number());
    entry.setLength(input.number());
  }
}

void fill_trace(rb::reader::Block::Builder block, Input& input) {
  auto trace = block.initTrace(input.byte() % 4U);
  for (auto piece : trace) {
    if ((input.byte() & 1) != 0) {
      auto literal = piece.initLiteral();
      literal.setOffset(input.number());
      literal.setLength(input.number());
      continue;
    }
    auto insertion = piece.initInsertion();
    insertion.initRange().setOffset(input.number());
    insertion.getRange().setLength(input.number());
    insertion.setInput(input.text(6));
    insertion.setPlace(static_cast<rb::reader::Place>(input.byte() % 7U));
  }
}

void fill_block(rb::reader::Block::Builder block, Input& input) {
  block.setId(input.text(8));
  block.setType((input.byte() & 1) != 0 ? "command" : input.text(8));
  block.setLine(input.number());
  block.setKind((input.byte() & 1) != 0 ? "inline" : "file");
  block.setRunnable((input.byte() & 1) != 0);
  block.setScript(rb::wire::data(input.bytes(64)));
  block.setPath(input.text(12));
  auto words = block.initInterpreter(input.byte() % 3U);
  for (unsigned i = 0; i < words.size(); ++i) {
    words.set(i, input.text(12));
  }
  auto inputs = block.initInputs(input.byte() % 3U);
  for (auto declared : inputs) {
    declared.setName(input.text(8));
    declared.setType((input.byte() & 1) != 0 ? "string" : input.text(8));
  }
  fill_trace(block, input);
}

// True when it was sealed.
bool seal(Input& input) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<rb::reader::FromReader>();
  capnp::MallocMessageBuilder other;
  auto wire_tree = other.initRoot<rb::reader::Tree>();
  fill_tree(wire_tree, input);
  auto outcome = root.initRead();
  outcome.setVetted((input.byte() & 7) != 0);
  outcome.setFormat((input.byte() & 1) != 0 ? "mdx" : input.text(8));
  auto blocks = outcome.initBlocks(input.byte() % 4U);
  for (auto block : blocks) {
    fill_block(block, input);
  }
  const rb::ByteView content = input.all();
  const auto tree = rb::brk::check_tree(wire_tree.asReader(), content);
  if (!tree) {
    return false;
  }
  for (const rb::brk::TreeEntry& entry : tree->entries) {
    rb::fuzz::must(entry.offset + entry.length <= content.size());
  }
  const auto registry = rb::brk::seal_registry(outcome.asReader(), *tree, content);
  if (!registry) {
    return false;
  }
  bool any = false;
  for (const rb::brk::Executable& block : registry->blocks) {
    std::size_t at = 0;
    for (const rb::brk::Piece& piece : block.trace) {
      rb::fuzz::must(piece.offset == at);
      at += piece.length;
    }
    rb::fuzz::must(!block.runnable || (block.script != nullptr && at == block.script->size()));
    any = any || block.runnable;
  }
  rb::fuzz::planted(any || !registry->blocks.empty());
  return true;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  static_cast<void>(seal(input));
  return 0;
}
