#include "broker/monitor/build.h"

#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

#include "broker/monitor/kernel.h"
#include "common/folder.h"
#include "common/io.h"

namespace rb::mon {
namespace {

constexpr const char* kAttachPoint = "/proc";  // there on every machine, and no source lies below
constexpr std::uint64_t kAlways = MOUNT_ATTR_NOSUID;

// A new file system, not yet mounted. Options: "size=1m,mode=755".
Result<Fd> make_file_system(const std::string& type, std::string_view options, std::uint64_t attr) {
  const Fd context(::fsopen(type.c_str(), FSOPEN_CLOEXEC));
  if (!context) {
    return errno_error("fsopen");
  }
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(','), options.size());
    const std::string option(options.substr(0, end));
    options.remove_prefix(std::min(end + 1, options.size()));
    const std::size_t equals = option.find('=');
    const std::string key = option.substr(0, equals);
    const std::string value = option.substr(equals + 1);
    if (::fsconfig(context.get(), FSCONFIG_SET_STRING, key.c_str(), value.c_str(), 0) < 0) {
      return errno_error("fsconfig");
    }
  }
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) < 0) {
    return errno_error("fsconfig create");
  }
  Fd mounted(::fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(attr)));
  if (!mounted) {
    return errno_error("fsmount");
  }
  return mounted;
}

Status attach(const Fd& mount, const Fd& place) {
  if (::move_mount(mount.get(), "", place.get(), "",
                   MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0) {
    return errno_error("move_mount");
  }
  return done();
}

Status lock_namespaces() {
  const Fd file(::open("proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), "0", 1) != 1) {
    return errno_error("max_user_namespaces");
  }
  return done();
}

Status own_network() {
  if (::unshare(CLONE_NEWNET) < 0) {
    return errno_error("unshare");
  }
  const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (!socket || ::ioctl(socket.get(), SIOCSIFFLAGS, &request) < 0) {
    return errno_error("lo");
  }
  return done();
}

}  // namespace

Status Builder::perform(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    if (const int errnum = planned_fault(step.name); errnum != 0) {
      return Error{Code::System, step.name, errnum};
    }
    Status status = perform(step);
    if (!status && step.what == Do::Protect) {
      return status;  // it says which of many places it was
    }
    if (!status) {
      return Error{status.failure().code, step.name, status.failure().errnum};
    }
  }
  return done();
}

Status Builder::perform(const Step& step) {
  switch (step.what) {
    case Do::MakePrivate:
      return make_private();
    case Do::NewRoot:
      return new_root();
    case Do::Folder: {
      const Result<Fd> made = target(step.to, true);
      return made ? done() : Status(made.failure());
    }
    case Do::Link:
      return make_link(step);
    case Do::Bind:
      return bind(step);
    case Do::BindDescriptor:
      return bind_descriptor(step);
    case Do::Pin:
      return pin(step.to);
    case Do::Protect:
      return protect(step);
    case Do::NewFileSystem:
      return new_file_system(step);
    case Do::CopyFile:
      return copy_file(step);
    case Do::LockNamespaces:
      return lock_namespaces();
    case Do::OwnNetwork:
      return own_network();
    case Do::Freeze:
      return freeze(step);
    case Do::EnterRoot:
      return enter_root();
    case Do::EnterFolder:
      return ::chdir(step.from.c_str()) < 0 ? Status(errno_error("chdir")) : done();
    case Do::CheckInterpreter:
      return ::faccessat(AT_FDCWD, step.from.c_str(), X_OK, AT_EACCESS) < 0
                 ? Status(errno_error("access"))
                 : done();
  }
  return error(Code::Invalid, "unknown step");
}

Status Builder::make_private() {
  old_root_ = Fd(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!old_root_ || ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) < 0) {
    return errno_error("mount");
  }
  return done();
}

