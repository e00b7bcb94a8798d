#include "broker/mount_clone.h"

#include <linux/mount.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/packet.h"

namespace rb::brk {
namespace {

bool same_folder(int a, int b) {
  struct stat first {};
  struct stat second {};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// In the child: a mount namespace in which we may clone, then the clone. An ordinary user needs a
// user namespace for it; root on a machine that forbids those doesn't.
Result<Fd> clone_here(int folder, const std::string& path) {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 && ::unshare(CLONE_NEWNS) < 0) {
    return errno_error("a namespace for the read-only view");
  }
  // Looked up anew: the descriptor we have belongs to the mount of another namespace.
  const Fd own(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!own || !same_folder(own.get(), folder)) {
    return error(Code::Refused, "the state folder was moved");
  }
  Fd clone(static_cast<int>(
      ::syscall(SYS_open_tree, own.get(), "",
                OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE)));
  if (!clone) {
    return errno_error("clone the mount of the state folder");
  }
  mount_attr attributes{};
  attributes.attr_set =
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  if (::syscall(SYS_mount_setattr, clone.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &attributes,
                sizeof attributes) < 0) {
    return errno_error("make the view read-only");
  }
  return clone;
}

}  // namespace

Result<Fd> read_only_clone(int folder, const std::string& path) {
  Result<std::pair<Fd, Fd>> link = packet_pair(false);
  if (!link) {
    return link.failure();
  }
  const pid_t child = ::fork();
  if (child < 0) {
    return errno_error("fork");
  }
  if (child == 0) {
    const Result<Fd> clone = clone_here(folder, path);
    const Status sent = clone
                            ? send_packet(link->second.get(), {}, {clone->get()})
                            : send_packet(link->second.get(), as_bytes(clone.failure().text()), {});
    ::_exit(sent ? 0 : 1);
  }
  link->second.reset();
  Result<Packet> answer = receive_packet(link->first.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answer) {
    return answer.failure();
  }
  if (answer->fds.size() != 1) {
    return error(Code::Unsupported, std::string(as_text(answer->bytes)));
  }
  return std::move(answer->fds.front());
}

}  // namespace rb::brk
