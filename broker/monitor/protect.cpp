// What tools execute by themselves stays as it is in a folder that scripts may change.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <deque>

#include "broker/monitor/build.h"
#include "common/folder.h"
#include "policy/builtin.h"

namespace rb::mon {
namespace {

// Bounds of the search: a launch doesn't read a whole disk. docs/SECURITY.md says what they leave.
constexpr int kDeepest = 3;
constexpr int kMostFolders = 256;
constexpr std::size_t kMostNames = 4096;  // in one folder

struct Place {
  std::string path;
  int depth = 0;
};

// Folders in which the search goes on; hidden ones are caches and settings.
void add_below(const Place& here, int folder, std::deque<Place>& out) {
  const auto names = list_folder(folder, kMostNames);
  if (here.depth == kDeepest || !names) {
    return;
  }
  for (const FolderEntry& entry : *names) {
    if (entry.type == DT_DIR && entry.name.front() != '.') {
      out.push_back({here.path + "/" + entry.name, here.depth + 1});
    }
  }
}

bool is_mount(const Fd& folder) {
  struct statx facts {};
  return ::statx(folder.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &facts) == 0 &&
         (facts.stx_attributes & facts.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

// Nearest first.
Status Builder::protect(const Step& step) {
  std::deque<Place> todo{{step.to}};
  for (int i = 0; i < kMostFolders && !todo.empty(); ++i) {
    const Place here = std::move(todo.front());
    todo.pop_front();
    const Result<Fd> folder = open_beneath(root_.get(), here.path, O_RDONLY | O_DIRECTORY);
    if (folder) {
      add_below(here, folder->get(), todo);
    }
    for (const std::string_view name : policy::protected_names()) {
      const std::string path = here.path + "/" + std::string(name);
      if (Status kept = keep(path, here.path); !kept) {
        return Error{Code::System, "keep /" + path + " as it is", kept.failure().errnum};
      }
    }
  }
  return done();
}

// A link is no good: what it leads to could be changed.
Status Builder::keep(const std::string& path, const std::string& folder) {
  const Result<Fd> found = open_beneath(root_.get(), path, O_PATH);
  if (!found) {
    const int why = found.failure().errnum;
    return why == ENOENT || why == EACCES ? done() : Status(found.failure());
  }
  const Status pinned = pin(folder + "/");
  return pinned ? mount_over(path, false) : pinned;
}

// A mount can't be renamed, so no other folder comes to lie where this one is looked for. What is
// a mount already, or ours, needs none.
Status Builder::pin(const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    const Result<Fd> folder = open_beneath(root_.get(), part, O_PATH | O_DIRECTORY);
    if (!folder) {
      return folder.failure().errnum == ENOENT ? done() : Status(folder.failure());
    }
    if (!is_ours(*folder) && !is_mount(*folder)) {
      if (Status mounted = mount_over(part, true); !mounted) {
        return mounted;
      }
    }
  }
  return done();
}

Status Builder::mount_over(const std::string& path, bool writable) {
  Step step{Do::Protect};
  step.writable = writable;
  const Result<Fd> place = open_beneath(root_.get(), path, O_PATH);
  return place ? attach_clone(*place, path, step) : Status(place.failure());
}

}  // namespace rb::mon
