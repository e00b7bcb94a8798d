// folder_id.h — which folder a descriptor is, said under the MAC.   [broker, client]
// Descriptors travel beside the bytes that are authenticated: a broken front that holds two could
// exchange them. So the client says what fstat tells of its own, and the broker compares.
#pragma once

#include <sys/stat.h>

#include "protocol/front.capnp.h"

namespace rb {

inline void say_folder(front::FolderId::Builder into, int folder) {
  struct stat facts {};
  if (::fstat(folder, &facts) == 0) {
    into.setDevice(facts.st_dev);
    into.setInode(facts.st_ino);
  }
}

// False for anything but the folder that was said.
[[nodiscard]] inline bool is_folder(front::FolderId::Reader said, int folder) {
  struct stat facts {};
  return ::fstat(folder, &facts) == 0 && S_ISDIR(facts.st_mode) &&
         said.getDevice() == facts.st_dev && said.getInode() == facts.st_ino;
}

}  // namespace rb
