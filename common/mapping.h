// mapping.h — a file seen through memory, read-only: large ones take no memory of ours.
// [broker, reader]
// The bytes are the file's: only for files that nobody else shortens (our own, or sealed memory).
#pragma once

#include <sys/mman.h>
#include <sys/stat.h>

#include <utility>

#include "common/bytes.h"
#include "common/result.h"

namespace rb {

class Mapping {
 public:
  [[nodiscard]] static Result<Mapping> of(int fd) {
    struct stat facts {};
    if (::fstat(fd, &facts) < 0) {
      return errno_error("fstat");
    }
    Mapping out;
    out.size_ = static_cast<std::size_t>(facts.st_size);
    if (out.size_ > 0) {
      out.start_ = ::mmap(nullptr, out.size_, PROT_READ, MAP_SHARED, fd, 0);
    }
    if (out.start_ == MAP_FAILED) {
      out.start_ = nullptr;
      return errno_error("map a file");
    }
    return out;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  Mapping(Mapping&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (start_ != nullptr) {
      ::munmap(start_, size_);
    }
  }
  [[nodiscard]] ByteView bytes() const {
    return {static_cast<const std::uint8_t*>(start_), start_ == nullptr ? 0 : size_};
  }

 private:
  Mapping() = default;

  void* start_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rb
