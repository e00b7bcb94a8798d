#include "client/lib/out.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "common/io.h"

namespace rb::client {
namespace {

constexpr std::size_t kUnlimited = std::size_t{1} << 30;

// A pipe that is writable takes PIPE_BUF bytes at once; files and /dev/null never wait.
std::size_t chunk_of(int fd) {
  struct stat facts {};
  if (::fstat(fd, &facts) < 0 || S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode)) {
    return PIPE_BUF;
  }
  return ::isatty(fd) == 1 ? 1024 : kUnlimited;
}

bool writable(int fd) {
  pollfd one{fd, POLLOUT, 0};
  return ::poll(&one, 1, 0) > 0;
}

}  // namespace

Out::Out(Loop& loop, int fd) : loop_(loop), fd_(fd), chunk_(chunk_of(fd)) {}

void Out::push(std::string_view bytes) {
  if (!health_) {
    return;
  }
  if (!waiting_.empty()) {
    waiting_ += bytes;
    return;
  }
  const std::size_t wrote = write_some(bytes);
  if (health_ && wrote < bytes.size()) {
    waiting_ = bytes.substr(wrote);
    if (watch_.active()) {
      watch_.resume();
    } else {
      watch_ = Watch(loop_, fd_, Watch::For::Writing, [this] { on_writable(); });
    }
  }
}

std::size_t Out::write_some(std::string_view bytes) {
  std::size_t done_bytes = 0;
  while (done_bytes < bytes.size() && (chunk_ == kUnlimited || writable(fd_))) {
    const std::size_t most = std::min(chunk_, bytes.size() - done_bytes);
    const ssize_t wrote = ::write(fd_, bytes.data() + done_bytes, most);
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0 && errno == EAGAIN) {
      break;
    }
    if (wrote < 0) {
      health_ = errno_error("write to standard output");
      break;
    }
    done_bytes += static_cast<std::size_t>(wrote);
  }
  return done_bytes;
}

void Out::on_writable() {
  const std::size_t wrote = write_some(waiting_);
  waiting_.erase(0, wrote);
  if (!health_) {
    waiting_.clear();
  }
  if (waiting_.empty()) {
    watch_.pause();
    if (on_drained_) {
      on_drained_();
    }
  }
}

void Out::flush() {
  while (!waiting_.empty() && health_) {
    pollfd one{fd_, POLLOUT, 0};
    (void)::poll(&one, 1, -1);
    waiting_.erase(0, write_some(waiting_));
  }
  if (watch_.active()) {
    watch_.pause();
  }
}

}  // namespace rb::client
