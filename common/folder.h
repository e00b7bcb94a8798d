// folder.h — opening what lies beneath a folder, and nothing else.   [every process]
// Every path is resolved by the kernel (openat2: beneath, no magic links), never by us; opening
// never blocks (a FIFO answers at once) and never follows a link unless `links` says so.
// Where openat2 isn't there (ENOSYS) the answer is Unsupported: never a weaker way.
// Source: docs/ARCHITECTURE.md §Files; threats 33 to 36.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace rb {

// RefuseAndMounts: another file system's mount ends the path too.
enum class Links { Refuse, FollowBeneath, RefuseAndMounts };

// `path` is `folder` or lies beneath it; both absolute and clean. Nothing lies beneath "".
[[nodiscard]] bool is_beneath(std::string_view path, std::string_view folder);

// Opens `path` (relative; "." is the folder itself) beneath `folder`. O_CLOEXEC, O_NOCTTY and
// O_NONBLOCK are added. `mode` counts with O_CREAT only.
[[nodiscard]] Result<Fd> open_beneath(int folder, const std::string& path, int flags,
                                      Links links = Links::Refuse, unsigned mode = 0);

// As open_beneath for reading, but only a regular file of at most `most` bytes will do.
[[nodiscard]] Result<Fd> open_regular(int folder, const std::string& path, std::uint64_t most,
                                      Links links = Links::Refuse);

// Makes `path` one level below `folder` if it isn't there, and opens it (O_PATH free, read-only).
[[nodiscard]] Result<Fd> make_folder(int folder, const std::string& name, unsigned mode = 0700);

struct FolderEntry {
  std::string name;
  unsigned char type =
      0;  // DT_REG, DT_DIR, DT_LNK, ...; DT_UNKNOWN where the file system is silent
};
// Names in a folder, without "." and "..", sorted bytewise; TooLarge above `most` entries.
[[nodiscard]] Result<std::vector<FolderEntry>> list_folder(int folder, std::size_t most);

// Writes a file whole: temporary name in the same folder, sync, rename, folder sync.
[[nodiscard]] Status replace_file(int folder, const std::string& name, std::string_view content,
                                  unsigned mode = 0600);

}  // namespace rb
