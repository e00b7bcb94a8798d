// What a hostile script may leave for reading, and an honest one beside it as control.
#include "broker/monitor/read_back.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <thread>

#include "common/fd.h"
#include "common/folder.h"
#include "tests/support/monitor_driver.h"

namespace rb::mon {
namespace {

namespace fs = std::filesystem;
using testing::read_file;
using testing::write_file;

// An execution's folder with results/ and generated/ in it.
class Ground {
 public:
  Ground() {
    std::string name = "/tmp/rbleft-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    base_ = name;
    for (const char* folder : {"/e", "/e/results", "/e/generated"}) {
      fs::create_directory(base_ + folder);
    }
    folder_ = opened("/e");
    results_ = opened("/e/results");
    generated_ = opened("/e/generated");
  }
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;
  Ground(Ground&&) = delete;
  Ground& operator=(Ground&&) = delete;
  ~Ground() {
    std::error_code ignored;
    fs::permissions(base_ + "/e/generated/locked", fs::perms::owner_all, ignored);
    fs::remove_all(base_, ignored);
  }

  [[nodiscard]] Leavings leavings() const {
    return {folder_.get(), results_.get(), generated_.get()};
  }
  [[nodiscard]] Left read(bool passed = true) const { return read_back(leavings(), passed); }
  [[nodiscard]] const std::string& base() const { return base_; }
  [[nodiscard]] std::string output() const { return base_ + "/e/results/output"; }
  [[nodiscard]] std::string made(const std::string& name) const {
    return base_ + "/e/generated/" + name;
  }
  [[nodiscard]] std::string list() const { return read_file(base_ + "/e/generated.jsonl"); }

