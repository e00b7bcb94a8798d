#include "broker/registry.h"

#include <doctest/doctest.h>

#include <functional>

#include "protocol/digests.h"
#include "protocol/limits.h"

namespace rb::brk {
namespace {

using Fill = std::function<void(reader::Outcome::Builder)>;

const Bytes kContent = to_bytes("# book\necho file\n");

Result<Tree> tree_of(const std::function<void(reader::Tree::Builder)>& fill) {
  Result<Tree> out = error(Code::Invalid, "unset");
  const Bytes message = wire::build<reader::Tree>(fill);
  (void)wire::read<reader::Tree>(message, limits::kTrustedNesting, [&](auto root) {
    out = check_tree(root, kContent);
    return done();
  });
  return out;
}

void fill_entry(reader::Entry::Builder entry, const char* path, std::uint64_t offset,
                std::uint64_t length) {
  entry.setPath(path);
  entry.setKind(reader::EntryKind::FILE);
  entry.setMode(0644);
  entry.setOffset(offset);
  entry.setLength(length);
}

void fill_tree(reader::Tree::Builder tree) {
  tree.setMain("runbook.mdx");
  tree.setBound(true);
  auto entries = tree.initEntries(2);
  fill_entry(entries[0], "runbook.mdx", 0, 7);
  fill_entry(entries[1], "x.sh", 7, 10);
}

// A vetted outcome of one inline block "echo {{x}}" with its input; `change` spoils it.
void fill_outcome(reader::Outcome::Builder outcome) {
  outcome.setVetted(true);
  outcome.setFormat("mdx");
  outcome.setTitle("Book");
  auto block = outcome.initBlocks(1)[0];
  block.setId("a");
  block.setType("command");
  block.setKind("inline");
  block.setRunnable(true);
  block.setScript(wire::data(as_bytes("echo {{x}}")));
  block.initInterpreter(1).set(0, "bash");
  auto trace = block.initTrace(2);
  trace[0].initLiteral().setLength(5);
  auto insertion = trace[1].initInsertion();
  insertion.initRange().setOffset(5);
  insertion.getRange().setLength(5);
  insertion.setInput("x");
  insertion.setPlace(reader::Place::PLAIN);
  auto input = block.initInputs(1)[0];
  input.setName("x");
  input.setType("string");
}

Result<Registry> sealed(const Fill& change = {}) {
  const Result<Tree> tree = tree_of(fill_tree);
  REQUIRE(tree.ok());
  const Bytes message = wire::build<reader::Outcome>([&](auto outcome) {
    fill_outcome(outcome);
    if (change) {
      change(outcome);
    }
  });
  Result<Registry> out = error(Code::Invalid, "unset");
  (void)wire::read<reader::Outcome>(message, limits::kTrustedNesting, [&](auto root) {
    out = seal_registry(root, *tree, kContent);
    return done();
  });
  return out;
}

}  // namespace

TEST_CASE("registry: a vetted document becomes executables, each with its digest") {
  const Result<Registry> registry = sealed();
  REQUIRE(registry.ok());
  const Executable* block = registry->block("a");
  REQUIRE(block != nullptr);
  CHECK(as_text(*block->script) == "echo {{x}}");
  CHECK(block->trace.size() == 2);
  CHECK(registry->block("b") == nullptr);
}

TEST_CASE(
    "registry: the scripts that a client is shown hold 4 MiB together, one file named often too") {
  constexpr std::size_t kBig = 1 << 20;
  const Bytes content = to_bytes("# Book\n" + std::string(kBig, '#'));
  const auto open = [&](unsigned blocks) {
    Result<Registry> out = error(Code::Invalid, "unset");
    const Bytes tree_message = wire::build<reader::Tree>([&](auto tree) {
      tree.setMain("runbook.mdx");
      tree.setBound(true);
      auto entries = tree.initEntries(2);
      fill_entry(entries[0], "big.sh", 7, kBig);
      fill_entry(entries[1], "runbook.mdx", kBig + 7, 0);
    });
    const Bytes message = wire::build<reader::Outcome>([&](auto outcome) {
      outcome.setVetted(true);
      outcome.setFormat("mdx");
      auto list = outcome.initBlocks(blocks);
      for (unsigned i = 0; i < blocks; ++i) {
        list[i].setId(std::to_string(i).c_str());
        list[i].setKind("file");
        list[i].setPath("big.sh");
        list[i].setRunnable(true);
        list[i].initInterpreter(1).set(0, "bash");
        list[i].initTrace(1)[0].initLiteral().setLength(kBig);
      }
    });
    (void)wire::read<reader::Tree>(tree_message, limits::kTrustedNesting, [&](auto from) {
      const Result<Tree> tree = check_tree(from, content);
      REQUIRE(tree.ok());
      return wire::read<reader::Outcome>(message, limits::kTrustedNesting, [&](auto root) {
        out = seal_registry(root, *tree, content);
        return done();
      });
    });
    return out;
  };
  CHECK(open(4).ok());
  const Result<Registry> refused = open(5);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.failure().code == Code::TooLarge);
}

