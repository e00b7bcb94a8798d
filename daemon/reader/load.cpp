#include "daemon/reader/load.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/bytes.h"
#include "common/folder.h"
#include "common/io.h"
#include "daemon/reader/follow.h"
#include "protocol/limits.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kFolderDepth = 64;
constexpr int kReadTries = 3;  // of a file that changes under the reading

using reader::EntryKind;

bool same_moment(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_ino == b.st_ino;
}

// The sealed memory file while it is being written.
class Content {
 public:
  [[nodiscard]] Status start() {
    file_ = Fd(::memfd_create("runbook", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    return file_ ? done() : Status(errno_error("memfd_create"));
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  // Appends a regular file; TooLarge above `most`, Closed when it kept changing.
  Result<LoadedEntry> append(int fd, std::uint64_t most) {
    for (int tries = 0; tries < kReadTries; ++tries) {
      struct stat before {};
      struct stat after {};
      if (::fstat(fd, &before) < 0 || ::lseek(fd, 0, SEEK_SET) < 0) {
        return errno_error("fstat");
      }
      if (!S_ISREG(before.st_mode)) {
        return error(Code::Invalid, "not a regular file");
      }
      const Result<std::uint64_t> copied = copy(fd, most);
      if (!copied) {
        (void)take_back();
        return copied.failure();
      }
      if (::fstat(fd, &after) == 0 && same_moment(before, after)) {
        LoadedEntry entry;
        entry.kind = EntryKind::FILE;
        entry.mode = before.st_mode & 0777;
        entry.offset = size_;
        entry.length = *copied;
        size_ += *copied;
        return entry;
      }
      if (Status back = take_back(); !back) {
        return back.failure();
      }
    }
    return error(Code::Closed, "changes while it is being read");
  }
  [[nodiscard]] Result<Fd> finish() {
    if (Status sealed = seal_memory(file_.get()); !sealed) {
      return sealed.failure();
    }
    return std::move(file_);
  }

 private:
  // Forgets what was written of a file that isn't whole.
  Status take_back() {
    const bool back = ::ftruncate(file_.get(), static_cast<off_t>(size_)) == 0 &&
                      ::lseek(file_.get(), static_cast<off_t>(size_), SEEK_SET) >= 0;
    return back ? done() : Status(errno_error("ftruncate"));
  }
  Result<std::uint64_t> copy(int fd, std::uint64_t most) {
    std::uint64_t total = 0;
    for (;;) {
      const ssize_t got = ::read(fd, buffer_.data(), buffer_.size());
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got < 0) {
        return errno_error("read");
      }
      if (got == 0) {
        return total;
      }
      total += static_cast<std::uint64_t>(got);
      if (total > most) {
        return error(Code::TooLarge, "larger than " + std::to_string(most) + " bytes");
      }
      const ByteView part(buffer_.data(), static_cast<std::size_t>(got));
      if (Status written = write_all(file_.get(), part); !written) {
        return written.failure();
      }
    }
  }

  Fd file_;
  std::uint64_t size_ = 0;
  Bytes buffer_ = Bytes(256 * 1024);
};

EntryKind kind_of_failure(const Error& failure) {
  switch (failure.code) {
    case Code::TooLarge:
      return EntryKind::TOO_LARGE;
    case Code::Invalid:
      return EntryKind::SPECIAL;
    case Code::NotFound:
      return EntryKind::LINK_BROKEN;
    case Code::System:
    case Code::Refused:
    case Code::Closed:
    case Code::Unsupported:
      break;
  }
  return EntryKind::UNREADABLE;
}

// One pass over the folder finds names, a second one reads the files in the order of their paths.
// Stops with `full_` where a limit is reached.
class Loader {
 public:
  Loader(int folder, const LoadLimits& limits) : folder_(folder), limits_(limits) {}

  void walk() {
    pending_.push_back({"", "", {}});
    while (!pending_.empty() && !full_) {
      const Place place = std::move(pending_.back());
      pending_.pop_back();
      enter(place);
    }
  }

  // What stands at a path that somebody named; missing things get an entry too, and what is too
  // large is said instead of ending everything.
  void add_named(const std::string& path) {
    naming_ = true;
    const Followed end = follow(folder_, path);
    end.state == FollowState::Found ? add_found(path, end) : add(path, kind_of(end.state));
  }

  // Reads what was found. The content is the caller's once `full` is false.
  [[nodiscard]] Status read_files() {
    if (Status started = content_.start(); !started) {
      return started;
    }
    std::sort(found_.begin(), found_.end(),
              [](const Found& a, const Found& b) { return a.entry.path < b.entry.path; });
    for (Found& found : found_) {
      if (full_) {
        break;
      }
      if (found.entry.kind == EntryKind::FILE) {
        read_file(found);
      }
      entries_.push_back(std::move(found.entry));
    }
    return done();
  }

  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] std::vector<LoadedEntry>& entries() { return entries_; }
  [[nodiscard]] Result<Fd> finish() { return content_.finish(); }

 private:
  struct Place {
    std::string shown;                // as paths name it
    std::string real;                 // without links
    std::vector<std::string> inside;  // real folders on the way here: a link to one is a loop
  };
  struct Found {
    LoadedEntry entry;
    std::string real;
  };

  static std::string join(const std::string& folder, const std::string& name) {
    return folder.empty() ? name : folder + "/" + name;
  }
  static EntryKind kind_of(FollowState state) {
    return state == FollowState::Out          ? EntryKind::LINK_OUT
           : state == FollowState::Unreadable ? EntryKind::UNREADABLE
                                              : EntryKind::LINK_BROKEN;
  }
  void add(const std::string& shown, EntryKind kind, const std::string& real = "") {
    path_bytes_ += shown.size();
    files_ += kind == EntryKind::FILE ? 1U : 0U;
    if (found_.size() >= limits_.entries || path_bytes_ > limits_.path_bytes ||
        files_ > limits_.files) {
      full_ = true;
      return;
    }
    Found found;
    found.entry.path = shown;
    found.entry.kind = kind;
    found.real = real;
    found_.push_back(std::move(found));
  }

  void enter(const Place& place) {
    const Result<Fd> opened =
        open_beneath(folder_, place.real.empty() ? "." : place.real, O_RDONLY | O_DIRECTORY);
    Result<std::vector<FolderEntry>> listed =
        opened ? list_folder(opened->get(), limits_.entries)
               : Result<std::vector<FolderEntry>>(opened.failure());
    if (!listed) {
      full_ = listed.failure().code == Code::TooLarge;
      if (!place.shown.empty()) {
        add(place.shown, EntryKind::UNREADABLE);
      }
      return;
    }
    if (!place.shown.empty()) {
      add(place.shown, EntryKind::FOLDER);
    }
    for (const FolderEntry& entry : *listed) {
      if (full_) {
        return;
      }
      if (!is_version_control(entry.name)) {
        visit(place, entry);
      }
    }
  }

  void visit(const Place& place, const FolderEntry& entry) {
    if (!is_utf8(entry.name)) {
      full_ = true;  // it can't be named on the wire, so the folder can't be bound whole
      return;
    }
    const std::string shown = join(place.shown, entry.name);
    const std::string real = join(place.real, entry.name);
    switch (entry.type) {
      case DT_REG:
        add(shown, EntryKind::FILE, real);
        return;
      case DT_DIR:
        push_folder(place, shown, real);
        return;
      case DT_LNK:
      case DT_UNKNOWN:
        visit_link(place, shown, real);
        return;
      default:
        add(shown, EntryKind::SPECIAL);
        return;
    }
  }

  void visit_link(const Place& place, const std::string& shown, const std::string& real) {
    const Followed end = follow(folder_, real);
    if (end.state != FollowState::Found) {
      add(shown, kind_of(end.state));
      return;
    }
    if (!S_ISDIR(end.mode)) {
      add_found(shown, end);
      return;
    }
    const bool loops =
        end.path.empty() || end.path == place.real ||
        std::find(place.inside.begin(), place.inside.end(), end.path) != place.inside.end();
    if (loops) {
      add(shown, EntryKind::FOLDER);
      return;
    }
    push_folder(place, shown, end.path);
  }

  void push_folder(const Place& place, const std::string& shown, const std::string& real) {
    if (place.inside.size() >= kFolderDepth || pending_.size() >= limits_.entries) {
      full_ = true;
      return;
    }
    Place next{shown, real, place.inside};
    next.inside.push_back(place.real);
    pending_.push_back(std::move(next));
  }

  void add_found(const std::string& shown, const Followed& end) {
    const bool file = S_ISREG(end.mode);
    add(shown,
        file                ? EntryKind::FILE
        : S_ISDIR(end.mode) ? EntryKind::FOLDER
                            : EntryKind::SPECIAL,
        file ? end.path : "");
  }

  void read_file(Found& found) {
    const std::uint64_t left = limits_.bytes - content_.size();
    const Result<Fd> fd = open_regular(folder_, found.real, left);
    Result<LoadedEntry> read =
        fd ? content_.append(fd->get(), left) : Result<LoadedEntry>(fd.failure());
    if (!read) {
      found.entry.kind = kind_of_failure(read.failure());
      full_ = found.entry.kind == EntryKind::TOO_LARGE && !naming_;
      return;
    }
    read->path = std::move(found.entry.path);
    found.entry = std::move(*read);
  }

  int folder_;
  LoadLimits limits_;
  Content content_;
  std::vector<Found> found_;
  std::vector<LoadedEntry> entries_;
  std::vector<Place> pending_;
  std::size_t files_ = 0;
  std::size_t path_bytes_ = 0;
  bool full_ = false;
  bool naming_ = false;
};

// The name without "." and empty parts, as entries are named; "" where it isn't one beneath a
// folder.
std::string tidy_name(const std::string& name) {
  if (name.starts_with('/') || name.ends_with('/') || !is_utf8(name) ||
      name.find('\0') != std::string::npos) {
    return "";
  }
  std::string out;
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find('/', at), name.size());
    const std::string part = name.substr(at, end - at);
    at = end + 1;
    if (part == "..") {
      return "";
    }
    if (!part.empty() && part != ".") {
      out += (out.empty() ? "" : "/") + part;
    }
  }
  return out;
}