 private:
  [[nodiscard]] Fd opened(const char* name) const {
    return Fd(::open((base_ + name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::string base_;
  Fd folder_;
  Fd results_;
  Fd generated_;
};

std::string line_of(const std::string& name, const std::string& content) {
  return "{\"path\":\"" + name + "\",\"bytes\":" + std::to_string(content.size()) +
         ",\"sha256\":\"" + sha256(as_bytes(content)).hex() + "\"}\n";
}
std::string unread(const std::string& name, const std::string& why) {
  return "{\"path\":\"" + name + "\",\"unread\":\"" + why + "\"}\n";
}

void make_sparse(const std::string& path) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(::ftruncate(file.get(), off_t{1} << 40) == 0);
}

}  // namespace

TEST_CASE("read_back: outputs and files are kept, listed and digested") {
  const Ground ground;
  CHECK_FALSE(left_anything(ground.leavings()));
  write_file(ground.output(), "version=1.2\nurl=https://x/?a=b\n");
  fs::create_directories(ground.made("sub/deeper"));
  write_file(ground.made("b"), "two");
  write_file(ground.made("a"), "");
  write_file(ground.made("sub/deeper/c"), "three");
  CHECK(left_anything(ground.leavings()));
  const Left left = ground.read();
  const std::string outputs = read_file(ground.base() + "/e/outputs");
  CHECK(outputs == "version=1.2\nurl=https://x/?a=b\n");
  CHECK(left.outputs_bytes == outputs.size());
  CHECK(left.outputs_sha256 == sha256(as_bytes(outputs)));
  CHECK(ground.list() == line_of("a", "") + line_of("b", "two") + line_of("sub/deeper/c", "three"));
  CHECK(left.files == 3);
  CHECK(left.files_bytes == 8);
  CHECK(left.unread == 0);
  CHECK(left.list_sha256 == sha256(as_bytes(ground.list())));
  CHECK(left.note.empty());
  CHECK_FALSE(fs::exists(ground.base() + "/e/results"));  // nothing of it stays on the disk
}

TEST_CASE("read_back: nothing left is no file and no word") {
  const Ground ground;
  write_file(ground.output(), "");
  CHECK_FALSE(left_anything(ground.leavings()));
  CHECK(ground.read() == Left{});
  CHECK_FALSE(fs::exists(ground.base() + "/e/outputs"));
  CHECK_FALSE(fs::exists(ground.base() + "/e/generated.jsonl"));
  CHECK(read_back({}, true) == Left{});
}

TEST_CASE("read_back: a script that didn't pass leaves no outputs, and its files are listed") {
  const Ground ground;
  write_file(ground.output(), "half=done\n");
  write_file(ground.made("log"), "x");
  const Left left = ground.read(false);
  CHECK(left.outputs_bytes == 0);
  CHECK_FALSE(fs::exists(ground.base() + "/e/outputs"));
  CHECK(left.files == 1);
}

TEST_CASE("read_back: links are named and not followed, whatever they lead to") {
  const Ground ground;
  write_file(ground.base() + "/secret", "the key");
  fs::create_directory(ground.base() + "/folder");
  write_file(ground.base() + "/folder/key", "the key");
  fs::create_symlink("../../secret", ground.output());
  CHECK(read_file(ground.output()) == "the key");  // control: whoever follows it reads it
  fs::create_symlink(ground.base() + "/secret", ground.made("file"));
  fs::create_symlink(ground.base() + "/folder", ground.made("folder"));
  fs::create_symlink("/nowhere", ground.made("nowhere"));
  fs::create_symlink("/proc/self/root", ground.made("root"));
  CHECK(left_anything(ground.leavings()));
  const Left left = ground.read();
  CHECK(left.note == "outputs aren't read: a link");
  CHECK(left.outputs_bytes == 0);
  CHECK(ground.list() == unread("file", "a link") + unread("folder", "a link") +
                             unread("nowhere", "a link") + unread("root", "a link"));
  CHECK(left.unread == 4);
  CHECK(left.files == 0);
}

TEST_CASE("read_back: a file with a second name is one") {
  const Ground ground;
  write_file(ground.base() + "/other", "a=1\n");
  fs::create_hard_link(ground.base() + "/other", ground.output());
  fs::create_hard_link(ground.base() + "/other", ground.made("a"));
  const Left left = ground.read();
  CHECK(left.outputs_bytes == 4);
  CHECK(ground.list() == line_of("a", "a=1\n"));
  CHECK(read_file(ground.base() + "/other") == "a=1\n");
}

TEST_CASE("read_back: a FIFO, a socket and a folder are named at once, and no writer is woken") {
  const Ground ground;
  REQUIRE(::mkfifo(ground.output().c_str(), 0600) == 0);
  REQUIRE(::mkfifo(ground.made("fifo").c_str(), 0600) == 0);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ground.made("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  std::atomic<bool> woken = false;
  const auto wait_for_reader = [&woken](const std::string& path) {
    const Fd end(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    woken = true;
  };
  std::thread writer(wait_for_reader, ground.made("fifo"));
  const auto began = std::chrono::steady_clock::now();
  const Left left = ground.read();
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
  CHECK(left.note == "outputs aren't read: a FIFO");
  CHECK(ground.list() == unread("fifo", "a FIFO") + unread("socket", "a socket"));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK_FALSE(woken);
  const Fd reader(::open(ground.made("fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  writer.join();
  CHECK(woken);  // control: opening it does wake
}

TEST_CASE("read_back: a folder in the place of the outputs") {
  const Ground ground;
  fs::create_directory(ground.output());
  CHECK(left_anything(ground.leavings()));
  CHECK(ground.read().note == "outputs aren't read: a folder");
}

TEST_CASE("read_back: a device is named and not opened") {
  if (::geteuid() != 0) {
    MESSAGE("making a device needs root");
    return;
  }
  const Ground ground;
  REQUIRE(::mknod(ground.output().c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0);
  REQUIRE(::mknod(ground.made("zero").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0);
  CHECK(ground.read().note == "outputs aren't read: a device");
  CHECK(ground.list() == unread("zero", "a device"));
}

TEST_CASE("read_back: a sparse terabyte costs nothing and takes nothing else away") {
  const Ground ground;
  make_sparse(ground.output());
  make_sparse(ground.made("a"));
  write_file(ground.made("b"), "small");
  const Left left = ground.read();
  CHECK(left.note == "outputs aren't read: larger than the 1048576 bytes that may be read");
  CHECK(ground.list() ==
        unread("a", "larger than the 268435456 bytes that may be read") + line_of("b", "small"));
}

TEST_CASE("read_back: outputs at their limit are kept, one byte more isn't") {
  for (const std::size_t more : {0U, 1U}) {
    const Ground ground;
    write_file(ground.output(), std::string((1U << 20) + more, 'x'));
    CHECK(ground.read().outputs_bytes == (more == 0 ? 1U << 20 : 0U));
  }
}

TEST_CASE("read_back: what may not be read is named, and the rest is read") {
  if (::geteuid() == 0) {
    MESSAGE("root reads everything");
    return;
  }
  const Ground ground;
  write_file(ground.output(), "a=1\n");
  fs::permissions(ground.output(), fs::perms::none);
  write_file(ground.made("file"), "x");
  fs::permissions(ground.made("file"), fs::perms::none);
  fs::create_directory(ground.made("locked"));
  write_file(ground.made("locked/x"), "x");
  fs::permissions(ground.made("locked"), fs::perms::none);
  write_file(ground.made("open"), "x");
  CHECK(ground.read().note == "outputs aren't read: Permission denied");
  CHECK(ground.list() == unread("file", "Permission denied") +
                             unread("locked", "Permission denied") + line_of("open", "x"));
}

TEST_CASE("read_back: any bytes may be a name, and each is one line of the list") {
  const Ground ground;
  write_file(ground.made("a\nb\x1b[31m\x7f"), "1");
  write_file(ground.made(std::string("c\xff")), "2");
  write_file(ground.made("d\",\"x\":\""), "3");
  const Left left = ground.read();
  CHECK(left.files == 3);
  CHECK(ground.list() == line_of("a\\nb\\u001b[31m\\u007f", "1") +
                             "{\"path\":{\"base64\":\"Y/8=\"},\"bytes\":1,\"sha256\":\"" +
                             sha256(as_bytes("2")).hex() + "\"}\n" +
                             line_of("d\\\",\\\"x\\\":\\\"", "3"));
}

TEST_CASE("read_back: outputs that are no text are kept byte for byte") {
  const Ground ground;
  const std::string bytes("a=\xff\xfe\0\x80\r\nb", 10);
  write_file(ground.output(), bytes);
  CHECK(ground.read().outputs_bytes == bytes.size());
  CHECK(read_file(ground.base() + "/e/outputs") == bytes);
}

TEST_CASE("read_back: folders are read down to a depth, and the one below is named") {
  const Ground ground;
  std::string path;
  std::string listed;
  for (int depth = 0; depth < 40; ++depth) {
    path += (path.empty() ? "" : "/") + std::string(200, 'd');
    listed = depth == 32 ? path : listed;
    // Beyond PATH_MAX no single path leads there: made step by step.
    Fd at(::open(ground.made(".").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (int i = 0; i < depth; ++i) {
      at =
          Fd(::openat(at.get(), std::string(200, 'd').c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    REQUIRE(::mkdirat(at.get(), std::string(200, 'd').c_str(), 0700) == 0);
  }
  const Left left = ground.read();
  CHECK(left.unread == 1);
  CHECK(ground.list() == unread(listed, "folders are nested too deeply"));
}

TEST_CASE("read_back: more entries than the limit aren't listed, and that is said") {
  const Ground ground;
  fs::create_directory(ground.made("many"));
  for (int i = 0; i < 5001; ++i) {
    const Fd made(::open(ground.made("many/" + std::to_string(i)).c_str(),
                         O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(made.open());
  }
  write_file(ground.made("one"), "x");
  Left left = ground.read();
  CHECK(ground.list() == unread("many", "more than 5000 entries") + line_of("one", "x"));
  fs::remove(ground.made("many/0"));
  fs::remove(ground.made("many/1"));
  left = ground.read();
  CHECK(left.note == "the list of generated files isn't whole");
  CHECK(left.files == 4999);  // `many` is an entry too
  fs::remove(ground.made("many/2"));
  left = ground.read();
  CHECK(left.note.empty());
  CHECK(left.files == 4999);
}

TEST_CASE("read_back: a file that changes while it is read counts as unread") {
  const Ground ground;
  const std::string path = ground.made("a");
  write_file(path, std::string(48U << 20, 'x'));
  std::atomic<bool> over = false;
  std::thread writer([&] {
    const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    while (!over) {
      (void)!::pwrite(file.get(), "y", 1, 0);
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Left left = ground.read();
  over = true;
  writer.join();
  CHECK(ground.list() == unread("a", "it was being written"));
  CHECK(left.files == 0);
  CHECK(ground.read().files == 1);  // control: at rest it is read
}

TEST_CASE("read_back: what a script put in the place of our own files is replaced, not followed") {
  const Ground ground;  // `host`: the execution's folder can be written to
  write_file(ground.base() + "/victim", "untouched");
  for (const char* name : {"outputs", ".outputs.tmp", "generated.jsonl", ".generated.jsonl.tmp"}) {
    fs::create_symlink("../victim", ground.base() + "/e/" + name);
  }
  write_file(ground.output(), "a=1\n");
  write_file(ground.made("a"), "x");
  const Left left = ground.read();
  CHECK(read_file(ground.base() + "/victim") == "untouched");
  CHECK(left.note.empty());
  CHECK(fs::is_regular_file(fs::symlink_status(ground.base() + "/e/outputs")));
  fs::remove(ground.base() + "/e/outputs");
  fs::create_directories(ground.base() + "/e/outputs/in/the/way");
  fs::create_directory(ground.base() + "/e/results");  // the descriptor's own is gone
  CHECK(ground.read().outputs_bytes == 0);
}

TEST_CASE("read_back: values marked sensitive are kept nowhere") {
  CHECK(without_sensitive("") == "");
  CHECK(without_sensitive("a=1\nsensitive:token=hunter2\nb=2") ==
        "a=1\nsensitive:token=[secret]\nb=2");
  CHECK(without_sensitive(" \tsensitive: t =x=y\r\n") == " \tsensitive: t =[secret]\n");
  CHECK(without_sensitive("sensitive:hunter2\n") == "sensitive:[secret]\n");
  CHECK(without_sensitive("x=sensitive:y\n") == "x=sensitive:y\n");
  const Ground ground;
  write_file(ground.output(), "sensitive:token=hunter2\n");
  (void)ground.read();
  CHECK(read_file(ground.base() + "/e/outputs") == "sensitive:token=[secret]\n");
  CHECK_FALSE(fs::exists(ground.output()));
}

}  // namespace rb::mon
