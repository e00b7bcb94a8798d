#include "common/folder.h"

#include <dirent.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "common/io.h"

namespace rb {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

}  // namespace

bool is_beneath(std::string_view path, std::string_view folder) {
  return !folder.empty() && path.substr(0, folder.size()) == folder &&
         (path.size() == folder.size() || path[folder.size()] == '/' || folder == "/");
}

Result<Fd> open_beneath(int folder, const std::string& path, int flags, Links links,
                        unsigned mode) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if ((flags & O_PATH) != 0) {  // O_PATH admits few companions
    how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  }
  how.mode = (flags & O_CREAT) != 0 ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  how.resolve |= links == Links::FollowBeneath ? 0U : RESOLVE_NO_SYMLINKS;
  how.resolve |= links == Links::RefuseAndMounts ? RESOLVE_NO_XDEV : 0U;
  for (int tries = 0;; ++tries) {
    const long number = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how);
    if (number >= 0) {
      return Fd(static_cast<int>(number));
    }
    const bool raced =
        errno == EAGAIN && tries < 100;  // a rename beneath us; the kernel asks to retry
    if (errno != EINTR && !raced) {
      break;
    }
  }
  if (errno == ENOSYS) {
    return error(Code::Unsupported,
                 "this system refuses openat2, so paths can't be resolved safely");
  }
  Error failure = errno_error("open " + path);
  if (failure.errnum == ENOENT) {
    failure.code = Code::NotFound;
  }
  return failure;
}

Result<Fd> open_regular(int folder, const std::string& path, std::uint64_t most, Links links) {
  Result<Fd> fd = open_beneath(folder, path, O_RDONLY, links);
  if (!fd) {
    return fd;
  }
  struct stat facts {};
  if (::fstat(fd->get(), &facts) < 0) {
    return errno_error("fstat " + path);
  }
  if (!S_ISREG(facts.st_mode)) {
    return error(Code::Invalid, path + " isn't a regular file");
  }
  if (static_cast<std::uint64_t>(facts.st_size) > most) {
    return error(Code::TooLarge, path + " is larger than " + std::to_string(most) + " bytes");
  }
  return fd;
}

Result<Fd> make_folder(int folder, const std::string& name, unsigned mode) {
  if (::mkdirat(folder, name.c_str(), mode) < 0 && errno != EEXIST) {
    return errno_error("mkdir " + name);
  }
  return open_beneath(folder, name, O_RDONLY | O_DIRECTORY);
}

Result<std::vector<FolderEntry>> list_folder(int folder, std::size_t most) {
  Result<Fd> own = open_beneath(folder, ".", O_RDONLY | O_DIRECTORY);
  if (!own) {
    return own.failure();
  }
  const std::unique_ptr<DIR, CloseDir> dir(::fdopendir(own->get()));
  if (dir == nullptr) {
    return errno_error("fdopendir");
  }
  (void)own->release();  // the DIR closes it
  std::vector<FolderEntry> out;
  errno = 0;
  while (const dirent* entry = ::readdir(dir.get())) {
    std::string name = entry->d_name;
    if (name == "." || name == "..") {
      continue;
    }
    if (out.size() == most) {
      return error(Code::TooLarge, "more than " + std::to_string(most) + " entries");
    }
    out.push_back({std::move(name), entry->d_type});
  }
  if (errno != 0) {
    return errno_error("readdir");
  }
  std::sort(out.begin(), out.end(),
            [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
  return out;
}

Status replace_file(int folder, const std::string& name, std::string_view content, unsigned mode) {
  const std::string temporary = "." + name + ".tmp";
  (void)::unlinkat(folder, temporary.c_str(), 0);
  Result<Fd> fd = open_beneath(folder, temporary, O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, mode);
  if (!fd) {
    return fd.failure();
  }
  if (Status written = write_all(fd->get(), as_bytes(content)); !written) {
    return within(name, written.failure());
  }
  if (::fdatasync(fd->get()) < 0) {
    return errno_error("sync " + name);
  }
  if (::renameat(folder, temporary.c_str(), folder, name.c_str()) < 0) {
    return errno_error("rename " + name);
  }
  if (::fsync(folder) < 0) {
    return errno_error("sync the folder of " + name);
  }
  return done();
}

}  // namespace rb