TEST_CASE("registry: more inputs than a request can carry are refused") {
  const auto with = [](unsigned count) {
    return sealed([count](auto outcome) {
      auto inputs = outcome.getBlocks()[0].initInputs(count);
      for (unsigned i = 0; i < count; ++i) {
        inputs[i].setName(i == 0 ? "x" : ("x" + std::to_string(i)).c_str());
      }
    });
  };
  CHECK(with(1024).ok());
  CHECK_FALSE(with(1025).ok());
}

TEST_CASE("registry: the digest covers everything that decides what runs") {
  const Digest digest = sealed()->block("a")->digest;
  const auto differs = [&](const Fill& change) {
    const Result<Registry> other = sealed(change);
    return other.ok() && !(other->blocks[0].digest == digest);
  };
  CHECK(differs([](auto o) { o.getBlocks()[0].setId("b"); }));
  CHECK(differs([](auto o) { o.getBlocks()[0].setType("check"); }));
  CHECK(differs([](auto o) { o.getBlocks()[0].initInterpreter(1).set(0, "sh"); }));
  CHECK(differs([](auto o) { o.getBlocks()[0].setTimeoutMs(5); }));
  CHECK(differs([](auto o) { o.getBlocks()[0].setProfile("host"); }));
  CHECK(differs([](auto o) { o.getBlocks()[0].setScript(wire::data(as_bytes("evil {{x}}"))); }));
  CHECK(differs([](auto o) {
    o.getBlocks()[0].getTrace()[1].getInsertion().setPlace(reader::Place::DOUBLE_QUOTED);
  }));
  CHECK(differs([](auto o) { o.getBlocks()[0].getInputs()[0].setSensitive(true); }));
  CHECK_FALSE(differs([](auto o) { o.getBlocks()[0].setTitle("another title"); }));
}

TEST_CASE("registry: no registry without vetting, or with a refusal among the findings") {
  CHECK_FALSE(sealed([](auto o) { o.setVetted(false); }).ok());
  CHECK_FALSE(
      sealed([](auto o) { o.initProblems(1)[0].setSeverity(front::Severity::REFUSAL); }).ok());
  CHECK(sealed([](auto o) { o.initProblems(1)[0].setSeverity(front::Severity::WARNING); }).ok());
}

