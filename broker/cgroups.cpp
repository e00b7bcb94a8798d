#include "broker/cgroups.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "broker/service.h"
#include "common/folder.h"
#include "common/io.h"
#include "common/log.h"

namespace rb::brk {
namespace {

constexpr const char* kUnit = "runbookd-executions.scope";
constexpr std::size_t kMostLeaves = 10'000;
constexpr int kTries = 200;
constexpr long kBetweenTries = 5'000'000;  // nanoseconds

// "" where there is none.
std::string mounted_at() {
  for (const char* place : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    struct statfs facts {};
    if (::statfs(place, &facts) == 0 && facts.f_type == CGROUP2_SUPER_MAGIC) {
      return place;
    }
  }
  return "";
}

Status put(int folder, const std::string& file, const std::string& text) {
  const Result<Fd> opened = open_beneath(folder, file, O_WRONLY);
  if (!opened) {
    return opened.failure();
  }
  return write_all(opened->get(), as_bytes(text));
}

std::string content(int folder, const std::string& file) {
  const Result<Fd> opened = open_beneath(folder, file, O_RDONLY);
  const Result<Bytes> bytes = opened ? read_all(opened->get(), 4096) : Result<Bytes>(Bytes());
  return bytes ? std::string(as_text(*bytes)) : "";
}

// The group of a process in the hierarchy of version 2: "/user.slice/...".
std::string group_of(pid_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/cgroup";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const Result<Bytes> bytes = file ? read_all(file.get(), 64 * 1024) : Result<Bytes>(Bytes());
  const std::string text = "\n" + (bytes ? std::string(as_text(*bytes)) : "");
  const std::size_t at = text.find("\n0::/");
  return at == std::string::npos ? "" : text.substr(at + 4, text.find('\n', at + 1) - at - 4);
}

// The manager has answered, and moves the process a moment later. "" when it doesn't.
std::string scope_of(pid_t pid) {
  for (int i = 0; i < kTries; ++i) {
    const std::string group = group_of(pid);
    const std::size_t at = group.find(kExecutionsScope);
    if (at != std::string::npos) {
      return group.substr(0, at + kExecutionsScope.size());
    }
    const timespec pause{0, kBetweenTries};
    (void)::nanosleep(&pause, nullptr);
  }
  return "";
}

// Whatever a script has made below its leaf goes with it.
bool remove_group(int scope, const std::string& path, int depth) {
  constexpr int kDeepest = 16;
  const auto gone = [&] {
    return ::unlinkat(scope, path.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT;
  };
  if (gone() || depth > kDeepest) {
    return depth <= kDeepest;
  }
  const Result<Fd> folder = open_beneath(scope, path, O_RDONLY | O_DIRECTORY);
  const auto entries = folder ? list_folder(folder->get(), kMostLeaves)
                              : Result<std::vector<FolderEntry>>(folder.failure());
  bool all = entries.ok();
  for (const FolderEntry& entry : entries ? *entries : std::vector<FolderEntry>()) {
    all = (entry.type != DT_DIR || remove_group(scope, path + "/" + entry.name, depth + 1)) && all;
  }
  return all && gone();
}

}  // namespace

Cgroups::Cgroups(Loop& loop)
    : events_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      watch_(loop, events_.get(), Watch::For::Reading, [this] { on_events(); }) {}

void Cgroups::adopt(pid_t keeper) {
  scope_.reset();
  pids_ = memory_ = false;
  const Status entered = enter(keeper);
  why_not_ = entered ? "" : entered.failure().text();
  if (!entered) {
    scope_.reset();
    log::info("no control groups: " + why_not_);
  }
}

Status Cgroups::enter(pid_t keeper) {
  const std::string mount = mounted_at();
  if (mount.empty()) {
    return error(Code::Unsupported, "no cgroup v2 is mounted");
  }
  if (Status joined = service::join_scope(kUnit, "/monitors", keeper); !joined) {
    return joined;
  }
  const std::string group = scope_of(keeper);
  scope_ = Fd(::open((mount + group).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (group.empty() || !scope_) {
    return error(Code::Unsupported, "the user's service manager gave no group");
  }
  // Controllers are handed down by a group that holds no process itself.
  if (::mkdirat(scope_.get(), "monitors", 0755) < 0 && errno != EEXIST) {
    return errno_error("make a control group");
  }
  if (Status moved = put(scope_.get(), "monitors/cgroup.procs", std::to_string(keeper)); !moved) {
    return moved;
  }
  const std::string there = content(scope_.get(), "cgroup.controllers");
  const auto hand_down = [&](const char* name) {
    return there.find(name) != std::string::npos &&
           put(scope_.get(), "cgroup.subtree_control", std::string("+") + name).ok();
  };
  pids_ = hand_down("pids");
  memory_ = hand_down("memory");
  return done();
}

Fd Cgroups::make(const std::string& leaf, const policy::Limits& limits) {
  if (!scope_ || ::mkdirat(scope_.get(), leaf.c_str(), 0755) < 0) {
    return {};
  }
  Result<Fd> made = open_beneath(scope_.get(), leaf, O_RDONLY | O_DIRECTORY);
  Status set = made ? done() : Status(made.failure());
  if (set && pids_ && limits.processes != 0) {
    set = put(made->get(), "pids.max", std::to_string(limits.processes));
  }
  if (set && memory_ && limits.memory_bytes != 0) {
    set = put(made->get(), "memory.oom.group", "1");
    set = set ? put(made->get(), "memory.max", std::to_string(limits.memory_bytes)) : set;
  }
  if (!set) {  // then it goes on as where there are no groups
    log::warn("control group " + leaf + ": " + set.failure().text());
    remove(leaf);
    return {};
  }
  return std::move(*made);
}

bool Cgroups::removed(const std::string& leaf) const {
  (void)put(scope_.get(), leaf + "/cgroup.kill", "1");
  return remove_group(scope_.get(), leaf, 0);
}

void Cgroups::remove(const std::string& leaf) {
  if (!scope_ || removed(leaf)) {
    return;
  }
  // Its last process is ending: the kernel says when. Asked again, in case it was just now.
  const std::string file =
      "/proc/self/fd/" + std::to_string(scope_.get()) + "/" + leaf + "/cgroup.events";
  leaving_.insert(leaf);
  (void)::inotify_add_watch(events_.get(), file.c_str(), IN_MODIFY);
  on_events();
}

void Cgroups::on_events() {
  std::array<char, 4096> events{};
  while (::read(events_.get(), events.data(), events.size()) > 0) {
  }
  for (auto at = leaving_.begin(); at != leaving_.end();) {
    at = !scope_ || removed(*at) ? leaving_.erase(at) : std::next(at);
  }
}

std::vector<std::string> Cgroups::leaves() const {
  std::vector<std::string> out;
  // A descriptor of its own: listing moves the position.
  const Result<Fd> folder =
      scope_ ? open_beneath(scope_.get(), ".", O_RDONLY | O_DIRECTORY) : Result<Fd>(Fd());
  if (folder && folder->open()) {
    const auto entries = list_folder(folder->get(), kMostLeaves);
    for (const FolderEntry& entry : entries ? *entries : std::vector<FolderEntry>()) {
      if (entry.type == DT_DIR && entry.name != "monitors") {
        out.push_back(entry.name);
      }
    }
  }
  return out;
}

}  // namespace rb::brk
