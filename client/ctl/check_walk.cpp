#include "client/ctl/check_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

#include "common/folder.h"

namespace rb::ctl {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kMostEntries = 200'000;  // of one folder

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_document(const std::string& name) {
  return ends_with(name, ".md") || ends_with(name, ".mdx");
}

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + "/" + name;
}

bool has(const std::vector<FolderEntry>& entries, std::string_view name) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const FolderEntry& entry) { return entry.name == name; });
}

// Of an entry whose kind the file system keeps to itself, or of a link.
unsigned char kind_of(const std::string& path, const FolderEntry& entry) {
  if (entry.type != DT_UNKNOWN) {
    return entry.type;
  }
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) < 0) {
    return DT_UNKNOWN;
  }
  return S_ISDIR(facts.st_mode) ? DT_DIR : S_ISREG(facts.st_mode) ? DT_REG : DT_LNK;
}

Status walk(const std::string& folder, int depth, std::vector<Candidate>& into) {
  const Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return errno_error(folder);
  }
  const Result<std::vector<FolderEntry>> entries = list_folder(fd.get(), kMostEntries);
  if (!entries) {
    return within(folder, entries.failure());
  }
  const std::string only = has(*entries, "runbook.mdx")  ? "runbook.mdx"
                           : has(*entries, "runbook.md") ? "runbook.md"
                                                         : "";
  for (const FolderEntry& entry : *entries) {
    if (entry.name[0] == '.' || entry.name == "node_modules") {
      continue;
    }
    const std::string path = joined(folder, entry.name);
    if (kind_of(path, entry) == DT_DIR) {
      if (Status below = depth < kDeepest ? walk(path, depth + 1, into) : done(); !below) {
        return below;
      }
    } else if (only.empty() ? is_document(entry.name) : entry.name == only) {
      into.push_back({path, folder, entry.name});
    }
  }
  return done();
}

}  // namespace

Status find_runbooks(const std::string& path, std::vector<Candidate>& into) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) < 0) {
    Error failure = errno_error(path.empty() ? "an empty path" : path);
    failure.code =
        failure.errnum == ENOENT || failure.errnum == ENOTDIR ? Code::NotFound : Code::System;
    return failure;
  }
  if (S_ISDIR(facts.st_mode)) {
    return walk(path, 0, into);
  }
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : path.substr(0, slash);
  into.push_back({path, folder, slash == std::string::npos ? path : path.substr(slash + 1)});
  return done();
}

}  // namespace rb::ctl
