#include "daemon/reader/follow.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <vector>

#include "common/folder.h"
#include "daemon/reader/load.h"

namespace rb::rdr {
namespace {

constexpr int kLinksAtMost = 40;  // as the kernel's own
constexpr std::size_t kPartsAtMost = 256;

// Pushes a path's parts so that the first comes off first; false for an absolute one.
bool push_parts(const std::string& path, std::vector<std::string>& todo) {
  if (path.starts_with('/')) {
    return false;
  }
  std::size_t end = path.size();
  for (;;) {
    const std::size_t slash = end == 0 ? std::string::npos : path.rfind('/', end - 1);
    const std::size_t from = slash == std::string::npos ? 0 : slash + 1;
    if (end > from) {
      todo.push_back(path.substr(from, end - from));
    }
    if (slash == std::string::npos) {
      return true;
    }
    end = slash;
  }
}

class Walk {
 public:
  Walk(int folder, const std::string& path) : folder_(folder) {
    if (path.find('\0') != std::string::npos) {
      out_.state = FollowState::Broken;
      failed_ = true;
    } else if (!push_parts(path, todo_)) {
      stop(FollowState::Out);
    }
  }

  Followed run() {
    while (!failed_ && !todo_.empty()) {
      if (todo_.size() > kPartsAtMost || done_.size() > kPartsAtMost) {
        stop(FollowState::Broken);
        break;
      }
      const std::string part = std::move(todo_.back());
      todo_.pop_back();
      step(part);
    }
    if (!failed_) {
      finish();
    }
    return out_;
  }

 private:
  void stop(FollowState state) {
    out_.state = state;
    failed_ = true;
  }
  [[nodiscard]] std::string here(const std::string& part) const {
    std::string out;
    for (const std::string& one : done_) {
      out += one + "/";
    }
    return out + part;
  }

  void step(const std::string& part) {
    if (part == ".") {
      return;
    }
    if (part == "..") {
      if (done_.empty()) {
        stop(FollowState::Out);
        return;
      }
      done_.pop_back();
      return;
    }
    if (is_version_control(part)) {
      stop(FollowState::Broken);
      return;
    }
    const std::string path = here(part);
    const Result<Fd> fd = open_beneath(folder_, path, O_PATH | O_NOFOLLOW);
    struct stat facts {};
    if (!fd || ::fstat(fd->get(), &facts) < 0) {
      const bool refused = !fd && (fd.failure().errnum == EACCES || fd.failure().errnum == EPERM);
      stop(refused ? FollowState::Unreadable : FollowState::Broken);
      return;
    }
    if (S_ISLNK(facts.st_mode)) {
      enter_link(fd->get());
      return;
    }
    if (!todo_.empty() && !S_ISDIR(facts.st_mode)) {
      stop(FollowState::Broken);
      return;
    }
    done_.push_back(part);
    out_.mode = facts.st_mode;
  }

  void enter_link(int link) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlinkat(link, "", target.data(), target.size());
    if (length <= 0 || static_cast<std::size_t>(length) == target.size() ||
        ++links_ > kLinksAtMost) {
      stop(FollowState::Broken);
      return;
    }
    if (!push_parts(std::string(target.data(), static_cast<std::size_t>(length)), todo_)) {
      stop(FollowState::Out);
    }
  }

  void finish() {
    out_.state = FollowState::Found;
    for (const std::string& part : done_) {
      out_.path += (out_.path.empty() ? "" : "/") + part;
    }
    // After a "..", the mode of the last part isn't known yet.
    const Result<Fd> fd = open_beneath(folder_, done_.empty() ? "." : out_.path, O_PATH);
    struct stat facts {};
    if (!fd || ::fstat(fd->get(), &facts) < 0) {
      out_.state = FollowState::Broken;
      return;
    }
    out_.mode = facts.st_mode;
  }

  int folder_;
  std::vector<std::string> todo_;  // the next part last
  std::vector<std::string> done_;
  int links_ = 0;
  bool failed_ = false;
  Followed out_;
};

}  // namespace

Followed follow(int folder, const std::string& path) {
  return Walk(folder, path).run();
}

}  // namespace rb::rdr
