#include "common/stream.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/descriptors.h"
#include "common/frame.h"

namespace rb {
namespace {

constexpr std::size_t kChunk = std::size_t{64} * 1024;

std::uint32_t get32(const std::uint8_t* from) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) {
    value |= static_cast<std::uint32_t>(from[i]) << (8 * i);
  }
  return value;
}

std::vector<int> numbers_of(const std::vector<Fd>& fds) {
  std::vector<int> out;
  out.reserve(fds.size());
  for (const Fd& fd : fds) {
    out.push_back(fd.get());
  }
  return out;
}

}  // namespace

StreamLink::StreamLink(Loop& loop, Fd fd, StreamLimits limits, OnFrame on_frame, OnEnd on_end)
    : loop_(loop),
      fd_(std::move(fd)),
      limits_(limits),
      on_frame_(std::move(on_frame)),
      on_end_(std::move(on_end)),
      alive_(std::make_shared<bool>(true)) {
  const int flags = ::fcntl(fd_.get(), F_GETFL);
  (void)::fcntl(fd_.get(), F_SETFL, flags | O_NONBLOCK);
  reading_ = Watch(loop_, fd_.get(), Watch::For::Reading, [this] { on_readable(); });
  writing_ = Watch(loop_, fd_.get(), Watch::For::Writing, [this] { flush(); });
  writing_.pause();
  progress_ = Timer(loop_, [this] { end(error(Code::Closed, "the peer takes no bytes")); });
  frame_ = Timer(loop_, [this] { end(error(Code::Closed, "the peer doesn't finish a frame")); });
}

StreamLink::~StreamLink() {
  *alive_ = false;
}

void StreamLink::send(ByteView message, std::vector<Fd> fds) {
  if (!is_open() || finishing_) {
    return;
  }
  Out out{to_frame(message, fds.size()), std::move(fds), 0};
  waiting_ += out.bytes.size();
  waiting_fds_ += out.fds.size();
  queue_.push_back(std::move(out));
  if (queue_.size() == 1) {
    progress_.arm(limits_.progress_within);
    flush();
  }
  if (is_open() && waiting_ > limits_.waiting_bytes && !paused_) {
    paused_ = true;
    reading_.pause();
  }
}

void StreamLink::finish() {
  finishing_ = true;
  reading_.pause();
  if (queue_.empty()) {
    end_later(error(Code::Closed, "finished"));
  }
}

void StreamLink::close() {
  reading_ = Watch();
  writing_ = Watch();
  progress_.disarm();
  frame_.disarm();
  queue_.clear();
  fds_.clear();
  buffer_ = Bytes();
  waiting_ = 0;
  waiting_fds_ = 0;
  fd_.reset();
}

void StreamLink::on_readable() {
  // One for all links of the process: a thousand idle ones hold nothing.
  static std::array<std::uint8_t, kChunk> received;
  const std::shared_ptr<bool> alive = alive_;
  const iovec part{received.data(), received.size()};
  const Received in = receive_with(fd_.get(), {&part, 1}, fds_);
  if (in.bytes < 0) {
    if (errno != EAGAIN) {
      end(errno_error("receive"));
    }
    return;
  }
  if (in.fds_lost || fds_.size() > limits_.descriptors) {
    end(error(Code::Invalid, "too many descriptors"));
    return;
  }
  if (in.bytes == 0) {
    end(error(Code::Closed, "the peer closed the connection"));
    return;
  }
  const Status taken = take(ByteView(received.data(), static_cast<std::size_t>(in.bytes)));
  if (!taken && *alive && is_open()) {
    end(taken.failure());
  }
}

