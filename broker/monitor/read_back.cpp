#include "broker/monitor/read_back.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "common/clock.h"
#include "common/folder.h"
#include "common/json_writer.h"

namespace rb::mon {
namespace {

constexpr std::uint64_t kOutputsBytes = std::uint64_t{1} << 20;
constexpr std::size_t kEntries = 5000;  // of $GENERATED_FILES, folders included
constexpr std::uint64_t kGeneratedBytes = std::uint64_t{256} << 20;
constexpr std::size_t kListBytes = std::size_t{4} << 20;
constexpr int kDepth = 32;
constexpr Nanos kWithin = std::chrono::seconds(10);

std::string_view kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return "a file";
    case S_IFDIR:
      return "a folder";
    case S_IFLNK:
      return "a link";
    case S_IFIFO:
      return "a FIFO";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

void note(Left& left, const std::string& text) {
  left.note += (left.note.empty() ? "" : "; ") + text;
  left.note.resize(std::min(left.note.size(), kLeftNoteBytes));
}

std::string reason(const Error& why) {
  return why.errnum == EXDEV ? "a mount" : why.errnum != 0 ? std::strerror(why.errnum) : why.what;
}

// What is at `name`, looked at without opening it.
Result<Fd> look(int folder, const std::string& name, struct stat& facts) {
  Result<Fd> place = open_beneath(folder, name, O_PATH | O_NOFOLLOW, Links::RefuseAndMounts);
  if (place && ::fstat(place->get(), &facts) < 0) {
    return errno_error("fstat");
  }
  return place;
}

// The very file that was looked at, whatever its name leads to by now.
Fd reopen(const Fd& place, int flags) {
  const std::string link = "/proc/self/fd/" + std::to_string(place.get());
  return Fd(::open(link.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

bool same_times(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_ctim.tv_sec == b.st_ctim.tv_sec &&
         a.st_ctim.tv_nsec == b.st_ctim.tv_nsec;
}

struct Bounds {
  std::uint64_t bytes;
  Nanos until;
};

std::string too_large(const Bounds& bounds) {
  return "larger than the " + std::to_string(bounds.bytes) + " bytes that may be read";
}

using Use = std::function<void(ByteView)>;

// Up to the end of the file: "" with the number of its bytes, or why not so far.
std::string read_to_end(const Fd& file, const Bounds& bounds, const Use& use,
                        std::uint64_t& total) {
  Bytes chunk(64 * 1024);
  for (;;) {
    const ssize_t got = ::pread(file.get(), chunk.data(), chunk.size(), static_cast<off_t>(total));
    if (got == 0) {
      return "";
    }
    if (got < 0 && errno != EINTR) {
      return std::strerror(errno);
    }
    total += static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
    if (total > bounds.bytes) {
      return too_large(bounds);
    }
    if (boot_now() > bounds.until) {
      return "reading took too long";
    }
    use(ByteView(chunk.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))));
  }
}

// Gives all bytes of a regular file to `use`. "" or why that is impossible; then what `use` got is
// no whole file.
std::string read_file(const Fd& place, const struct stat& facts, const Bounds& bounds,
                      const Use& use) {
  if (!S_ISREG(facts.st_mode)) {
    return std::string(kind_of(facts.st_mode));
  }
  if (static_cast<std::uint64_t>(facts.st_size) > bounds.bytes) {
    return too_large(bounds);
  }
  const Fd file = reopen(place, O_RDONLY);
  if (!file) {
    return std::strerror(errno);
  }
  std::uint64_t total = 0;
  if (std::string why = read_to_end(file, bounds, use, total); !why.empty()) {
    return why;
  }
  struct stat after {};
  const bool whole = ::fstat(file.get(), &after) == 0 && same_times(facts, after) &&
                     total == static_cast<std::uint64_t>(facts.st_size);
  return whole ? "" : "it was being written";
}

// $GENERATED_FILES as lines of JSON, each folder's names in order.
class Listing {
 public:
  explicit Listing(Left& left) : left_(left) {}

  void folder(int fd, const std::string& path, int depth);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void entry(int parent, const std::string& name, const std::string& path, int depth);
  void file(const Fd& place, const struct stat& facts, const std::string& path);
  void unread(const std::string& path, const std::string& why);
  [[nodiscard]] bool full();

  Left& left_;
  std::string text_;
  std::size_t seen_ = 0;
  bool full_ = false;
  Nanos until_ = boot_now() + kWithin;
};

bool Listing::full() {
  if (!full_ && (seen_ >= kEntries || text_.size() >= kListBytes || boot_now() > until_)) {
    full_ = true;
    note(left_, "the list of generated files isn't whole");
  }
  return full_;
}

void Listing::unread(const std::string& path, const std::string& why) {
  JsonWriter line;
  line.begin_object().field("path", as_bytes(path)).field("unread", why).end_object();
  text_ += line.take() + "\n";
  ++left_.unread;
}

void Listing::file(const Fd& place, const struct stat& facts, const std::string& path) {
  Hasher hasher;
  const std::string why = read_file(place, facts, {kGeneratedBytes - left_.files_bytes, until_},
                                    [&](ByteView bytes) { hasher.add(bytes); });
  if (!why.empty()) {
    unread(path, why);
    return;
  }
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  JsonWriter line;
  line.begin_object().field("path", as_bytes(path)).field("bytes", bytes);
  line.field("sha256", hasher.digest().hex()).end_object();
  text_ += line.take() + "\n";
  ++left_.files;
  left_.files_bytes += bytes;
}

void Listing::entry(int parent, const std::string& name, const std::string& path, int depth) {
  struct stat facts {};
  const Result<Fd> place = look(parent, name, facts);
  if (!place) {
    unread(path, reason(place.failure()));
  } else if (!S_ISDIR(facts.st_mode)) {
    file(*place, facts, path);
  } else if (depth == kDepth) {
    unread(path, "folders are nested too deeply");
  } else if (const Fd opened = reopen(*place, O_RDONLY | O_DIRECTORY); opened) {
    folder(opened.get(), path + "/", depth + 1);
  } else {
    unread(path, std::strerror(errno));
  }
}

void Listing::folder(int fd, const std::string& path, int depth) {
  const auto names = list_folder(fd, kEntries);
  if (!names) {
    unread(path.empty() ? "." : path.substr(0, path.size() - 1), reason(names.failure()));
    return;
  }
  for (const FolderEntry& one : *names) {
    if (full()) {
      return;
    }
    ++seen_;
    entry(fd, one.name, path + one.name, depth);
  }
}

void keep(int folder, const char* name, std::string_view text, Digest& digest, Left& left) {
  if (Status kept = replace_file(folder, name, text); !kept) {
    note(left, std::string(name) + " can't be kept: " + reason(kept.failure()));
    return;
  }
  digest = sha256(as_bytes(text));
}

void read_outputs(const Leavings& from, Left& left) {
  struct stat facts {};
  const Result<Fd> place = look(from.results, kResultsFile, facts);
  if (!place) {
    if (place.failure().code != Code::NotFound) {
      note(left, "outputs aren't read: " + reason(place.failure()));
    }
    return;
  }
  std::string text;
  const std::string why = read_file(*place, facts, {kOutputsBytes, boot_now() + kWithin},
                                    [&](ByteView bytes) { text += as_text(bytes); });
  if (!why.empty()) {
    note(left, "outputs aren't read: " + why);
  } else if (!text.empty()) {
    const std::string kept = without_sensitive(text);
    keep(from.folder, "outputs", kept, left.outputs_sha256, left);
    left.outputs_bytes = left.outputs_sha256 == Digest{} ? 0 : kept.size();
  }
}

}  // namespace

bool left_anything(const Leavings& from) {
  struct stat facts {};
  const bool outputs = from.results >= 0 &&
                       ::fstatat(from.results, kResultsFile, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                       (!S_ISREG(facts.st_mode) || facts.st_size > 0);
  return outputs || (from.generated >= 0 && !list_folder(from.generated, 0));
}

Left read_back(const Leavings& from, bool passed) {
  Left left;
  if (from.generated >= 0) {
    Listing listing(left);
    listing.folder(from.generated, "", 0);
    if (!listing.text().empty()) {
      keep(from.folder, "generated.jsonl", listing.text(), left.list_sha256, left);
    }
  }
  if (from.results >= 0 && passed) {
    read_outputs(from, left);
  }
  // In `host` it lies on the disk, with what must not stay there.
  (void)::unlinkat(from.results, kResultsFile, 0);
  (void)::unlinkat(from.folder, kResultsName, AT_REMOVEDIR);
  return left;
}

std::string without_sensitive(std::string_view text) {
  constexpr std::string_view kMark = "sensitive:";
  constexpr std::string_view kBlanks = " \t\r\v\f";
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t start = std::min(line.find_first_not_of(kBlanks), line.size());
    if (line.substr(start, kMark.size()) == kMark) {
      const std::size_t equals = line.find('=');
      out += std::string(equals == std::string_view::npos ? kMark : line.substr(0, equals + 1)) +
             "[secret]";
    } else {
      out += line;
    }
    out += end == std::string_view::npos ? "" : "\n";
  }
  return out;
}

}  // namespace rb::mon