// The runbook's own file, before anything else: it must be there, regular and not too large.
std::variant<std::string, LoadFailure> find_runbook(int folder, const std::string& name) {
  std::vector<std::string> tried{name};
  if (name.empty()) {
    tried = {"runbook.mdx", "runbook.md"};
  } else if (tried[0] = tidy_name(name); tried[0].empty()) {
    return LoadFailure{"not-found", "a runbook is named by a path within its folder"};
  }
  for (const std::string& one : tried) {
    const Followed end = follow(folder, one);
    if (end.state == FollowState::Unreadable) {
      return LoadFailure{"unreadable", one + " can't be read: permission denied"};
    }
    if (end.state == FollowState::Out) {
      return LoadFailure{"not-a-file", one + " is a link that leads out of its folder"};
    }
    if (end.state == FollowState::Found && !S_ISREG(end.mode)) {
      return LoadFailure{"not-a-file", one + " isn't a regular file"};
    }
    if (end.state == FollowState::Found) {
      const Result<Fd> fd = open_regular(folder, end.path, limits::kRunbookBytes);
      if (!fd) {
        return LoadFailure{fd.failure().code == Code::TooLarge ? "too-large" : "unreadable",
                           fd.failure().text()};
      }
      return one;
    }
  }
  return LoadFailure{"not-found", name.empty()
                                      ? "the folder holds neither runbook.mdx nor runbook.md"
                                      : "there is no " + name};
}

