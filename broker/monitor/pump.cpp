#include "broker/monitor/pump.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "common/io.h"

namespace rb::mon {
namespace {

constexpr int kPipeBytes = 256 * 1024;
constexpr std::size_t kNearlyFull = 192UL * 1024;
constexpr unsigned kHurry = 256;
constexpr std::uint32_t kScript = 0;
constexpr std::uint32_t kNote = 3;
// What can lie in a pipe that a script has made larger; and how long silence is listened to.
constexpr std::size_t kMostLeft = 4UL << 20;
constexpr Nanos kMostWaiting = std::chrono::seconds(1);

void put(std::uint8_t* to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    to[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

}  // namespace

Result<std::pair<Fd, Fd>> Pump::make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) < 0) {
    return errno_error("pipe");
  }
  std::pair<Fd, Fd> out{Fd(ends[0]), Fd(ends[1])};
  (void)::fcntl(ends[0], F_SETPIPE_SZ, kPipeBytes);  // beyond the user's share it stays smaller
  if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
    return errno_error("fcntl");
  }
  return out;
}

Pump::Pump(Fd output, Fd index, std::uint64_t cap)
    : output_(std::move(output)),
      index_(std::move(index)),
      cap_(cap),
      hashing_(std::make_unique<Hashing>()) {}

void Pump::append(ByteView bytes, std::uint32_t stream) {
  std::array<std::uint8_t, 24> record{};
  put(record.data(), length_, 8);
  put(record.data() + 8, static_cast<std::uint64_t>(boot_now().count()), 8);
  put(record.data() + 16, stream, 4);
  put(record.data() + 20, bytes.size(), 4);
  if (Status written = write_all(index_.get(), record); !written) {
    broken_ = written.failure().errnum;
    return;
  }
  if (Status written = write_all(output_.get(), bytes); !written) {
    broken_ = written.failure().errnum;
    return;
  }
  mid_line_ = bytes.back() != '\n';
  hashing_->add(bytes.size());
  length_ += bytes.size();
}

Pump::Got Pump::turn() {
  if (!source_) {
    return Got::Nothing;
  }
  const std::span<std::uint8_t> room = hashing_->room();
  const ssize_t got = ::read(source_.get(), room.data(), room.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return Got::Nothing;
  }
  if (got <= 0) {  // a terminal without its other side answers EIO
    source_.reset();
    return Got::End;
  }
  last_ = static_cast<std::size_t>(got);
  hurry_ = last_ >= kNearlyFull ? kHurry : hurry_ - (hurry_ > 0 ? 1 : 0);
  const std::uint64_t left = full_ ? 0 : cap_ - length_;
  const std::size_t kept = static_cast<std::size_t>(std::min<std::uint64_t>(last_, left));
  if (kept > 0 && broken_ == 0) {
    append(room.first(kept), kScript);
  }
  if (broken_ != 0) {
    return Got::Broken;
  }
  if (kept < last_) {
    if (!std::exchange(full_, true)) {
      note("the output limit of " + std::to_string(cap_) +
           " bytes is reached: what follows isn't kept");
    }
    return Got::Full;
  }
  return Got::Some;
}

Nanos Pump::pause() const {
  if (last_ >= kNearlyFull / 2) {
    return Nanos(0);
  }
  return hurry_ > 0 ? std::chrono::microseconds(100) : std::chrono::milliseconds(1);
}

bool Pump::drain() {
  constexpr int kTerminalMillis = 50;  // a terminal hands its last bytes over by a kernel worker
  const Nanos give_up = boot_now() + kMostWaiting;
  for (std::size_t drained = 0; source_ && drained <= kMostLeft;) {
    last_ = 0;
    const Got got = turn();
    drained += last_;
    if (got == Got::Nothing) {
      pollfd wait{source_.get(), POLLIN, 0};
      if (::poll(&wait, 1, kTerminalMillis) <= 0) {
        source_.reset();
      } else if (boot_now() > give_up) {
        break;
      }
    }
  }
  const bool whole = !source_;
  source_.reset();  // what comes now comes too late
  return whole;
}

void Pump::note(std::string_view text) {
  const std::string line =
      (mid_line_ ? "\n[runbookd: " : "[runbookd: ") + std::string(text) + "]\n";
  const std::span<std::uint8_t> room = hashing_->room();
  std::copy(line.begin(), line.end(), room.begin());
  if (broken_ == 0) {
    append(room.first(line.size()), kNote);
  }
}

Status Pump::sync() const {
  if (length_ == 0) {
    return done();
  }
  return ::fdatasync(output_.get()) < 0 ? Status(errno_error("sync")) : done();
}

}  // namespace rb::mon