Status Builder::new_root() {
  Result<Fd> mounted =
      make_file_system("tmpfs", "size=4m,nr_inodes=64k,mode=755", kAlways | MOUNT_ATTR_NODEV);
  if (!mounted) {
    return mounted.failure();
  }
  const Fd place(::open(kAttachPoint, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!place) {
    return errno_error("open");
  }
  if (Status attached = attach(*mounted, place); !attached) {
    return attached;
  }
  struct stat facts {};
  if (::fchdir(mounted->get()) < 0 || ::fstat(mounted->get(), &facts) < 0) {
    return errno_error("fchdir");
  }
  ours_.push_back(facts.st_dev);
  root_ = std::move(*mounted);
  return done();
}

bool Builder::is_ours(const Fd& folder) const {
  struct stat facts {};
  return ::fstat(folder.get(), &facts) == 0 &&
         std::find(ours_.begin(), ours_.end(), facts.st_dev) != ours_.end();
}

Result<Fd> Builder::parent_of(const std::string& path, std::string& name) {
  Result<Fd> current = open_beneath(root_.get(), ".", O_PATH | O_DIRECTORY);
  std::size_t at = 0;
  for (std::size_t slash = path.find('/'); current && slash != std::string::npos;
       slash = path.find('/', at)) {
    const std::string part = path.substr(at, slash - at);
    at = slash + 1;
    Result<Fd> next = open_beneath(current->get(), part, O_PATH | O_DIRECTORY);
    if (!next && next.failure().code == Code::NotFound && is_ours(*current) &&
        ::mkdirat(current->get(), part.c_str(), 0755) == 0) {
      next = open_beneath(current->get(), part, O_PATH | O_DIRECTORY);
    }
    current = std::move(next);
  }
  name = path.substr(at);
  return current;
}

Result<Fd> Builder::target(const std::string& path, bool folder) {
  std::string name;
  Result<Fd> parent = parent_of(path, name);
  if (!parent) {
    return parent;
  }
  Result<Fd> there = open_beneath(parent->get(), name, O_PATH);
  if (there || there.failure().code != Code::NotFound || !is_ours(*parent)) {
    return there;
  }
  if (folder) {
    if (::mkdirat(parent->get(), name.c_str(), 0755) < 0) {
      return errno_error("mkdir");
    }
  } else if (Result<Fd> made = open_beneath(parent->get(), name, O_WRONLY | O_CREAT | O_EXCL,
                                            Links::Refuse, 0444);
             !made) {
    return made;
  }
  return open_beneath(parent->get(), name, O_PATH);
}

Status Builder::make_link(const Step& step) {
  std::string name;
  const Result<Fd> parent = parent_of(step.to, name);
  if (!parent) {
    return parent.failure();
  }
  if (::symlinkat(step.from.c_str(), parent->get(), name.c_str()) < 0) {
    return errno_error("symlink");
  }
  return done();
}

Status Builder::attach_clone(const Fd& source, const std::string& to, const Step& step) {
  struct stat facts {};
  if (::fstat(source.get(), &facts) < 0) {
    return errno_error("stat");
  }
  const Fd clone(::open_tree(
      source.get(), "",
      AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | static_cast<unsigned>(AT_RECURSIVE)));
  if (!clone) {
    return errno_error("open_tree");
  }
  mount_attr attributes{};
  attributes.propagation = MS_PRIVATE;  // what is mounted outside later isn't shown
  attributes.attr_set = kAlways | (step.devices ? MOUNT_ATTR_NOEXEC : MOUNT_ATTR_NODEV) |
                        (step.writable ? 0 : MOUNT_ATTR_RDONLY);
  if (::mount_setattr(clone.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                      sizeof attributes) < 0) {
    return errno_error("mount_setattr");
  }
  const Result<Fd> place = target(to, S_ISDIR(facts.st_mode));
  return place ? attach(clone, *place) : Status(place.failure());
}

// A base in the old root is a path of ours or the operator's and may be a link; what lies beneath
// may not, and in the new root, where other executions can exchange folders, no part may.
int Builder::base_folder(const std::string& base) {
  if (base != base_ || !base_folder_) {
    if (base.front() == '/') {
      base_folder_ = Fd(::openat(old_root_.get(), base == "/" ? "." : base.c_str() + 1,
                                 O_PATH | O_DIRECTORY | O_CLOEXEC));
    } else {
      Result<Fd> opened = open_beneath(root_.get(), base, O_PATH | O_DIRECTORY);
      base_folder_ = opened ? std::move(*opened) : Fd();
      errno = opened ? 0 : opened.failure().errnum;
    }
    base_ = base;
  }
  return base_folder_.get();
}

Status Builder::bind(const Step& step) {
  const int folder = base_folder(step.base);
  const Result<Fd> source =
      folder < 0 ? Result<Fd>(errno_error("open")) : open_beneath(folder, step.from, O_PATH);
  if (!source) {
    const int why = source.failure().errnum;
    const bool absent = why == ENOENT || why == ENOTDIR || why == EACCES || why == ELOOP;
    return step.optional && absent ? done() : Status(source.failure());
  }
  return attach_clone(*source, step.to, step);
}

// A descriptor from outside belongs to another mount namespace and can't be cloned here: its own
// path is opened anew, without links, and counts only if it is the same file.
Status Builder::bind_descriptor(const Step& step) {
  std::array<char, PATH_MAX> path{};
  const std::string link = "proc/self/fd/" + std::to_string(step.fd);
  if (::readlink(link.c_str(), path.data(), path.size() - 1) < 0) {
    return errno_error("readlink");
  }
  if (!is_clean_path(path.data())) {
    errno = ENOENT;
    return errno_error("path");
  }
  const Result<Fd> source =
      open_beneath(old_root_.get(), path[1] == '\0' ? "." : std::string(path.data() + 1), O_PATH);
  if (!source) {
    return source.failure();
  }
  struct stat given {};
  struct stat found {};
  if (::fstat(step.fd, &given) < 0 || ::fstat(source->get(), &found) < 0) {
    return errno_error("stat");
  }
  if (given.st_dev != found.st_dev || given.st_ino != found.st_ino) {
    errno = ESTALE;
    return errno_error("something else lies at its path now");
  }
  return attach_clone(*source, step.to.empty() ? std::string(path.data() + 1) : step.to, step);
}

Status Builder::new_file_system(const Step& step) {
  const Result<Fd> place = target(step.to, true);
  if (!place) {
    const bool absent = place.failure().code == Code::NotFound;
    return step.optional && absent ? done() : Status(place.failure());
  }
  const std::uint64_t devices = step.devices ? MOUNT_ATTR_NOEXEC : MOUNT_ATTR_NODEV;
  const std::uint64_t program = step.from == "proc" ? MOUNT_ATTR_NOEXEC : 0;
  const Result<Fd> mounted =
      make_file_system(step.from, step.options,
                       kAlways | devices | program | (step.writable ? 0 : MOUNT_ATTR_RDONLY));
  if (!mounted) {
    return mounted.failure();
  }
  struct stat facts {};
  if (step.from == "tmpfs" && ::fstat(mounted->get(), &facts) == 0) {
    ours_.push_back(facts.st_dev);
  }
  return attach(*mounted, *place);
}

Status Builder::freeze(const Step& step) {
  const Result<Fd> mounted = open_beneath(root_.get(), step.to, O_PATH | O_DIRECTORY);
  if (!mounted) {
    return mounted.failure();
  }
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  if (::mount_setattr(mounted->get(), "", AT_EMPTY_PATH, &attributes, sizeof attributes) < 0) {
    return errno_error("mount_setattr");
  }
  return done();
}

Status Builder::copy_file(const Step& step) {
  std::string name;
  const Result<Fd> parent = parent_of(step.to, name);
  if (!parent) {
    return parent.failure();
  }
  const Result<Fd> file =
      open_beneath(parent->get(), name, O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, 0555);
  if (!file) {
    return file.failure();
  }
  struct stat facts {};
  if (::fstat(step.fd, &facts) < 0) {
    return errno_error("stat");
  }
  for (off_t at = 0; at < facts.st_size;) {
    if (::sendfile(file->get(), step.fd, &at, static_cast<std::size_t>(facts.st_size - at)) <= 0) {
      return errno_error("sendfile");
    }
  }
  return done();
}

Status Builder::enter_root() {
  if (::fchdir(root_.get()) < 0 || kernel::pivot_root(".", ".") < 0 || ::chdir("/") < 0) {
    return errno_error("pivot_root");
  }
  base_folder_.reset();
  return done();
}

Status Builder::leave_old_root() {
  errno = planned_fault("leave the old root");
  const bool left = errno == 0 && ::fchdir(old_root_.get()) == 0 &&
                    ::umount2(".", MNT_DETACH) == 0 && ::chdir("/") == 0;
  if (!left) {
    return Error{Code::System, "leave the old root", errno};
  }
  old_root_.reset();
  return done();
}

}  // namespace rb::mon
