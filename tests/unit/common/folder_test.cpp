#include "common/folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "common/io.h"
#include "tests/unit/common/temporary.h"

using namespace rb;  // NOLINT(google-build-using-namespace): a test of one namespace
using rb::test::Temporary;

namespace {

std::string content(const Result<Fd>& fd) {
  return fd ? std::string(as_text(*read_all(fd->get(), 4096))) : "no: " + fd.failure().text();
}

}  // namespace

TEST_CASE("open_beneath: what lies beneath opens, by any spelling that stays there") {
  const Temporary folder;
  folder.write("a/b.txt", "b");
  CHECK(content(open_beneath(folder.fd(), "a/b.txt", O_RDONLY)) == "b");
  CHECK(content(open_beneath(folder.fd(), "./a//b.txt", O_RDONLY)) == "b");
  CHECK(content(open_beneath(folder.fd(), "a/../a/b.txt", O_RDONLY)) == "b");
}

TEST_CASE("open_beneath: paths that leave the folder are refused, whatever they lead to") {
  const Temporary folder;
  folder.write("a/b.txt", "b");
  std::filesystem::create_symlink("/etc/passwd", folder / "absolute");
  std::filesystem::create_symlink("../../etc", folder / "out");
  for (const char* path : {"..", "../", "/etc/passwd", "a/../../x", "absolute", "out", "out/passwd",
                           "a/../../../etc/passwd"}) {
    CAPTURE(path);
    CHECK_FALSE(open_beneath(folder.fd(), path, O_RDONLY).ok());
    CHECK_FALSE(open_beneath(folder.fd(), path, O_RDONLY, Links::FollowBeneath).ok());
  }
}

TEST_CASE("open_beneath: a link that stays beneath is followed only when asked") {
  const Temporary folder;
  folder.write("a/b.txt", "b");
  std::filesystem::create_symlink("a/b.txt", folder / "link");
  CHECK_FALSE(open_beneath(folder.fd(), "link", O_RDONLY).ok());
  CHECK(content(open_beneath(folder.fd(), "link", O_RDONLY, Links::FollowBeneath)) == "b");
}

TEST_CASE("open_beneath: magic links of /proc are refused") {
  const Fd proc(::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK_FALSE(open_beneath(proc.get(), "cwd", O_RDONLY, Links::FollowBeneath).ok());
  CHECK_FALSE(open_beneath(proc.get(), "fd/0", O_RDONLY, Links::FollowBeneath).ok());
  CHECK(open_beneath(proc.get(), "status", O_RDONLY).ok());
}

TEST_CASE("open_beneath: what isn't there is NotFound, every other failure isn't") {
  const Temporary folder;
  folder.write("file", "");
  CHECK(open_beneath(folder.fd(), "none", O_RDONLY).failure().code == Code::NotFound);
  CHECK(open_beneath(folder.fd(), "file/x", O_RDONLY).failure().errnum == ENOTDIR);
}

TEST_CASE("open_regular: a FIFO answers at once and is no file") {
  const Temporary folder;
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(open_regular(folder.fd(), "fifo", 100).failure().code == Code::Invalid);
  CHECK(open_regular(folder.fd(), ".", 100).failure().code == Code::Invalid);
}

TEST_CASE("open_regular: a file of exactly the most bytes opens, one more doesn't") {
  const Temporary folder;
  folder.write("file", "12345");
  CHECK(open_regular(folder.fd(), "file", 5).ok());
  CHECK(open_regular(folder.fd(), "file", 4).failure().code == Code::TooLarge);
}

TEST_CASE("make_folder: it is made once, and a link in its place is refused") {
  const Temporary folder;
  CHECK(make_folder(folder.fd(), "a").ok());
  CHECK(make_folder(folder.fd(), "a").ok());
  CHECK((std::filesystem::status(folder / "a").permissions() & std::filesystem::perms::mask) ==
        std::filesystem::perms::owner_all);
  std::filesystem::create_symlink("/tmp", folder / "link");
  CHECK_FALSE(make_folder(folder.fd(), "link").ok());
}

TEST_CASE("list_folder: names come sorted bytewise, and one too many is an error") {
  const Temporary folder;
  for (const char* name : {"b", "a", "B", ".hidden"}) {
    folder.write(name, "");
  }
  const auto names = list_folder(folder.fd(), 4);
  REQUIRE(names.ok());
  std::vector<std::string> got;
  for (const FolderEntry& entry : *names) {
    got.push_back(entry.name);
  }
  CHECK(got == std::vector<std::string>{".hidden", "B", "a", "b"});
  CHECK(list_folder(folder.fd(), 3).failure().code == Code::TooLarge);
}

TEST_CASE("replace_file: the new content is there whole, a left-over temporary doesn't hinder") {
  const Temporary folder;
  folder.write("file", "old and longer");
  folder.write(".file.tmp", "left over");
  REQUIRE(replace_file(folder.fd(), "file", "new").ok());
  CHECK(content(open_regular(folder.fd(), "file", 100)) == "new");
  CHECK(list_folder(folder.fd(), 10)->size() == 1);
}
