#include "client/lib/output.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace rb::client {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPiece = 256 * 1024;
constexpr int kPiecesATurn = 8;       // then signals and messages have their turn
constexpr Nanos kLookEvery = 10ms;    // while it grows
constexpr Nanos kLookAnyway = 250ms;  // a hint may be lost

}  // namespace

OutputFollower::OutputFollower(Loop& loop, Fd file, std::uint64_t offset, Out& out, Sink sink)
    : loop_(loop),
      file_(std::move(file)),
      offset_(offset),
      out_(out),
      sink_(std::move(sink)),
      buffer_(kPiece),
      pace_(loop_, [this] { turn(); }) {
  out_.on_drained([this] { pace_.arm(0ns); });
  pace_.arm(kLookAnyway);
}

OutputFollower::~OutputFollower() {
  out_.on_drained(nullptr);
}

void OutputFollower::grew() {
  const Nanos since = boot_now() - looked_;
  pace_.arm(since >= kLookEvery ? 0ns : kLookEvery - since);
}

void OutputFollower::finish(std::uint64_t length, OnEnd on_end) {
  length_ = length;
  on_end_ = std::move(on_end);
  pace_.arm(0ns);
}

std::size_t OutputFollower::wanted() const {
  const std::uint64_t left = length_ ? *length_ - std::min(*length_, offset_) : kPiece;
  return static_cast<std::size_t>(std::min<std::uint64_t>(left, kPiece));
}

void OutputFollower::turn() {
  looked_ = boot_now();
  for (int pieces = 0; pieces < kPiecesATurn; ++pieces) {
    if (!out_.drained()) {
      return;  // on_drained goes on
    }
    const std::size_t most = wanted();
    const ssize_t got =
        most == 0 ? 0 : ::pread(file_.get(), buffer_.data(), most, static_cast<off_t>(offset_));
    if (got < 0 && errno != EINTR) {
      end(errno_error("read the output"));
      return;
    }
    if (got == 0 && length_) {
      end(offset_ >= *length_
              ? done()
              : Status(error(Code::Invalid, "the output is shorter than recorded")));
      return;
    }
    if (got == 0) {
      pace_.arm(kLookAnyway);
      return;
    }
    if (got > 0) {
      const std::uint64_t at = offset_;
      offset_ += static_cast<std::uint64_t>(got);
      sink_(at, ByteView(buffer_).first(static_cast<std::size_t>(got)));
    }
  }
  pace_.arm(0ns);
}

void OutputFollower::end(Status status) {
  pace_.disarm();
  if (on_end_) {
    const OnEnd on_end = std::move(on_end_);
    on_end_ = nullptr;
    on_end(std::move(status));
  }
}

}  // namespace rb::client
