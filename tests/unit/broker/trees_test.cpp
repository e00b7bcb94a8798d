#include "broker/trees.h"

#include <doctest/doctest.h>

#include <functional>

#include "common/seal.h"
#include "tests/unit/broker/support.h"

namespace rb::brk {
namespace {

struct Sample {
  Bytes content = to_bytes("# book\necho hi\n");
  Tree tree;
  Sample() {
    tree.main = "runbook.md";
    tree.bound = true;
    tree.entries = {{"lib", true, false, 0, 0},
                    {"lib/deep/x.sh", false, true, 7, 8},
                    {"runbook.md", false, false, 0, 7}};
    tree.digest = sha256(content);
    (void)seal::start();
  }
  std::string name() const { return tree.digest.hex() + "/"; }
};

}  // namespace

TEST_CASE("trees: the copy holds exactly what was hashed, and is taken again") {
  const test::Folder folder;
  const Sample sample;
  const auto first = seal_tree(folder.fd(), sample.tree, sample.content);
  REQUIRE(first.ok());
  CHECK(first->is_new);
  CHECK(folder.read(sample.name() + "runbook.md") == "# book\n");
  CHECK(folder.read(sample.name() + "lib/deep/x.sh") == "echo hi\n");
  CHECK(::access(folder.path(sample.name() + "lib/deep/x.sh").c_str(), X_OK) == 0);
  const auto second = seal_tree(folder.fd(), sample.tree, sample.content);
  REQUIRE(second.ok());
  CHECK_FALSE(second->is_new);
}

TEST_CASE("trees: a changed, added or missing file costs the copy, never the content") {
  const auto spoil = [](const std::function<void(const std::string&)>& change) {
    const test::Folder folder;
    const Sample sample;
    REQUIRE(seal_tree(folder.fd(), sample.tree, sample.content).ok());
    change(folder.path(sample.name()));
    REQUIRE(seal_tree(folder.fd(), sample.tree, sample.content).ok());
    CHECK(folder.read(sample.name() + "lib/deep/x.sh") == "echo hi\n");
    CHECK_FALSE(std::filesystem::exists(folder.path(sample.name() + "lib/added.sh")));
  };
  spoil([](const std::string& tree) {
    std::filesystem::remove(tree + "lib/deep/x.sh");
    std::ofstream(tree + "lib/deep/x.sh") << "evil  \n\n";
  });
  spoil([](const std::string& tree) { std::ofstream(tree + "lib/added.sh") << "evil\n"; });
  spoil([](const std::string& tree) { std::filesystem::remove(tree + "runbook.md"); });
}

}  // namespace rb::brk