TEST_CASE("registry: what a broken reader says is refused as a whole") {
  using Block = reader::Block::Builder;
  const auto refused = [](const std::function<void(Block)>& spoil) {
    return !sealed([&](auto outcome) { spoil(outcome.getBlocks()[0]); }).ok();
  };
  // A trace with a gap, an overlap, bytes left over, beyond the script, or of no kind.
  CHECK(refused([](Block b) { b.getTrace()[0].getLiteral().setLength(4); }));
  CHECK(refused([](Block b) { b.getTrace()[1].getInsertion().getRange().setOffset(4); }));
  CHECK(refused([](Block b) { b.getTrace()[1].getInsertion().getRange().setLength(6); }));
  CHECK(refused([](Block b) { b.getTrace()[1].getInsertion().getRange().setLength(0xFFFFFFFF); }));
  CHECK(refused([](Block b) { b.getTrace()[1].setUnset(); }));
  // Places, inputs, names.
  CHECK(refused(
      [](Block b) { b.getTrace()[1].getInsertion().setPlace(static_cast<reader::Place>(99)); }));
  CHECK(refused([](Block b) { b.getTrace()[1].getInsertion().setInput("undeclared"); }));
  CHECK(refused([](Block b) { b.getTrace()[1].getInsertion().setOutput("a.b"); }));
  CHECK(refused([](Block b) { b.setId(""); }));
  CHECK(refused([](Block b) { b.setId("a\nb"); }));
  CHECK(refused([](Block b) { b.setId("\xff"); }));
  CHECK(refused([](Block b) { b.setPath("../x"); }));
  CHECK(refused([](Block b) { b.initInterpreter(0); }));
  CHECK(refused([](Block b) {
    b.setKind("file");
    b.setPath("missing.sh");
  }));
}

TEST_CASE("registry: a script file's bytes are the sealed content's, whatever the reader says") {
  const Result<Registry> registry = sealed([](auto outcome) {
    auto block = outcome.getBlocks()[0];
    block.setKind("file");
    block.setPath("x.sh");
    block.initTrace(1)[0].initLiteral().setLength(10);
  });
  REQUIRE(registry.ok());
  CHECK(as_text(*registry->blocks[0].script) == "echo file\n");
}

TEST_CASE("registry: two runnable blocks of one id are refused") {
  CHECK_FALSE(sealed([](auto outcome) {
                auto first = outcome.disownBlocks();
                auto blocks = outcome.initBlocks(2);
                blocks.setWithCaveats(0, first.getReader()[0]);
                blocks.setWithCaveats(1, first.getReader()[0]);
              }).ok());
}

TEST_CASE("registry: a tree's entries are sorted, beneath, within the content and apart") {
  using Entries = capnp::List<reader::Entry>::Builder;
  const auto refused = [](const std::function<void(Entries)>& spoil) {
    return !tree_of([&](reader::Tree::Builder tree) {
              fill_tree(tree);
              spoil(tree.getEntries());
            }).ok();
  };
  CHECK(refused([](Entries e) { e[1].setPath("a.sh"); }));
  CHECK(refused([](Entries e) { e[1].setPath("runbook.mdx"); }));
  CHECK(refused([](Entries e) { e[1].setPath("x/../y"); }));
  CHECK(refused([](Entries e) { e[1].setPath("x//y"); }));
  CHECK(refused([](Entries e) { e[0].setPath("/runbook.mdx"); }));
  CHECK(refused([](Entries e) { e[1].setLength(11); }));
  CHECK(refused([](Entries e) { e[1].setOffset(UINT64_MAX); }));
  CHECK(refused([](Entries e) { e[1].setOffset(6); }));
  CHECK(refused([](Entries e) { e[1].setKind(reader::EntryKind::UNSET); }));
  CHECK(refused([](Entries e) { e[1].setKind(reader::EntryKind::FOLDER); }));
  CHECK(refused([](Entries e) { e[0].setPath("other.mdx"); }));
}

TEST_CASE("registry: a tree's digest is of names, kinds, execute bits and bytes") {
  const auto with = [](const std::function<void(reader::Tree::Builder)>& change) {
    return tree_of([&](reader::Tree::Builder tree) {
             fill_tree(tree);
             change(tree);
           })
        ->digest;
  };
  const Digest digest = with([](auto) {});
  CHECK(with([](auto t) { t.getEntries()[1].setMode(0600); }) == digest);
  CHECK_FALSE(with([](auto t) { t.getEntries()[1].setMode(0755); }) == digest);
  CHECK_FALSE(with([](auto t) { t.getEntries()[1].setPath("y.sh"); }) == digest);
  CHECK_FALSE(with([](auto t) { t.getEntries()[1].setLength(9); }) == digest);
  CHECK_FALSE(with([](auto t) { t.setBound(false); }) == digest);
}

}  // namespace rb::brk
