// The loader and whole readings, through load and read as the broker asks for them.
#include "daemon/reader/load.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <algorithm>
#include <string>

#include "common/io.h"
#include "daemon/reader/follow.h"
#include "daemon/reader/yaml.h"
#include "tests/unit/reader/opened.h"

namespace rb::test {
namespace {

const OpenedBlock* block(const Opened& opened, const std::string& id) {
  for (const OpenedBlock& one : opened.blocks) {
    if (one.id == id) {
      return &one;
    }
  }
  return nullptr;
}

bool warns(const Opened& opened, const std::string& code) {
  return std::any_of(opened.problems.begin(), opened.problems.end(),
                     [&](const OpenedProblem& problem) { return problem.code == code; });
}

std::variant<rdr::Loaded, rdr::LoadFailure> load(const Folder& folder, const std::string& name,
                                                 const std::vector<std::string>& only,
                                                 rdr::LoadLimits limits) {
  const Fd fd(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return rdr::load_folder(fd.get(), name, only, limits);
}

}  // namespace

TEST_CASE("load: everything in a folder is named by its kind, in order") {
  const Folder folder;
  folder.write("runbook.mdx", "x\n");
  folder.write("a.sh", "1");
  folder.write("a/b.sh", "22");
  folder.write("../outside.sh", "no");
  folder.fifo("pipe");
  folder.link("in", "a/b.sh");
  folder.link("out", "../outside.sh");
  folder.link("abs", "/etc/passwd");
  folder.link("gone", "nothing");
  folder.link("loop", "loop");
  folder.link("dir", "a");
  folder.link("self", ".");
  folder.link("up", "..");
  folder.write(".git/config", "secret");
  folder.link("gitlink", ".git/config");
  folder.link("a/gitlink", "../.git/config");
  const Opened opened = open_folder(folder.path());
  const std::vector<std::string> wanted = {"folder a",
                                           "file a.sh",
                                           "file a/b.sh",
                                           "link-broken a/gitlink",
                                           "link-out abs",
                                           "folder dir",
                                           "file dir/b.sh",
                                           "link-broken dir/gitlink",
                                           "link-broken gitlink",
                                           "link-broken gone",
                                           "file in",
                                           "link-broken loop",
                                           "link-out out",
                                           "special pipe",
                                           "file runbook.mdx",
                                           "folder self",
                                           "link-out up"};
  CHECK(opened.entries == wanted);
  CHECK(opened.bound);
}

TEST_CASE("load: links are followed by descriptors and never out, however they are spelled") {
  const Folder folder;
  folder.write("a/b/file", "x");
  folder.link("one", "a/../a/./b/file");
  folder.link("two", "a/b/../../../book/a/b/file");
  folder.link("a/three", "../one");
  folder.link("four", "a/b/file/");
  folder.link("five", "a/b/file/more");
  const Fd fd(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(rdr::follow(fd.get(), "one").path == "a/b/file");
  CHECK(rdr::follow(fd.get(), "two").state == rdr::FollowState::Out);
  CHECK(rdr::follow(fd.get(), "a/three").path == "a/b/file");
  CHECK(rdr::follow(fd.get(), "five").state == rdr::FollowState::Broken);
  CHECK(rdr::follow(fd.get(), "/etc/passwd").state == rdr::FollowState::Out);
  CHECK(rdr::follow(fd.get(), "").path == "");
  CHECK(rdr::follow(fd.get(), ".git").state == rdr::FollowState::Broken);
}

TEST_CASE("load: mdx comes before md, other names must be given, and errors have codes") {
  const Folder folder;
  CHECK(open_folder(folder.path()).failed == "not-found");
  folder.write("runbook.md", "# md\n");
  CHECK(open_folder(folder.path()).format == "markdown");
  folder.write("runbook.mdx", "# mdx\n");
  CHECK(open_folder(folder.path()).format == "mdx");
  folder.write("sub/other.md", "# other\n");
  CHECK(open_folder(folder.path(), "sub/other.md").title == "other");
  CHECK(open_folder(folder.path(), "./sub//other.md").title == "other");
  CHECK(open_folder(folder.path(), "../runbook.md").failed == "not-found");
  CHECK(open_folder(folder.path(), "/etc/passwd").failed == "not-found");
  CHECK(open_folder(folder.path(), "sub").failed == "not-a-file");
  CHECK(open_folder(folder.path(), "none.md").failed == "not-found");
  folder.write("notes.txt", "x");
  CHECK(open_folder(folder.path(), "notes.txt").failed == "malformed");
  folder.fifo("pipe.md");
  CHECK(open_folder(folder.path(), "pipe.md").failed == "not-a-file");
  folder.write("large.md", std::string((4 << 20) + 1, 'x'));
  CHECK(open_folder(folder.path(), "large.md").failed == "too-large");
  folder.link("out.md", "../secret.md");
  folder.write("../secret.md", "x");
  CHECK(open_folder(folder.path(), "out.md").failed == "not-a-file");
}

TEST_CASE("load: over a limit the runbook alone comes, and the files that are named") {
  const Folder folder;
  folder.write("runbook.md", "# x\n");
  folder.write("a.sh", "echo a");
  folder.write("big", std::string(1000, 'x'));
  const rdr::LoadLimits all{10'000, 100, 100, 10'000};
  CHECK(std::get<rdr::Loaded>(load(folder, "", {}, all)).bound);
  for (const rdr::LoadLimits small :
       {rdr::LoadLimits{500, 100, 100, 10'000}, rdr::LoadLimits{10'000, 2, 100, 10'000},
        rdr::LoadLimits{10'000, 100, 2, 10'000}, rdr::LoadLimits{10'000, 100, 100, 10}}) {
    const auto loaded = load(folder, "", {}, small);
    CHECK(!std::get<rdr::Loaded>(loaded).bound);
    CHECK(std::get<rdr::Loaded>(loaded).entries.size() == 1);
  }
  const auto named = load(folder, "", {"a.sh", "none.sh", "../x", "big"}, {500, 100, 100, 10'000});
  const auto& entries = std::get<rdr::Loaded>(named).entries;
  REQUIRE(entries.size() == 4);
  CHECK(entries[0].path == "a.sh");
  CHECK(entries[1].kind == reader::EntryKind::TOO_LARGE);
  CHECK(entries[2].kind == reader::EntryKind::LINK_BROKEN);
  CHECK(entries[3].path == "runbook.md");
  const Result<Bytes> content = read_sealed(std::get<rdr::Loaded>(named).content.get(), 1 << 20);
  CHECK(as_text(*content) == "echo a# x\n");
}

TEST_CASE("load: a name that isn't UTF-8 leaves the folder unbound") {
  const Folder folder;
  folder.write("runbook.md", "# x\n");
  folder.write("caf\xe9", "x");
  const Opened opened = open_folder(folder.path());
  CHECK(!opened.bound);
  CHECK(opened.vetted);
}

TEST_CASE("read: an MDX block takes inputs from forms, nested ones last") {
  const Opened opened = open_text(
      "runbook.mdx",
      "<Command id=\"a\" command=\"echo {{ .inputs.X }}\" inputsId=\"f\" />\n\n"
      "<Command id=\"b\" command=\"echo {{ .inputs.X }}\" />\n\n"
      "<Command id=\"c\" command=\"echo {{ .X }}\">\n\n<Inputs id=\"n\">\n\n"
      "```yaml\nvariables:\n  - name: X\n    default: 5\n```\n\n</Inputs>\n\n</Command>\n\n"
      "<Command id=\"d\" command=\"{{ if .x }}\" />\n\n"
      "<Command id=\"e\" command=\"echo {{ .outputs.a.b }}\" />\n\n"
      "<Inputs id=\"f\">\n\n```yaml\nvariables:\n  - name: X\n```\n\n</Inputs>\n");
  REQUIRE(opened.vetted);
  CHECK(block(opened, "a")->runnable);
  CHECK(!block(opened, "b")->runnable);
  CHECK(block(opened, "b")->why_not.find("isn't a declared input") != std::string::npos);
  CHECK(block(opened, "b")->why_not.find("line 3") != std::string::npos);
  CHECK(block(opened, "c")->runnable);
  CHECK(block(opened, "d")->why_not.find("control flow") != std::string::npos);
  CHECK(block(opened, "e")->why_not.find("outputs aren't carried yet") != std::string::npos);
  CHECK(block(opened, "f")->type == "inputs");
  CHECK(!block(opened, "f")->runnable);
  CHECK(opened.document_nodes > 5);
}

TEST_CASE("read: a form in a file, prefilled values and broken forms") {
  const Folder folder;
  folder.write("form/boilerplate.yml", "variables:\n  - name: A\n    default: x\n");
  folder.write("runbook.mdx",
               "<Inputs id=\"f\" path=\"form\" />\n\n<Inputs id=\"g\" path=\"none\" />\n\n"
               "<Inputs id=\"h\">\n\n```yaml\nvariables:\n  - name: &a A\n```\n\n</Inputs>\n\n"
               "<Command id=\"a\" command=\"echo {{ .inputs.A }}\" inputsId={[\"f\"]} />\n\n"
               "<Command id=\"b\" command=\"echo {{ .inputs.A }}\" inputsId=\"h\" />\n");
  const Opened opened = open_folder(folder.path());
  REQUIRE(opened.vetted);
  CHECK(block(opened, "a")->runnable);
  CHECK(block(opened, "b")->why_not.find("can't be read") != std::string::npos);
  CHECK(warns(opened, "inputs-file"));
  REQUIRE(warns(opened, "inputs-yaml"));
  for (const OpenedProblem& problem : opened.problems) {
    if (problem.code == "inputs-yaml") {
      CHECK(problem.line == 9);
      CHECK(problem.excerpt.find("name: &a A") != std::string::npos);
    }
  }
}

TEST_CASE("read: other known blocks are listed and don't run yet") {
  const Opened opened = open_text(
      "runbook.mdx",
      "<Template id=\"t\" path=\"x\" />\n\n<GitClone id=\"g\" />\n\n<Finish id=\"z\" "
      "command=\"true\" />\n\n"
      "<Admonition type=\"note\" title=\"t\" description=\"d\" />\n\n<AwsAuth id=\"w\" />\n");
  REQUIRE(opened.vetted);
  REQUIRE(opened.blocks.size() == 4);
  for (const OpenedBlock& one : opened.blocks) {
    CHECK(!one.runnable);
    CHECK(!one.why_not.empty());
  }
}

TEST_CASE("read: a Markdown runbook's ids, kinds and front matter") {
  const Opened opened = open_text(
      "deploy it.md",
      "---\ntitle: Deploy\ninputs:\n  - name: HOST\n    prompt: which\n"
      "  - name: LD_PRELOAD\n  - name: 9x\n---\n\n```\nbare\n```\n\n"
      "```sh run\necho $HOST {{ .not.a.template }}\n```\n\n```sh destructive\nrm x\n```\n\n"
      "```sh background\nx\n```\n\n```sh terminal\nx\n```\n\n```text "
      "expect\nx\n```\n\n```json\n{}\n```\n");
  REQUIRE(opened.vetted);
  CHECK(opened.title == "Deploy");
  REQUIRE(opened.blocks.size() == 6);
  CHECK(opened.blocks[0].id == "deploy-it-1");
  CHECK(opened.blocks[0].runnable);
  CHECK(opened.blocks[0].interpreter == std::vector<std::string>{"sh"});
  CHECK(opened.blocks[0].interpreter_for == "language");
  for (std::size_t i = 1; i < opened.blocks.size(); ++i) {
    CHECK(!opened.blocks[i].runnable);
    CHECK(!opened.blocks[i].why_not.empty());
  }
  CHECK(opened.blocks[4].why_not == "the output expected of deploy-it-3");
  CHECK(warns(opened, "input-name"));
}

TEST_CASE(
    "read: a front matter that is no mapping, or holds what YAML shouldn't, refuses the runbook") {
  const auto refuses = [](const std::string& front, unsigned line) {
    const Opened opened = open_text("runbook.md", "---\n" + front + "---\n\n```sh run\nx\n```\n");
    return !opened.vetted && opened.blocks.empty() && opened.problems.size() == 1 &&
           opened.problems[0].severity == "refusal" && opened.problems[0].line == line &&
           !opened.problems[0].advice.empty();
  };
  CHECK(refuses("- a\n", 2));
  CHECK(refuses("title: T\na: &x 1\n", 3));
  CHECK(refuses("title: T\ntitle: U\n", 3));
  CHECK(refuses("title: T\na: *x\n", 3));
  CHECK(refuses("title: T\na: !!str 1\n", 3));
  CHECK(refuses("title: T\na: ! 1\n", 3));
  CHECK(refuses("title: T\na:\n  <<: {b: 1}\n", 4));
  CHECK(refuses("title: T\n...\na: 1\n", 4));
  CHECK(refuses("title: T\n~: 1\n", 3));
  CHECK(refuses("title: T\na: " + std::string(33, '[') + std::string(33, ']') + "\n", 3));
  CHECK(refuses("title: " + std::string(rdr::kYamlBytes, 'x') + "\n", 2));
  CHECK(refuses("inputs: 5\n", 2));
  CHECK(refuses("inputs:\n  - x\n", 3));
  CHECK(refuses("interpreters: [a]\n", 2));
  CHECK(refuses("interpreters:\n  sql: ''\n", 3));
  CHECK(refuses("a: [\n", 3));
  const Opened mdx =
      open_text("runbook.mdx", "---\na: &x [\n---\n\n<Command id=\"a\" command=\"x\" />\n");
  CHECK(mdx.vetted);
  CHECK(mdx.problems.empty());
}

TEST_CASE("read: a refused runbook has no blocks and no document") {
  const Opened opened =
      open_text("runbook.mdx", "<Command id=\"a\" command=\"x\" />\n\n{evil()}\n");
  CHECK(!opened.vetted);
  CHECK(opened.blocks.empty());
  CHECK(opened.document_nodes == 0);
  REQUIRE(!opened.problems.empty());
  CHECK(opened.problems[0].construct == "expression");
  CHECK(opened.problems[0].line == 3);
  CHECK(opened.problems[0].file == "book/runbook");
  CHECK(opened.problems[0].excerpt == "{evil()}");
}

TEST_CASE("read: ids that nobody can type are errors, not broken answers") {
  const Opened opened = open_text(
      "runbook.mdx",
      "<Command id={\"a\\nb\"} command=\"x\" />\n\n<Command id=\"ok\" command=\"y\" />\n");
  REQUIRE(opened.vetted);
  CHECK(opened.blocks.size() == 1);
  CHECK(opened.problems[0].code == "bad-value");
}

}  // namespace rb::test
