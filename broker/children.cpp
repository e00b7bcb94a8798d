#include "broker/children.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <cstdlib>

#include "broker/places.h"

namespace rb::brk {
namespace {

constexpr int kLink = 3;

// What a child finds in its environment: how loud to log, and in test builds how to complain.
std::vector<std::string> child_environment() {
  std::vector<std::string> out;
  for (const char* name : {"RUNBOOKD_LOG_LEVEL", "ASAN_OPTIONS", "UBSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) {  // NOLINT(concurrency-mt-unsafe): one thread
      out.push_back(std::string(name) + "=" + value);
    }
  }
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) {
    out.push_back(word.data());
  }
  out.push_back(nullptr);
  return out;
}

struct Spawning {
  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
  Spawning() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;
  Spawning(Spawning&&) = delete;
  Spawning& operator=(Spawning&&) = delete;
  ~Spawning() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

}  // namespace

Children::Children(Loop& loop, std::string libexec)
    : libexec_(std::move(libexec)), died_(loop, SIGCHLD, [this] { reap(); }) {}

Result<pid_t> Children::spawn(const std::string& name, const std::vector<std::string>& words,
                              const Fd& link, OnExit on_exit) {
  Spawning how;
  ::posix_spawn_file_actions_addopen(&how.actions, 0, "/dev/null", O_RDWR, 0);
  ::posix_spawn_file_actions_adddup2(&how.actions, 2, 1);
  ::posix_spawn_file_actions_adddup2(&how.actions, link.get(), kLink);
  ::posix_spawn_file_actions_addclosefrom_np(&how.actions, kLink + 1);
  sigset_t signals;
  ::sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&how.attributes, &signals);
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&how.attributes, &signals);
  ::posix_spawnattr_setflags(&how.attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);

  const std::string path = libexec_ + "/" + name;
  std::vector<std::string> arguments{name};
  arguments.insert(arguments.end(), words.begin(), words.end());
  std::vector<std::string> environment = child_environment();
  pid_t pid = -1;
  const int failed = ::posix_spawn(&pid, path.c_str(), &how.actions, &how.attributes,
                                   pointers(arguments).data(), pointers(environment).data());
  if (failed != 0) {
    return Error{Code::System, "start " + path, failed};
  }
  running_[pid] = std::move(on_exit);
  return pid;
}

void Children::kill(pid_t child) const {
  if (running_.contains(child)) {
    (void)::kill(child, SIGKILL);
  }
}

void Children::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto found = running_.find(pid);
    if (found == running_.end()) {
      continue;
    }
    const OnExit on_exit = std::move(found->second);
    running_.erase(found);
    if (on_exit) {
      on_exit(status);
    }
  }
}

std::string find_libexec() {
  const std::string own = link_target("/proc/self/exe");
  const std::string folder = own.substr(0, own.rfind('/'));
  if (!folder.empty() && ::access((folder + "/runbook-broker").c_str(), F_OK) == 0) {
    return folder;
  }
  return RUNBOOKD_LIBEXEC;
}

}  // namespace rb::brk
