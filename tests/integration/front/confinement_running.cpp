// What the processes that really run have given up, as the kernel tells it: status, namespaces,
// mounts, descriptors, and every call of 0..600 against the filter that is loaded. Needs root.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>

#include "common/confine.h"
#include "common/io.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"
#include "tests/support/allowed_calls_table.h"
#include "tests/support/front_driver.h"
#include "tests/support/seccomp_of_process.h"

namespace rb::testing {
namespace {

namespace fs = std::filesystem;
using confine::Filter;

const std::vector<std::string> kAsNobody = {"setpriv", "--reuid", "65534",
                                            "--regid", "65534",   "--clear-groups"};

std::string proc(pid_t pid, const std::string& name) {
  return "/proc/" + std::to_string(pid) + "/" + name;
}

std::string link_of(const std::string& path) {
  std::error_code failed;
  return fs::read_symlink(path, failed).string();
}

std::multiset<std::string> descriptors(pid_t pid) {
  std::multiset<std::string> out;
  for (const auto& entry : fs::directory_iterator(proc(pid, "fd"))) {
    const std::string target = link_of(entry.path().string());
    out.insert(target.substr(0, target.find(":[")));
  }
  return out;
}

std::string words(const std::multiset<std::string>& from) {
  std::string out;
  for (const std::string& each : from) {
    out += (out.empty() ? "" : " ") + each;
  }
  return out;
}

// Ended, even if whoever adopted it hasn't asked for its status.
bool is_over(pid_t pid) {
  const std::string state = status_field(pid, "State");
  return state.empty() || state[0] == 'Z' || state[0] == 'X';
}

std::vector<std::string> lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) {
    out.push_back(line);
  }
  return out;
}

void check_rights(pid_t pid) {
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    CHECK_MESSAGE(status_field(pid, set) == "0000000000000000", set);
  }
  CHECK(status_field(pid, "NoNewPrivs") == "1");
  CHECK(status_field(pid, "Seccomp") == "2");
  for (const std::string& line : lines(proc(pid, "limits"))) {
    if (line.rfind("Max core file size", 0) == 0) {
      CHECK(line.find(" 0 ") != std::string::npos);
    }
  }
}

void check_world(pid_t pid, bool process_namespace) {
  for (const char* name : {"user", "mnt", "ipc", "net", "uts", "cgroup"}) {
    CHECK_MESSAGE(link_of(proc(pid, std::string("ns/") + name)) !=
                      link_of(std::string("/proc/self/ns/") + name),
                  name);
  }
  CHECK((link_of(proc(pid, "ns/pid")) != link_of("/proc/self/ns/pid")) == process_namespace);
  const std::vector<std::string> mounts = lines(proc(pid, "mountinfo"));
  REQUIRE(mounts.size() == 1);
  CHECK(mounts[0].find(" / / ro,nosuid,nodev,noexec") != std::string::npos);
  CHECK(mounts[0].find(" - tmpfs ") != std::string::npos);
  CHECK(fs::is_empty(proc(pid, "root/")));
  CHECK(lines(proc(pid, "net/dev")).size() == 3);  // two lines of heading and lo
}

void check_front(FrontDriver& driver, const std::string& uid) {
  REQUIRE(driver.receive().has_value());  // ready: it has narrowed itself
  for (int i = 0; i < 500 && status_field(driver.outer(), "Seccomp") != "2"; ++i) {
    std::this_thread::sleep_for(10ms);  // the waiting half does so meanwhile
  }
  const pid_t inner = driver.inner();
  REQUIRE(inner > 0);
  CHECK(status_field(inner, "Uid").rfind(uid + "\t", 0) == 0);
  CHECK(status_field(inner, "NSpid").find("\t1") != std::string::npos);
  for (const pid_t pid : {driver.outer(), inner}) {
    check_rights(pid);
    check_world(pid, pid == inner);
  }
  // Nothing but the log (2), the link (3) and the loop's own: epoll, timer, a pipe for signals.
  std::multiset<std::string> held = descriptors(inner);
  const std::string log = link_of(proc(inner, "fd/2"));
  held.erase(held.find(log.substr(0, log.find(":["))));
  CHECK(words(held) == "/dev/null /dev/null anon_inode anon_inode pipe pipe socket");
  CHECK(words(descriptors(driver.outer())) == "pipe");
  for (const std::string& difference : differences(filters_of(inner), Filter::Front)) {
    FAIL_CHECK(difference);
  }
  for (const std::string& difference : differences(filters_of(driver.outer()), Filter::Waiter)) {
    FAIL_CHECK(difference);
  }
}

