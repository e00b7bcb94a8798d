// The registry of an MDX runbook, rule by rule: what has an error, at which line, and what runs.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "common/fd.h"
#include "daemon/reader/load.h"
#include "protocol/limits.h"
#include "tests/unit/reader/opened.h"

namespace rb::test {
namespace {

// "3 missing-id" for each error, warnings with a W, in order.
std::string complaints(const Opened& opened) {
  std::string out = opened.failed;
  for (const OpenedProblem& one : opened.problems) {
    out += (out.empty() ? "" : ", ") + std::string(one.severity == "warning" ? "W " : "") +
           std::to_string(one.line) + " " + one.code;
    CHECK_MESSAGE(!one.advice.empty(), one.code);
  }
  return out;
}

std::string complaints_of(const Folder& folder, const std::string& text) {
  folder.write("runbook.mdx", text);
  const Opened opened = open_folder(folder.path());
  CHECK(opened.vetted);
  return complaints(opened);
}

std::string of_path(const Folder& folder, const std::string& path) {
  return complaints_of(folder, "\n<Check id=\"a\" path=\"" + path + "\" />\n");
}

std::string script_of(const std::string& text) {
  const Opened opened = open_text("runbook.mdx", text);
  REQUIRE(opened.blocks.size() == 1);
  return opened.blocks[0].script;
}

void bind_socket(const std::string& path) {
  const Fd made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof name.sun_path);
  path.copy(name.sun_path, path.size());
  REQUIRE(::bind(made.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0);
}

}  // namespace

TEST_CASE("registry: every block needs an id, all but the shown ones") {
  const Folder folder;
  CHECK(complaints_of(folder,
                      "<Command command=\"x\" />\n\n<Check id=\"\" command=\"x\" />\n\n"
                      "<Inputs></Inputs>\n\n<Template path=\"t\" />\n") ==
        "1 missing-id, 3 missing-id, 5 missing-id, 7 missing-id");
  CHECK(complaints_of(folder,
                      "<Admonition type=\"note\" title=\"t\" description=\"d\" />\n\n"
                      "<Iframe src=\"https://example.org\" />\n")
            .empty());
}

TEST_CASE("registry: an id stands once, over all kinds, - and _ the same") {
  const Folder folder;
  CHECK(complaints_of(folder,
                      "<Command id=\"a-b\" command=\"x\" />\n\n"
                      "<Check id=\"a_b\" command=\"x\" />\n\n<Inputs id=\"a-b\"></Inputs>\n\n"
                      "<Command id=\"a.b\" command=\"x\" />\n") ==
        "3 duplicate-id, 5 duplicate-id");
  // What failed for another reason still holds its id.
  CHECK(complaints_of(folder, "<Command id=\"a\" />\n\n<Check id=\"a\" command=\"x\" />\n") ==
        "1 no-script, 3 duplicate-id");
  CHECK(complaints_of(folder,
                      "<Command id=\"A\" command=\"x\" />\n\n"
                      "<Check id=\"a\" command=\"x\" />\n")
            .empty());
}

TEST_CASE("registry: id, command and path are text") {
  const Folder folder;
  folder.write("x.sh", "true\n");
  CHECK(complaints_of(folder,
                      "<Command id={3} command=\"x\" />\n\n<Command id={[\"a\"]} command=\"x\" "
                      "/>\n\n<Check id=\"b\" command={true} />\n\n<Check id=\"c\" path={1} "
                      "/>\n\n<Check id=\"d\" command />\n\n<Check id=\"e\" command={null} "
                      "path=\"x.sh\" />\n") ==
        "1 bad-value, 3 bad-value, 5 bad-value, 7 bad-value, 9 bad-value, 11 bad-value");
}

TEST_CASE("registry: without a script, or an empty one, there is nothing to run") {
  const Folder folder;
  CHECK(complaints_of(folder,
                      "<Command id=\"a\" />\n\n<Command id=\"b\" command=\"\" />\n\n"
                      "<Check id=\"c\" path=\"\" />\n\n<Check id=\"d\" command={``} />\n") ==
        "1 no-script, 3 no-script, 5 no-script, 7 no-script");
}

TEST_CASE("registry: command wins over path with a warning, and path isn't read") {
  const Folder folder;
  folder.write("x.sh", "from the file\n");
  folder.write("runbook.mdx",
               "\n<Check id=\"a\" path=\"x.sh\" command=\"echo inline\" />\n\n"
               "<Check id=\"b\" command=\"echo b\" path=\"gone.sh\" />\n\n"
               "<Check id=\"c\" command=\"\" path=\"x.sh\" />\n");
  const Opened opened = open_folder(folder.path());
  CHECK(complaints(opened) == "W 2 command-and-path, W 4 command-and-path");
  REQUIRE(opened.blocks.size() == 3);
  CHECK(opened.blocks[0].script == "echo inline");
  CHECK(opened.blocks[0].kind == "inline");
  CHECK(opened.blocks[1].script == "echo b");
  CHECK(opened.blocks[2].script == "from the file\n");
}

TEST_CASE("registry: a script file is a regular file beneath the folder, by whatever spelling") {
  const Folder folder;
  folder.write("scripts/x.sh", "true\n");
  folder.write("a b%20~$HOME\\x.sh", "true\n");
  folder.write("../outside.sh", "true\n");
  folder.link("scripts/good", "x.sh");
  folder.link("scripts/up", "../../outside.sh");
  folder.link("scripts/absolute", "/bin/sh");
  folder.link("scripts/gone", "nothing");
  folder.link("scripts/loop", "loop");
  for (const char* fine : {"scripts/x.sh", "./scripts//x.sh", "scripts/./x.sh", "scripts/good",
                           "a b%20~$HOME\\x.sh"}) {
    CHECK_MESSAGE(of_path(folder, fine).empty(), std::string(fine));
  }
  for (const char* out : {"../outside.sh", "scripts/../../outside.sh", "/bin/sh", "scripts/up",
                          "scripts/absolute", "../gone.sh", "/gone", "scripts/../../book/x.sh"}) {
    CHECK_MESSAGE(of_path(folder, out) == "2 path-escape", std::string(out));
  }
  for (const char* gone : {"x.sh", "scripts/gone", "scripts/loop", "scripts/X.sh", "scripts/x.sh/y",
                           "%2e%2e/outside.sh", "~/x.sh", "$HOME"}) {
    CHECK_MESSAGE(of_path(folder, gone) == "2 missing-file", std::string(gone));
  }
}

TEST_CASE(
    "registry: a folder, a pipe and a socket are no script, and opening them waits for nobody") {
  const Folder folder;
  folder.write("scripts/x.sh", "true\n");
  folder.fifo("pipe");
  folder.link("to-pipe", "pipe");
  bind_socket(folder.path() + "/socket");
  for (const char* no_file : {"scripts", "scripts/", "pipe", "to-pipe", "socket", "."}) {
    CHECK_MESSAGE(of_path(folder, no_file) == "2 not-a-file", std::string(no_file));
  }
}

TEST_CASE("registry: a device is never opened as a runbook or a script") {
  // Only root makes devices: the system's own folder of them is looked at.
  const Fd devices(::open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(devices.get() >= 0);
  for (const char* name : {"null", "zero", "tty"}) {
    const auto loaded = rdr::load_folder(devices.get(), name, {}, rdr::LoadLimits{});
    const auto* failure = std::get_if<rdr::LoadFailure>(&loaded);
    REQUIRE_MESSAGE(failure != nullptr, std::string(name));
    CHECK_MESSAGE(failure->code != "timeout", std::string(name));
  }
}

TEST_CASE("registry: continuation lines keep every column their author wrote") {
  CHECK(script_of("<Command id=\"a\" command=\"if x; then\n    y\n\tz\nfi\" />\n") ==
        "if x; then\n    y\n\tz\nfi");
  CHECK(script_of("<Command id=\"a\" command={`cat <<-E\n\t  tab\n   three\n E\n`} />\n") ==
        "cat <<-E\n\t  tab\n   three\n E\n");
  CHECK(script_of("<Command\n  id=\"a\"\n  command={\"one \\\n      two\"}\n/>\n") ==
        "one       two");
  CHECK(script_of("<Command id=\"a\" command=\"a &amp;&amp; b &lt; &quot;c&quot;\" />\n") ==
        "a && b < \"c\"");
}

TEST_CASE("registry: a script has room for its limit and not for a byte more") {
  const Folder folder;
  const std::string full(limits::kScriptBytes, '#');
  CHECK(complaints_of(folder, "<Command id=\"a\" command=\"" + full + "\" />\n").empty());
  CHECK(complaints_of(folder, "<Command id=\"a\" command=\"" + full + "#\" />\n") == "1 too-large");
  folder.write("full.sh", full);
  folder.write("over.sh", full + "#");
  CHECK(of_path(folder, "full.sh").empty());
  CHECK(of_path(folder, "over.sh") == "2 too-large");
}

}  // namespace rb::test
