// fronted_daemon.h — a real broker of a test's own whose front is another program.   [tests]
#pragma once

#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/front_driver.h"

namespace rb::testing {

namespace fs = std::filesystem;

inline std::string beside(const std::string& name) {
  return fs::path(built("x")).parent_path().parent_path().string() + "/tests/integration/front/" +
         name;
}

inline constexpr const char* kSecretBook = R"(# Three

<Command id="good" command={`printf %s {{ .inputs.Token }}{{ .inputs.Other }} | sha256sum; echo {{ .inputs.Plain }} > /dev/null`}>
  <Inputs id="in">
    ```yaml
    variables:
      - name: Token
        type: string
        sensitive: true
      - name: Other
        type: string
        sensitive: true
        default: x
      - name: Plain
        type: string
    ```
  </Inputs>
</Command>
)";

// A broker of its own whose `runbookd` is another program.
class Daemon {
 public:
  explicit Daemon(const std::string& front)
      : top_("/tmp/rb-hostile-" + std::to_string(::getpid())) {
    fs::remove_all(top_);
    for (const char* folder : {"run", "state", "bin", "books/one", "books/two", "books/three"}) {
      fs::create_directories(top_ / folder);
    }
    fs::permissions(top_ / "run", fs::perms::owner_all);
    for (const char* name : {"runbook-broker", "runbook-reader", "runbook-monitor"}) {
      fs::create_symlink(built(name), top_ / "bin" / name);
    }
    fs::create_symlink(front, top_ / "bin/runbookd");
    std::ofstream(top_ / "books/one/runbook.mdx")
        << "# One\n\n<Command id=\"good\" command=\"echo good\" />\n\n"
           "<Command id=\"evil\" command=\"echo evil\" />\n";
    std::ofstream(top_ / "books/two/runbook.mdx")
        << "# Two\n\n<Command id=\"good\" command=\"echo of another folder\" />\n";
    std::ofstream(top_ / "books/three/runbook.mdx") << kSecretBook;
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  Daemon(Daemon&&) = delete;
  Daemon& operator=(Daemon&&) = delete;
  ~Daemon() {
    if (pid_ > 0) {
      ::kill(pid_, SIGTERM);
      if (!ends_within(5s)) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
      }
    }
    std::error_code ignored;
    fs::remove_all(top_, ignored);
  }

  // False when it doesn't say within the time that it serves.
  bool start(std::chrono::milliseconds within = 10s) {
    ::setenv("XDG_RUNTIME_DIR", (top_ / "run").c_str(), 1);
    ::setenv("XDG_STATE_HOME", (top_ / "state").c_str(), 1);
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) < 0) {
      return false;
    }
    const Fd ready(pipe[0]);
    Fd said(pipe[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, said.get(), 9);
    std::vector<std::string> words{(top_ / "bin/runbook-broker").string(),
                                   "--libexec",
                                   (top_ / "bin").string(),
                                   "--ready-fd",
                                   "9",
                                   "--log",
                                   (top_ / "log").string()};
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) {
      pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    const int failed =
        ::posix_spawn(&pid_, pointers[0], &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    said.reset();
    pollfd look{ready.get(), POLLIN, 0};
    char byte = 0;
    return failed == 0 && ::poll(&look, 1, static_cast<int>(within.count())) == 1 &&
           ::read(ready.get(), &byte, 1) == 1;
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] fs::path top() const { return top_; }
  [[nodiscard]] bool ends_within(std::chrono::milliseconds within) {
    const auto until = std::chrono::steady_clock::now() + within;
    while (std::chrono::steady_clock::now() < until) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
        pid_ = -1;
        return true;
      }
      ::usleep(10'000);
    }
    return false;
  }
  // Lines of that type in a session's journal.
  [[nodiscard]] int lines(const std::string& session, const std::string& type) const {
    int count = 0;
    const fs::path folder = top_ / "state/runbookd/sessions" / session;
    for (const auto& entry : fs::directory_iterator(folder)) {
      std::ifstream file(entry.path());
      for (std::string line; entry.path().extension() == ".jsonl" && std::getline(file, line);) {
        count += line.find("\"type\":\"" + type + "\"") != std::string::npos ? 1 : 0;
      }
    }
    return count;
  }
  // Files below its folder, the books left out, that hold the text.
  [[nodiscard]] std::vector<std::string> holding(const std::string& text) const {
    std::vector<std::string> out;
    for (const char* part : {"state", "run", "log"}) {
      const auto look = [&](const fs::path& path) {
        std::ifstream file(path);
        const std::string all{std::istreambuf_iterator<char>(file), {}};
        if (all.find(text) != std::string::npos) {
          out.push_back(path.string());
        }
      };
      if (fs::is_regular_file(top_ / part)) {
        look(top_ / part);
        continue;
      }
      for (const auto& entry : fs::recursive_directory_iterator(top_ / part)) {
        if (entry.is_regular_file()) {
          look(entry.path());
        }
      }
    }
    return out;
  }
  [[nodiscard]] std::string log() const {
    std::ifstream file(top_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path top_;
  pid_t pid_ = -1;
};

}  // namespace rb::testing
