// Every forbidden act, attempted by a process that confined itself as ours do. Layer by layer, so
// that each is shown to hold by itself: namespaces alone, Landlock beneath them, the filters.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "common/confine.h"
#include "common/packet.h"
#include "tests/support/front_driver.h"

namespace rb::testing {
namespace {

namespace fs = std::filesystem;

std::string program() {
  const char* folder = std::getenv("RUNBOOKD_BUILD");
  return std::string(folder != nullptr ? folder : RUNBOOKD_BUILD_FOLDER) +
         "/tests/integration/front/confined_attempts";
}

// A folder with a file, beside a file it doesn't hold, and a link that leads there.
class Folder {
 public:
  Folder() : top_(fs::temp_directory_path() / ("rb-attempts-" + std::to_string(::getpid()))) {
    fs::create_directories(top_ / "folder");
    std::ofstream(top_ / "outside") << "outside\n";
    std::ofstream(top_ / "folder/inside") << "inside\n";
    std::error_code ignored;
    fs::create_symlink("../outside", top_ / "folder/link-out", ignored);
    descriptor_ = Fd(::open((top_ / "folder").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
  }
  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  [[nodiscard]] bool untouched() const {
    std::ifstream file(top_ / "folder/inside");
    std::string text;
    std::getline(file, text);
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& each : fs::directory_iterator(top_ / "folder")) {
      ++entries;
    }
    return text == "inside" && entries == 2;
  }

 private:
  fs::path top_;
  Fd descriptor_;
};

// A process of ours for attacks to aim at; says whether it still is as it was.
class Victim {
 public:
  Victim() : pid_(::fork()) {
    if (pid_ == 0) {
      ::signal(SIGTERM, SIG_DFL);  // doctest's handler came along
      ::pause();
      _exit(0);
    }
  }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;
  Victim(Victim&&) = delete;
  Victim& operator=(Victim&&) = delete;
  ~Victim() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool alive() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  pid_t pid_;
};

// "ok", an errno's number, "killed" (SIGSYS), or "exit N".
std::string attempt(const std::string& layer, const std::string& act, int folder, pid_t victim) {
  auto pair = packet_pair(false);
  REQUIRE(pair.ok());
  auto theirs = pair->second.duplicate(10);
  REQUIRE(theirs.ok());
  pair->second.reset();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, theirs->get(), 3);
  std::vector<std::string> words{program(), layer, act, std::to_string(victim)};
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  pid_t pid = -1;
  REQUIRE(::posix_spawn(&pid, words[0].c_str(), &actions, nullptr, pointers.data(), environ) == 0);
  ::posix_spawn_file_actions_destroy(&actions);
  theirs->reset();
  (void)send_packet(pair->first.get(), as_bytes("folder"), {folder});
  const auto said = receive_packet(pair->first.get());
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (said.ok()) {
    return std::string(as_text(said->bytes));
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code == 128 + SIGSYS ? "killed" : "exit " + std::to_string(code);
}

std::vector<std::string> all_acts() {
  std::vector<std::string> out;
  FILE* list = ::popen((program() + " --list").c_str(), "r");
  std::array<char, 128> line{};
  while (::fgets(line.data(), line.size(), list) != nullptr) {
    out.emplace_back(line.data());
    out.back().pop_back();
  }
  ::pclose(list);
  return out;
}

using Results = std::map<std::string, std::string>;

Results attempt_all(const std::string& layer) {
  const Folder folder;
  Results out;
  for (const std::string& act : all_acts()) {
    const Victim victim;
    out[act] = attempt(layer, act, folder.descriptor(), victim.pid());
    CHECK_MESSAGE(victim.alive(), layer << ": " << act << " reached a process outside");
  }
  if (layer != "namespaces") {
    CHECK(folder.untouched());
  }
  return out;
}

// Not structured bindings: doctest's messages are lambdas, which clang 14 lets capture none.
void expect(const Results& results, const Results& wanted) {
  for (const auto& row : wanted) {
    const std::string& got = results.at(row.first);
    CHECK_MESSAGE(got == row.second, row.first << ": " << got << ", not " << row.second);
  }
}

std::string number(int errnum) {
  return std::to_string(errnum);
}

// What every filter answers alike: `killed`, but for the acts named in `others`.
void expect_killed_but(const Results& results, const Results& others) {
  for (const auto& row : results) {
    const auto other = others.find(row.first);
    const std::string wanted = other == others.end() ? "killed" : other->second;
    CHECK_MESSAGE(row.second == wanted, row.first << ": " << row.second << ", not " << wanted);
  }
}

TEST_CASE("confinement: the acts are possible where nothing is confined") {
  // The positive control: without it, a broken attempt would look like a good wall. Only what does
  // no harm is attempted, since this may be root.
  const Folder folder;
  for (const char* act :
       {"control",  "fork",       "map-code",    "open",    "open-proc",  "beneath",
        "beneath2", "above2",     "above2-list", "list",    "stat-above", "chdir",
        "socket",   "socketpair", "kill",        "trace",   "limit",      "pin",
        "renice",   "pidfd",      "kcmp",        "unshare", "dumpable",   "orphan"}) {
    const Victim victim;
    const std::string result = attempt("none", act, folder.descriptor(), victim.pid());
    CHECK_MESSAGE(result == "ok", act << ": " << result);
  }
}

TEST_CASE("confinement: namespaces alone leave no file, no process and no network to reach") {
  const Results results = attempt_all("namespaces");
  expect(results, {{"control", "ok"},
                   {"exec", number(ENOENT)},
                   {"exec-memory", number(ENOENT)},
                   {"open", number(ENOENT)},
                   {"open-create", number(EROFS)},
                   {"open-proc", number(ENOENT)},
                   {"open2", number(ENOENT)},
                   {"connect-tcp", number(ENETUNREACH)},
                   {"connect-unix", number(ENOENT)},
                   {"connect-abstract", number(ECONNREFUSED)},
                   {"kill", number(ESRCH)},
                   {"kill-all", number(ESRCH)},
                   {"trace", number(ESRCH)},
                   {"limit", number(ESRCH)},
                   {"pin", number(ESRCH)},
                   {"renice", number(ESRCH)},
                   {"read-memory", number(ESRCH)},
                   {"pidfd", number(ESRCH)},
                   {"kcmp", number(ESRCH)},
                   {"mount", number(EPERM)},
                   {"fsopen", number(EPERM)},
                   {"chroot", number(EPERM)},
                   {"hostname", number(EPERM)}});
}

TEST_CASE("confinement: Landlock closes even a folder whose descriptor came by the link") {
  const Results results = attempt_all("landlock");
  for (const char* act :
       {"beneath", "beneath2", "beneath2-write", "beneath2-truncate", "beneath2-create", "above2",
        "above2-link", "above2-list", "unlink", "rename", "link", "mknod"}) {
    CHECK_MESSAGE(results.at(act) == number(EACCES), act << ": " << results.at(act));
  }
}

TEST_CASE("confinement: a front that attempts anything forbidden is killed") {
  expect_killed_but(attempt_all("front"), {{"control", "ok"}});
}

TEST_CASE("confinement: a reader and a view that attempt anything forbidden are killed") {
  expect_killed_but(attempt_all("reader"), {{"control", "ok"}});
  expect_killed_but(attempt_all("view"), {{"control", "ok"}});
}

TEST_CASE("confinement: a loader reads beneath its folder and nowhere else") {
  expect_killed_but(attempt_all("loader"), {{"control", "ok"},
                                            {"list", "ok"},
                                            {"beneath2", "ok"},
                                            {"open2", number(ENOENT)},
                                            {"beneath2-write", number(EACCES)},
                                            {"beneath2-truncate", number(EACCES)},
                                            {"beneath2-create", number(EACCES)},
                                            {"above2", number(EACCES)},
                                            {"above2-link", number(EACCES)},
                                            {"above2-list", number(EACCES)}});
}

TEST_CASE("confinement: refused by the machine it says so with a status of its own") {
  // A user namespace that may hold no further one: what a hardened system looks like.
  const std::string command =
      "unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec \"$0\" front control "
      "1' " +
      program() + " 3<>/dev/null 2>/dev/null";
  const int status = ::system(command.c_str());
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == confine::kCannotConfine);
}

}  // namespace
}  // namespace rb::testing
