#include "broker/places.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/vfs.h>

#include <array>
#include <climits>
#include <cstdlib>

#include "broker/mount_clone.h"
#include "common/folder.h"
#include "common/io.h"

namespace rb::brk {
namespace {

constexpr long kNfs = 0x6969;

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? "" : value;
}

// Opens a folder that has to be ours alone. `path` is absolute; its last part may be new.
Result<Fd> private_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) < 0 && errno != EEXIST) {
    return errno_error("make " + path);
  }
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) {
    return errno_error("open " + path + " (it must be a folder, not a link)");
  }
  struct stat facts {};
  if (::fstat(fd.get(), &facts) < 0) {
    return errno_error("fstat " + path);
  }
  if (facts.st_uid != ::geteuid()) {
    return error(Code::Refused, path + " belongs to somebody else");
  }
  if ((facts.st_mode & 0077) != 0) {
    return error(Code::Refused, path + " is open to others: chmod 700 it");
  }
  return fd;
}

std::string runtime_place() {
  const std::string xdg = variable("XDG_RUNTIME_DIR");
  struct stat facts {};
  if (xdg.starts_with('/') && ::stat(xdg.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
      facts.st_uid == ::geteuid()) {
    return xdg + "/runbookd";
  }
  return "/tmp/runbookd-" + std::to_string(::geteuid());
}

Result<std::string> state_place() {
  const std::string xdg = variable("XDG_STATE_HOME");
  if (xdg.starts_with('/')) {
    return xdg + "/runbookd";
  }
  const std::string home = variable("HOME");
  if (!home.starts_with('/')) {
    return error(Code::NotFound, "neither XDG_STATE_HOME nor HOME names a folder");
  }
  return home + "/.local/state/runbookd";
}

Status make_parents(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    if (::mkdir(path.substr(0, at).c_str(), 0700) < 0 && errno != EEXIST) {
      return errno_error("make " + path.substr(0, at));
    }
  }
  return done();
}

// An open-file-description lock: it lives as long as this process, whatever kills it.
Result<Fd> lock_state(int state) {
  Result<Fd> lock = open_beneath(state, "lock", O_RDWR | O_CREAT, Links::Refuse, 0600);
  if (!lock) {
    return lock;
  }
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(lock->get(), F_OFD_SETLK, &whole) < 0) {
    std::string who;
    for (int tries = 0; who.empty() && tries < 50; ++tries) {  // it may be about to write it
      const Result<Bytes> pid = read_all(lock->get(), 32);
      who = pid ? as_text(*pid) : "?";
      ::usleep(who.empty() ? 10'000 : 0);
    }
    return error(Code::Refused, "already running, pid " + who.substr(0, who.find('\n')));
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock->get(), 0) < 0) {
    return errno_error("write the lock");
  }
  if (Status written = write_all(lock->get(), as_bytes(pid)); !written) {
    return written.failure();
  }
  return lock;
}

}  // namespace

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  return {target.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}
std::string place_of(int fd) {
  return link_target("/proc/self/fd/" + std::to_string(fd));
}

Result<Places> Places::prepare() {
  Places out;
  const Result<std::string> state_path = state_place();
  if (!state_path) {
    return state_path.failure();
  }
  out.state_path_ = *state_path;
  if (Status parents = make_parents(out.state_path_); !parents) {
    return parents.failure();
  }
  out.runtime_path_ = runtime_place();
  struct Wanted {
    Fd Places::*member;
    std::string path;
  };
  for (const Wanted& wanted :
       {Wanted{&Places::state_, out.state_path_}, Wanted{&Places::runtime_, out.runtime_path_},
        Wanted{&Places::monitors_, out.runtime_path_ + "/monitors"},
        Wanted{&Places::trees_, out.state_path_ + "/trees"},
        Wanted{&Places::sessions_, out.state_path_ + "/sessions"}}) {
    Result<Fd> fd = private_folder(wanted.path);
    if (!fd) {
      return fd.failure();
    }
    out.*wanted.member = std::move(*fd);
  }
  struct statfs kind {};
  if (::fstatfs(out.state(), &kind) == 0 && kind.f_type == kNfs) {
    return error(Code::Refused, out.state_path_ + " is on NFS, where a record isn't safe");
  }
  Result<Fd> lock = lock_state(out.state());
  if (!lock) {
    return lock.failure();
  }
  out.lock_ = std::move(*lock);
  Result<Fd> clone = read_only_clone(out.state(), out.state_path_);
  if (clone) {
    out.clone_ = std::move(*clone);
  } else {
    out.no_clone_ = clone.failure().text();
  }
  return out;
}

Result<Fd> Places::open_out(const std::string& path) const {
  if (!clone_) {
    return error(Code::Unsupported, "no read-only view of the state folder: " + no_clone_);
  }
  return open_regular(clone_.get(), path, UINT64_MAX);
}

std::uint64_t Places::free_bytes() const {
  struct statvfs facts {};
  if (::fstatvfs(state(), &facts) < 0) {
    return 0;
  }
  return static_cast<std::uint64_t>(facts.f_bavail) * facts.f_frsize;
}

Result<Fd> Places::listen_at(int folder, const std::string& name, int type) {
  Fd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) {
    return errno_error("socket");
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // By descriptor: the folder's own path may be longer than a socket's name can be.
  const std::string path = "/proc/self/fd/" + std::to_string(folder) + "/" + name;
  if (path.size() >= sizeof address.sun_path) {
    return error(Code::TooLarge, "socket name too long: " + name);
  }
  path.copy(address.sun_path, path.size());
  const auto bind_it = [&] {
    return ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  };
  int bound = bind_it();
  if (bound < 0 && errno == EADDRINUSE && ::unlinkat(folder, name.c_str(), 0) == 0) {
    bound = bind_it();
  }
  if (bound < 0 || ::fchmodat(folder, name.c_str(), 0600, 0) < 0 || ::listen(fd.get(), 128) < 0) {
    return errno_error("listen at " + name);
  }
  return fd;
}

}  // namespace rb::brk
