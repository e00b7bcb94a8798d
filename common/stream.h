// stream.h — framed messages (common/frame.h) with a client over a stream socket.   [front, client
// library] Bounded both ways: reading pauses while `waiting_bytes` of answers wait, a frame over
// `message_bytes` or with more than `descriptors` ends the link, and so does a peer that takes
// nothing for `progress_within` although bytes wait, or needs more than `frame_within` for one
// frame. An idle link holds no buffer. Source: docs/PROTOCOL.md §Client links.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "common/bytes.h"
#include "common/clock.h"
#include "common/fd.h"
#include "common/loop.h"
#include "common/result.h"

namespace rb {

struct StreamLimits {
  std::size_t message_bytes;
  std::size_t descriptors;
  std::size_t waiting_bytes;
  Nanos progress_within;
  Nanos frame_within = Nanos(0);  // 0: as long as it likes
};

class StreamLink {
 public:
  using OnFrame = std::function<void(Bytes message, std::vector<Fd> fds)>;
  // Called once, from the loop: the link is closed and no callback follows.
  using OnEnd = std::function<void(const Error&)>;

  // Takes a connected socket and makes it non-blocking.
  StreamLink(Loop& loop, Fd fd, StreamLimits limits, OnFrame on_frame, OnEnd on_end);
  StreamLink(const StreamLink&) = delete;
  StreamLink& operator=(const StreamLink&) = delete;
  StreamLink(StreamLink&&) = delete;
  StreamLink& operator=(StreamLink&&) = delete;
  ~StreamLink();

  void send(ByteView message, std::vector<Fd> fds = {});
  // Sends what waits, then closes (or closes at once after `progress_within`); on_end follows.
  void finish();
  void close();
  [[nodiscard]] bool is_open() const { return fd_.open(); }
  // Bytes the peer hasn't taken yet.
  [[nodiscard]] std::size_t waiting() const { return waiting_; }
  // Descriptors among them.
  [[nodiscard]] std::size_t waiting_fds() const { return waiting_fds_; }
  // Called each time waiting() falls below a quarter of waiting_bytes after having been above it.
  void on_drained(std::function<void()> drained) { drained_ = std::move(drained); }

 private:
  struct Out {
    Bytes bytes;
    std::vector<Fd> fds;
    std::size_t sent = 0;
  };
  void on_readable();
  [[nodiscard]] Status take(ByteView received);
  [[nodiscard]] Status take_frames(ByteView bytes, std::size_t& used);
  [[nodiscard]] Status take_frame(ByteView message, std::size_t descriptors);
  void flush();
  void on_empty();
  void end_later(const Error& why);
  void end(const Error& why);

  Loop& loop_;
  Fd fd_;
  StreamLimits limits_;
  OnFrame on_frame_;
  OnEnd on_end_;
  std::function<void()> drained_;
  Watch reading_;
  Watch writing_;
  Timer progress_;
  Timer frame_;          // runs while a frame has begun and not ended
  Bytes buffer_;         // received, not yet a whole frame
  std::vector<Fd> fds_;  // received, not yet claimed by a frame
  std::deque<Out> queue_;
  std::size_t waiting_ = 0;
  std::size_t waiting_fds_ = 0;
  bool paused_ = false;
  bool finishing_ = false;
  std::shared_ptr<bool> alive_;
};

}  // namespace rb