// Hands over every whole frame among the bytes received so far and keeps the rest.
Status StreamLink::take(ByteView received) {
  const std::shared_ptr<bool> alive = alive_;
  Bytes joined;
  if (!buffer_.empty()) {
    buffer_.insert(buffer_.end(), received.begin(), received.end());
    const std::size_t whole =
        buffer_.size() < kFrameHead ? kFrameHead : kFrameHead + get32(buffer_.data());
    if (buffer_.size() < whole && whole <= kFrameHead + limits_.message_bytes) {
      return done();  // the common case of a long frame: nothing to look at yet
    }
    joined.swap(buffer_);
    received = joined;
  }
  std::size_t used = 0;
  if (Status taken = take_frames(received, used); !taken || !*alive || !is_open()) {
    return taken;
  }
  buffer_.assign(received.begin() + static_cast<std::ptrdiff_t>(used), received.end());
  if (buffer_.empty()) {
    frame_.disarm();
  } else if (limits_.frame_within > Nanos(0) && (used > 0 || !frame_.armed())) {
    frame_.arm(limits_.frame_within);
  }
  return done();
}

Status StreamLink::take_frames(ByteView bytes, std::size_t& used) {
  const std::shared_ptr<bool> alive = alive_;
  while (bytes.size() - used >= kFrameHead) {
    const ByteView rest = bytes.subspan(used);
    const std::size_t length = get32(rest.data());
    const std::size_t descriptors = get32(rest.data() + 4);
    if (length > limits_.message_bytes || length == 0 || descriptors > limits_.descriptors) {
      return error(Code::Invalid, "frame over a limit");
    }
    if (rest.size() < kFrameHead + length) {
      break;
    }
    used += kFrameHead + length;
    Status taken = take_frame(rest.subspan(kFrameHead, length), descriptors);
    if (!taken || !*alive || !is_open()) {
      return taken;
    }
  }
  return done();
}

Status StreamLink::take_frame(ByteView message, std::size_t descriptors) {
  if (fds_.size() < descriptors) {
    return error(Code::Invalid, "descriptors are missing");
  }
  std::vector<Fd> fds;
  for (std::size_t i = 0; i < descriptors; ++i) {
    fds.push_back(std::move(fds_[i]));
  }
  fds_.erase(fds_.begin(), fds_.begin() + static_cast<std::ptrdiff_t>(descriptors));
  on_frame_(Bytes(message.begin(), message.end()), std::move(fds));
  return done();
}

void StreamLink::flush() {
  while (!queue_.empty()) {
    Out& out = queue_.front();
    const iovec rest{out.bytes.data() + out.sent, out.bytes.size() - out.sent};
    const ssize_t now =
        send_with(fd_.get(), {&rest, 1}, out.sent == 0 ? numbers_of(out.fds) : std::vector<int>{});
    if (now < 0) {
      if (errno == EAGAIN) {
        writing_.resume();
      } else {
        end_later(errno_error("send"));
      }
      return;
    }
    progress_.arm(limits_.progress_within);
    out.sent += static_cast<std::size_t>(now);
    waiting_ -= static_cast<std::size_t>(now);
    waiting_fds_ -= out.fds.size();  // they went with the first byte
    out.fds.clear();
    if (out.sent == out.bytes.size()) {
      queue_.pop_front();
    }
  }
  writing_.pause();
  progress_.disarm();
  on_empty();
}

// The peer has taken everything.
void StreamLink::on_empty() {
  if (finishing_) {
    end_later(error(Code::Closed, "finished"));
    return;
  }
  if (paused_ && waiting_ < limits_.waiting_bytes / 4) {
    paused_ = false;
    reading_.resume();
    if (drained_) {
      drained_();
    }
  }
}

// send() may be deep in a caller that still uses the link: the end comes from the loop.
void StreamLink::end_later(const Error& why) {
  writing_.pause();
  reading_.pause();
  const std::weak_ptr<bool> alive = alive_;
  loop_.post([this, alive, why] {
    if (const std::shared_ptr<bool> living = alive.lock(); living && *living && is_open()) {
      end(why);
    }
  });
}

void StreamLink::end(const Error& why) {
  close();
  if (on_end_) {
    const OnEnd on_end = std::move(on_end_);
    on_end_ = nullptr;
    on_end(why);
  }
}

}  // namespace rb