// Only root may look at these processes: for anybody else the whole program is skipped (77).
const bool kIsRoot = [] {
  if (::geteuid() != 0) {
    std::puts("[cases] 0 passed, 0 failed, 6 skipped");
    std::fflush(stdout);
    ::_exit(77);
  }
  return true;
}();

TEST_CASE("running front: has no right, file, network or process left, as root and as others") {
  FrontDriver as_root("operator");
  check_front(as_root, "0");
  FrontDriver as_nobody("agent", kAsNobody);
  check_front(as_nobody, "65534");
}

TEST_CASE("running front: is no longer there once its broker or its waiting half is killed") {
  for (const bool kill_outer : {true, false}) {
    FrontDriver driver("operator");
    REQUIRE(driver.receive().has_value());
    const pid_t inner = driver.inner();
    if (kill_outer) {
      ::kill(driver.outer(), SIGKILL);
    } else {
      driver.close_link();
    }
    CHECK(driver.wait_exit().has_value());
    for (int i = 0; i < 100 && !is_over(inner); ++i) {
      std::this_thread::sleep_for(10ms);
    }
    CHECK(is_over(inner));
  }
}

TEST_CASE("running front: killed from inside, it ends with 128 and the signal's number") {
  FrontDriver driver("operator");
  REQUIRE(driver.receive().has_value());
  ::kill(driver.inner(), SIGKILL);
  CHECK(driver.wait_exit() == 128 + SIGKILL);
}

// A reader that waits for its request, having narrowed itself once.
struct Reader {
  Child child;
  pid_t inner = 0;
  explicit Reader(const std::string& mode) : child(start_child({built("runbook-reader"), mode})) {
    for (int i = 0; i < 500 && inner == 0; ++i) {
      std::this_thread::sleep_for(10ms);
      inner = child_of(child.pid);
      if (inner != 0 && status_field(inner, "Seccomp") != "2") {
        inner = 0;
      }
    }
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  Reader(Reader&&) = delete;
  Reader& operator=(Reader&&) = delete;
  ~Reader() {
    ::kill(child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
  }
};

void check_filters(const std::vector<Bytes>& programs, std::size_t count, Filter expected) {
  REQUIRE(programs.size() == count);
  for (const std::string& difference : differences(programs, expected)) {
    FAIL_CHECK(std::string(confine::name_of(expected)) << ": " << difference);
  }
}

TEST_CASE("running reader: each mode starts with its first list and has no world beneath it") {
  const std::map<std::string, Filter> modes = {
      {"load", Filter::LoaderStart}, {"read", Filter::ReaderStart}, {"view", Filter::ViewStart}};
  for (const auto& [mode, filter] : modes) {
    Reader reader(mode);
    REQUIRE(reader.inner > 0);
    check_rights(reader.inner);
    check_world(reader.inner, true);
    check_filters(filters_of(reader.inner), 1, filter);
  }
}

TEST_CASE("running reader: a loader that has its folder may open beneath it and receive no more") {
  Reader reader("load");
  REQUIRE(reader.inner > 0);
  const Fd folder(::open("/usr/share", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Bytes request = wire::build<reader::ToReader>([](auto root) { root.initLoad(); });
  check_filters(filters_after_next_load(
                    reader.inner,
                    [&] { (void)send_packet(reader.child.link.get(), request, {folder.get()}); }),
                2, Filter::LoaderServing);
}

TEST_CASE("running reader: one that has its request may receive no more") {
  Reader reading("read");
  const auto content = sealed_memory("tree", as_bytes("# A\n"));
  REQUIRE(content.ok());
  const Bytes read = wire::build<reader::ToReader>([](auto root) {
    auto tree = root.initRead().initTree();
    tree.setMain("a.md");
    auto entries = tree.initEntries(1);
    entries[0].setPath("a.md");
    entries[0].setKind(reader::EntryKind::FILE);
    entries[0].setLength(4);
  });
  check_filters(filters_after_next_load(
                    reading.inner,
                    [&] { (void)send_packet(reading.child.link.get(), read, {content->get()}); }),
                2, Filter::ReaderServing);
  Reader viewing("view");
  const Bytes view =
      wire::build<reader::ToReader>([](auto root) { root.initView().setSegments(1); });
  check_filters(filters_after_next_load(
                    viewing.inner,
                    [&] { (void)send_packet(viewing.child.link.get(), view, {content->get()}); }),
                2, Filter::ViewServing);
}

}  // namespace
}  // namespace rb::testing
