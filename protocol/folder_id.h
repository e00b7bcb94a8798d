// folder_id.h — which place a descriptor is, said under the MAC.   [broker, client]
// Descriptors travel beside the bytes that are authenticated: a broken front that holds two could
// exchange them. So the client says what statx tells of its own, and the broker compares. A file
// system that doesn't answer isn't waited for: what the kernel knows already is enough.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <optional>

#include "protocol/front.capnp.h"

namespace rb {

struct PlaceFacts {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  mode_t type = 0;  // S_IFDIR, S_IFREG, ...

  [[nodiscard]] bool is_same(const PlaceFacts& other) const {
    return device == other.device && inode == other.inode;
  }
};

[[nodiscard]] inline std::optional<PlaceFacts> place_facts(int fd) {
  struct statx facts {};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_INO, &facts) < 0) {
    return std::nullopt;
  }
  return PlaceFacts{::makedev(facts.stx_dev_major, facts.stx_dev_minor), facts.stx_ino,
                    static_cast<mode_t>(facts.stx_mode & S_IFMT)};
}

inline void say_place(front::FolderId::Builder into, int fd) {
  if (const auto facts = place_facts(fd)) {
    into.setDevice(facts->device);
    into.setInode(facts->inode);
  }
}

// False for anything but the place that was said.
[[nodiscard]] inline bool is_place(front::FolderId::Reader said, int fd) {
  const auto facts = place_facts(fd);
  return facts && facts->device == said.getDevice() && facts->inode == said.getInode();
}

// As is_place, and a folder.
[[nodiscard]] inline bool is_folder(front::FolderId::Reader said, int fd) {
  const auto facts = place_facts(fd);
  return facts && facts->type == S_IFDIR && is_place(said, fd);
}

}  // namespace rb
