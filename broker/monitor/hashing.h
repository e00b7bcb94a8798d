// hashing.h — SHA-256 over chunks, beside the writing of them.   [TRUSTED: monitor]
// The first megabytes are hashed in place. Hashing costs more than reading and writing together, so
// a large output gets a thread of its own, the only one a monitor ever has; it touches nothing but
// these buffers. Where none can be had, hashing goes on in place. One user, four chunks of 256 KiB.
#pragma once

#include <pthread.h>

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>

#include "common/bytes.h"
#include "common/digest.h"

namespace rb::mon {

class Hashing {
 public:
  static constexpr std::size_t kChunk = 256UL * 1024;

  Hashing() = default;
  Hashing(const Hashing&) = delete;
  Hashing& operator=(const Hashing&) = delete;
  Hashing(Hashing&&) = delete;
  Hashing& operator=(Hashing&&) = delete;
  ~Hashing();

  // Where the next chunk is read into; waits while every buffer is being hashed.
  [[nodiscard]] std::span<std::uint8_t> room();
  // The first `length` bytes of room() are next.
  void add(std::size_t length);
  // Over all that was added; waits for it.
  [[nodiscard]] Digest digest();

 private:
  static constexpr std::size_t kBuffers = 4;
  static constexpr std::uint64_t kInPlace = 4UL << 20;

  static void* work(void* self);
  void hash_next(std::unique_lock<std::mutex>& lock);

  // Not cleared: a page that no output fills is never touched.
  std::array<std::unique_ptr<std::uint8_t[]>, kBuffers> buffers_;
  std::array<std::size_t, kBuffers> lengths_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t added_ = 0;   // chunks
  std::uint64_t hashed_ = 0;  // of them
  std::uint64_t bytes_ = 0;
  bool stopping_ = false;
  enum class Worker { None, Running, Refused } worker_ = Worker::None;
  pthread_t thread_{};
  Hasher hasher_;
};

}  // namespace rb::mon
