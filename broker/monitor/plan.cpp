#include "broker/monitor/plan.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "common/folder.h"
#include "policy/builtin.h"

namespace rb::mon {
namespace {

// Files in /etc that are often links to places that the sandbox doesn't show.
constexpr std::array<const char*, 4> kNamedFiles{"/etc/resolv.conf", "/etc/localtime", "/etc/hosts",
                                                 "/etc/ssl/certs/ca-certificates.crt"};
constexpr std::array<std::string_view, 6> kDevices{"null",   "zero",    "full",
                                                   "random", "urandom", "tty"};
constexpr std::string_view kScriptFolder = "run/runbook";

std::string relative(std::string_view path) {
  return std::string(path.substr(1));
}

Step folder(std::string to) {
  Step step{Do::Folder, "make /" + to, std::move(to)};
  return step;
}
Step link(std::string to, std::string target) {
  Step step{Do::Link, "link /" + to, std::move(to), std::move(target)};
  return step;
}
Step bind(std::string to, std::string from) {
  Step step{Do::Bind, "mount /" + to, std::move(to), std::move(from)};
  return step;
}
Step descriptor(std::string_view at, int fd, bool writable) {
  Step step{Do::BindDescriptor, "mount " + std::string(at), relative(at)};
  step.fd = fd;
  step.writable = writable;
  return step;
}
Step file_system(std::string to, std::string type, std::string options) {
  Step step{Do::NewFileSystem, "mount /" + to, std::move(to), std::move(type)};
  step.options = std::move(options);
  step.writable = true;
  return step;
}
Step cover(std::string_view path) {
  Step step = file_system(relative(path), "tmpfs", "size=4k,mode=555");
  step.name = "cover " + std::string(path);
  step.optional = true;
  return step;
}

Step freeze(std::string to) {
  return {Do::Freeze, "make /" + to + " read-only", std::move(to)};
}

void plan_devices(std::vector<Step>& out) {
  out.push_back(folder("dev"));
  for (const std::string_view name : kDevices) {
    const std::string place = "dev/" + std::string(name);
    out.push_back(bind(place, place));
    out.back().writable = true;
    out.back().devices = true;
  }
  out.push_back(link("dev/fd", "/proc/self/fd"));
  out.push_back(link("dev/stdin", "/proc/self/fd/0"));
  out.push_back(link("dev/stdout", "/proc/self/fd/1"));
  out.push_back(link("dev/stderr", "/proc/self/fd/2"));
  out.push_back(file_system("dev/pts", "devpts", "ptmxmode=0666,mode=0620"));
  out.back().devices = true;
  out.push_back(link("dev/ptmx", "pts/ptmx"));
}

void plan_proc(std::vector<Step>& out, bool root) {
  out.push_back(file_system("proc", "proc", ""));
  Step lock{Do::LockNamespaces, "forbid user namespaces"};
  out.push_back(std::move(lock));
  if (!root) {
    return;
  }
  for (const char* name : {"sys", "sysrq-trigger", "irq", "bus", "fs"}) {
    const std::string place = "proc/" + std::string(name);
    out.push_back(bind(place, std::string(name)));
    out.back().base = "proc";  // relative: the new one
    out.back().optional = true;
  }
}

// Where links in /etc lead, at their own places, as those are at this launch.
void plan_named(const RootView& view, std::vector<Step>& out) {
  for (const RootView::Named& named : view.named) {
    const bool shown =
        std::any_of(view.folders.begin(), view.folders.end(), [&](const RootView::Entry& entry) {
          return entry.link.empty() && is_beneath(named.place, "/" + entry.name);
        });
    if (!shown) {
      out.push_back(bind(relative(named.place), relative(named.source)));
      out.back().optional = true;
    }
  }
}

// The one runbook folder and the writable ones, outer before inner.
Status plan_folders(const Launch& launch, std::vector<Step>& out) {
  const bool writable = launch.profile.work == policy::WorkFolder::AllowWrite;
  struct Place {
    std::string_view path;
    int fd;
    bool writable;
  };
  std::vector<Place> places;
  for (const Grant& grant : launch.grants) {  // first: the sealed copy lies over what equals it
    places.push_back({grant.path, grant.fd.get(), grant.writable});
  }
  if (launch.tree) {
    places.push_back({launch.tree_path, launch.tree.get(), false});
  }
  if (launch.work && launch.profile.work != policy::WorkFolder::Hidden) {
    places.push_back({launch.work_path, launch.work.get(), writable});
  }
  if (launch.generated && writable) {
    places.push_back({launch.generated_path, launch.generated.get(), true});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.path.size() < b.path.size(); });
  if (launch.tree && launch.work && launch.tree_path == launch.work_path) {
    return error(Code::Refused,
                 "work folder: it is the runbook's own folder, which scripts see as a sealed copy");
  }
  for (const Place& place : places) {
    if (place.path.size() < 2) {
      return error(Code::Refused,
                   "a sandbox can't have the root folder as the runbook's or for work");
    }
    const auto below = [&](const Place& outer) {
      return outer.writable && outer.path.size() < place.path.size() &&
             is_beneath(place.path, outer.path);
    };
    if (std::any_of(places.begin(), places.end(), below)) {
      out.push_back(
          {Do::Pin, "pin what leads to " + std::string(place.path), relative(place.path)});
    }
    out.push_back(descriptor(place.path, place.fd, place.writable));
  }
  return done();
}

bool is_folder(const Fd& place) {
  struct stat facts {};
  return ::fstat(place.get(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Own run folders lie below a hidden one; a folder from elsewhere is one that a person gave.
bool is_given(const Launch& launch) {
  return std::none_of(launch.hidden.begin(), launch.hidden.end(),
                      [&](const std::string& path) { return is_beneath(launch.work_path, path); });
}

Status check_place(const Launch& launch, const std::string& what, const std::string& path) {
  if (!launch.home.empty() && is_beneath(launch.home, path)) {
    return error(Code::Refused, what + ": it is or holds the home folder");
  }
  for (const std::string& hidden : launch.hidden) {
    if (is_beneath(hidden, path)) {
      return error(Code::Refused, what + ": it holds what must stay hidden");
    }
  }
  return done();
}

Status check_places(const Launch& launch) {
  Status good = launch.work ? check_place(launch, "work folder", launch.work_path) : done();
  for (const Grant& grant : launch.grants) {
    if (good) {
      good = check_place(launch, "grant of " + grant.path, grant.path);
    }
  }
  return good;
}

// A folder that an operator gave.
void protect(const std::string& folder, std::vector<Step>& out) {
  out.push_back({Do::Protect, "keep what tools execute below " + folder, relative(folder)});
}

void plan_protected(const Launch& launch, std::vector<Step>& out) {
  const bool writable = launch.profile.work == policy::WorkFolder::AllowWrite;
  if (launch.work && writable && is_given(launch)) {
    protect(launch.work_path, out);
  }
  for (const Grant& grant : launch.grants) {
    if (grant.writable && is_folder(grant.fd)) {
      protect(grant.path, out);
    }
  }
}

void plan_home(const Launch& launch, const std::string& size, std::vector<Step>& out) {
  if (launch.home.size() < 2) {
    return;
  }
  out.push_back(file_system(relative(launch.home), "tmpfs", "mode=700," + size));
  for (const std::string& tool : launch.tool_folders) {
    out.push_back(bind(relative(launch.home) + "/" + tool, tool));
    out.back().base = launch.home;
    out.back().optional = true;
  }
}

// Last, so that folders below home still found their places made.
void plan_frozen(const Launch& launch, std::vector<Step>& out) {
  if (launch.home.size() >= 2 && launch.profile.home != policy::Home::AllowPrivateWrite) {
    out.push_back(freeze(relative(launch.home)));
  }
  out.push_back(freeze("."));
}

// Hidden folders below something that is shown.
void plan_covers(const Launch& launch, std::vector<Step>& out) {
  const auto shown = [&](const std::string& path) {
    const auto holds = [&](std::string_view folder) { return is_beneath(path, folder); };
    for (const std::string_view name : policy::system_folders()) {
      if (holds("/" + std::string(name))) {
        return true;
      }
    }
    for (const std::string& tool : launch.tool_folders) {
      if (holds(launch.home + "/" + tool)) {
        return true;
      }
    }
    return false;
  };
  for (const std::string& path : launch.hidden) {
    if (shown(path)) {
      out.push_back(cover(path));
    }
  }
}

// "" for what is no link.
std::string target_of(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  return ::readlink(path.c_str(), target.data(), target.size() - 1) > 0 ? target.data() : "";
}

void plan_script(const Launch& launch, std::vector<Step>& out) {
  if (launch.script_as == ScriptAs::Memory) {
    return;
  }
  Step copy{Do::CopyFile, "write the script"};
  copy.to = std::string(kScriptFolder) + "/" +
            (launch.script_as == ScriptAs::File ? launch.script_name : std::string("script"));
  copy.fd = launch.script.get();
  out.push_back(copy);
  if (launch.script_as == ScriptAs::InTree) {  // over its own place in the sealed copy
    out.push_back(bind(relative(script_place(launch)), "script"));
    out.back().base = kScriptFolder;
  }
}

// Of the root's own file system, whose size bounds it; the one part of it that can be written to.
void plan_results(std::vector<Step>& out) {
  const std::string place = relative(policy::kResultsFolder);
  out.push_back(folder(place));
  out.push_back(bind(place, place.substr(kScriptFolder.size() + 1)));
  out.back().base = kScriptFolder;
  out.back().writable = true;
}

}  // namespace

RootView look_at_root() {
  RootView view;
  view.root = ::geteuid() == 0;
  for (const std::string_view name : policy::system_folders()) {
    const std::string path = "/" + std::string(name);
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) == 0) {
      view.folders.push_back({std::string(name), S_ISLNK(facts.st_mode) ? target_of(path) : ""});
    }
  }
  view.named = look_at_named_files();
  return view;
}

std::vector<RootView::Named> look_at_named_files() {
  std::vector<RootView::Named> out;
  for (const char* file : kNamedFiles) {
    const std::string target = target_of(file);
    const std::unique_ptr<char, decltype(&std::free)> real(
        target.empty() ? nullptr : ::realpath(file, nullptr), std::free);
    if (real != nullptr) {
      std::string place =
          std::filesystem::path(file).parent_path().append(target).lexically_normal();
      out.push_back({std::move(place), real.get()});
    }
  }
  return out;
}

std::vector<Step> plan_base(const RootView& view) {
  std::vector<Step> out;
  out.push_back({Do::MakePrivate, "make mounts private"});
  out.push_back({Do::NewRoot, "mount the root"});
  for (const RootView::Entry& entry : view.folders) {
    out.push_back(entry.link.empty() ? bind(entry.name, entry.name) : link(entry.name, entry.link));
  }
  for (const char* place : {"run", "home", "srv", "mnt", "media", "var/cache", "var/spool"}) {
    out.push_back(folder(place));  // programs expect them; there is nothing in them
  }
  out.push_back(link("var/run", "/run"));
  out.push_back(link("run/lock", "/tmp"));
  out.push_back(link("var/lock", "/run/lock"));
  plan_proc(out, view.root);
  plan_devices(out);
  out.push_back(bind("sys/devices/system/cpu", "sys/devices/system/cpu"));
  out.back().optional = true;
  return out;
}

Result<std::vector<Step>> plan_launch(const Launch& launch, const RootView& view) {
  if (Status checked = check_places(launch); !checked) {
    return checked.failure();
  }
  std::vector<Step> out;
  plan_named(view, out);
  if (launch.profile.network == policy::Network::None) {
    out.push_back({Do::OwnNetwork, "network namespace"});
  }
  const std::string size = "nr_inodes=1m,size=" + std::to_string(launch.limits.tmp_bytes);
  for (const char* place : {"tmp", "var/tmp", "dev/shm"}) {
    out.push_back(file_system(place, "tmpfs", "mode=1777," + size));
  }
  plan_home(launch, size, out);
  plan_covers(launch, out);
  if (Status planned = plan_folders(launch, out); !planned) {
    return planned.failure();
  }
  plan_protected(launch, out);
  plan_script(launch, out);
  plan_results(out);
  plan_frozen(launch, out);
  out.push_back({Do::EnterRoot, "enter the root"});
  out.push_back({Do::EnterFolder, "enter the folder to start in", "", launch.cwd});
  out.push_back({Do::CheckInterpreter, "find the interpreter", "", launch.argv.front()});
  return out;
}

std::string script_place(const Launch& launch) {
  if (launch.script_as == ScriptAs::Memory) {
    return "";
  }
  if (!launch.profile.sandboxed()) {
    return launch.host_script;
  }
  return launch.script_as == ScriptAs::InTree
             ? launch.tree_path + "/" + launch.script_name
             : "/" + std::string(kScriptFolder) + "/" + launch.script_name;
}

}  // namespace rb::mon
