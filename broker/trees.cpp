#include "broker/trees.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "common/folder.h"
#include "common/io.h"
#include "common/seal.h"
#include "protocol/limits.h"

namespace rb::brk {
namespace {

// Every folder of the tree ("" is its root) with the number of names in it.
std::map<std::string, std::size_t> folders_of(const Tree& tree) {
  std::map<std::string, std::size_t> out{{"", 0}};
  const auto add = [&out](const std::string& folder, const auto& self) -> void {
    if (out.contains(folder)) {
      return;
    }
    const std::size_t slash = folder.rfind('/');
    const std::string above = slash == std::string::npos ? "" : folder.substr(0, slash);
    self(above, self);
    out[folder] = 0;
    ++out[above];
  };
  for (const TreeEntry& entry : tree.entries) {
    const std::size_t slash = entry.path.rfind('/');
    const std::string above = slash == std::string::npos ? "" : entry.path.substr(0, slash);
    add(entry.folder ? entry.path : above, add);
    if (!entry.folder) {
      ++out[above];
    }
  }
  return out;
}

ByteView bytes_of(const TreeEntry& entry, ByteView content) {
  return content.subspan(entry.offset, entry.length);
}

bool same_file(int folder, const TreeEntry& entry, ByteView content) {
  const Result<Fd> file = open_regular(folder, entry.path, entry.length);
  if (!file) {
    return false;
  }
  struct stat facts {};
  if (::fstat(file->get(), &facts) < 0 ||
      static_cast<std::uint64_t>(facts.st_size) != entry.length ||
      ((facts.st_mode & 0100) != 0) != entry.executable || (facts.st_mode & 0222) != 0) {
    return false;
  }
  constexpr std::size_t kPiece = 256 * 1024;
  const ByteView wanted = bytes_of(entry, content);
  for (std::size_t at = 0; at < wanted.size(); at += kPiece) {
    const std::size_t length = std::min(kPiece, wanted.size() - at);
    const Result<Bytes> got = read_at(file->get(), at, length);
    if (!got || !std::equal(got->begin(), got->end(), wanted.begin() + static_cast<long>(at))) {
      return false;
    }
  }
  return true;
}

bool is_right(int folder, const Tree& tree, ByteView content) {
  for (const auto& [path, names] : folders_of(tree)) {
    const Result<Fd> one = open_beneath(folder, path.empty() ? "." : path, O_RDONLY | O_DIRECTORY);
    if (!one) {
      return false;
    }
    const auto listed = list_folder(one->get(), names);
    if (!listed || listed->size() != names) {
      return false;
    }
  }
  return std::all_of(tree.entries.begin(), tree.entries.end(), [&](const TreeEntry& entry) {
    return entry.folder || same_file(folder, entry, content);
  });
}

Status write_tree(int folder, const Tree& tree, ByteView content) {
  for (const auto& [path, names] : folders_of(tree)) {  // sorted: a folder comes after its parent
    if (!path.empty() && ::mkdirat(folder, path.c_str(), 0700) < 0) {
      return errno_error("seal the folder " + path);
    }
  }
  for (const TreeEntry& entry : tree.entries) {
    if (entry.folder) {
      continue;
    }
    const unsigned mode = entry.executable ? 0500 : 0400;
    Result<Fd> file =
        open_beneath(folder, entry.path, O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, mode);
    if (!file) {
      return file.failure();
    }
    if (Status written = write_all(file->get(), bytes_of(entry, content)); !written) {
      return within("seal " + entry.path, written.failure());
    }
  }
  return done();
}

std::string aside(const char* kind) {
  std::array<std::uint8_t, 8> random{};
  seal::random(random);
  return std::string(".") + kind + "-" + to_hex(random);
}

}  // namespace

void sweep_trees(int trees) {
  const auto listed = list_folder(trees, SIZE_MAX);
  for (const FolderEntry& entry : listed ? *listed : std::vector<FolderEntry>()) {
    if (entry.name.starts_with(".new-")) {
      std::error_code ignored;
      std::filesystem::remove_all("/proc/self/fd/" + std::to_string(trees) + "/" + entry.name,
                                  ignored);
    }
  }
}

Result<SealedTree> seal_tree(int trees, const Tree& tree, ByteView content) {
  const std::string name = tree.digest.hex();
  Result<Fd> there = open_beneath(trees, name, O_RDONLY | O_DIRECTORY);
  if (there && is_right(there->get(), tree, content)) {
    return SealedTree{std::move(*there), false};
  }
  const std::string temporary = aside("new");
  Result<Fd> folder = make_folder(trees, temporary);
  if (!folder) {
    return folder.failure();
  }
  if (Status written = write_tree(folder->get(), tree, content); !written) {
    return written.failure();
  }
  if (there && ::renameat(trees, name.c_str(), trees, aside("bad").c_str()) < 0) {
    return errno_error("put a damaged copy aside");
  }
  if (::renameat(trees, temporary.c_str(), trees, name.c_str()) < 0) {
    return errno_error("keep the sealed copy");
  }
  return SealedTree{std::move(*folder), !there.ok()};
}

}  // namespace rb::brk