bool has_runbook(const std::vector<LoadedEntry>& entries, const std::string& main) {
  return std::any_of(entries.begin(), entries.end(), [&](const LoadedEntry& entry) {
    return entry.path == main && entry.kind == EntryKind::FILE &&
           entry.length <= limits::kRunbookBytes;
  });
}

LoadFailure machine_failure(const Error& failure) {
  return {"unreadable", failure.text()};
}

std::variant<Loaded, LoadFailure> finish(Loader& loader, const std::string& main, bool bound) {
  Result<Fd> content = loader.finish();
  if (!content) {
    return machine_failure(content.failure());
  }
  if (!has_runbook(loader.entries(), main)) {
    return LoadFailure{"unreadable", main + " changed while the folder was being read"};
  }
  return Loaded{main, std::move(loader.entries()), std::move(*content), bound};
}

}  // namespace

LoadLimits default_load_limits() {
  return {limits::kTreeBytes, limits::kTreeFiles, 2 * limits::kTreeFiles, std::size_t{2} << 20};
}

bool is_version_control(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames = {".git", ".hg",    ".svn",   ".bzr",
                                                      ".jj",  "_darcs", ".pijul", "CVS"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::variant<Loaded, LoadFailure> load_folder(int folder, const std::string& name,
                                              const std::vector<std::string>& only,
                                              const LoadLimits& limits) {
  std::variant<std::string, LoadFailure> found = find_runbook(folder, name);
  if (auto* failure = std::get_if<LoadFailure>(&found)) {
    return std::move(*failure);
  }
  const std::string main = std::get<std::string>(found);
  if (only.empty()) {
    Loader whole(folder, limits);
    whole.walk();
    if (Status read = whole.full() ? done() : whole.read_files(); !read) {
      return machine_failure(read.failure());
    }
    if (!whole.full()) {
      return finish(whole, main, true);
    }
  }
  Loader few(folder, limits);
  std::vector<std::string> names{main};
  for (const std::string& one : only) {
    names.push_back(tidy_name(one));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& one : names) {
    if (!one.empty()) {
      few.add_named(one);
    }
  }
  if (Status read = few.read_files(); !read) {
    return machine_failure(read.failure());
  }
  return finish(few, main, false);
}

}  // namespace rb::rdr
