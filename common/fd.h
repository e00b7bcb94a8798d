// fd.h — a descriptor with one owner.   [every process]
// Closed when its owner goes; -1 means none. Never copied: duplicate() says so where two are
// wanted.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "common/result.h"

namespace rb {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int number) : number_(number) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  Fd(Fd&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset(std::exchange(other.number_, -1));
    }
    return *this;
  }
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }
  explicit operator bool() const { return open(); }
  // Gives ownership away; the caller closes it.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  void reset(int number = -1) {
    if (number_ >= 0) {
      ::close(
          number_);  // errors of close are lost on purpose: what must be durable was synced before
    }
    number_ = number;
  }
  // A second descriptor of the same open file description, close-on-exec, at or above `least`.
  [[nodiscard]] Result<Fd> duplicate(int least = 3) const {
    const int copy = ::fcntl(number_, F_DUPFD_CLOEXEC, least);
    if (copy < 0) {
      return errno_error("dup");
    }
    return Fd(copy);
  }

 private:
  int number_ = -1;
};

}  // namespace rb
