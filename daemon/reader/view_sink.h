// view_sink.h — where a view is written.   [reader, view mode]
// Buffered; the first failure stays and finish() tells it. The descriptor is the caller's.
#pragma once

#include <string>
#include <string_view>

#include "common/bytes.h"
#include "common/io.h"
#include "common/result.h"

namespace rb::rdr {

class Sink {
 public:
  explicit Sink(int fd) : fd_(fd) {}

  Sink& put(std::string_view text) {
    waiting_ += text;
    if (waiting_.size() >= kChunkBytes) {
      flush();
    }
    return *this;
  }
  [[nodiscard]] Status finish() {
    flush();
    return status_;
  }

 private:
  static constexpr std::size_t kChunkBytes = std::size_t{64} << 10;

  void flush() {
    if (status_.ok()) {
      status_ = write_all(fd_, as_bytes(waiting_));
    }
    waiting_.clear();
  }

  int fd_;
  std::string waiting_;
  Status status_ = done();
};

}  // namespace rb::rdr
