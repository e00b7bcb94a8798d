#include "broker/monitor/hashing.h"

namespace rb::mon {

Hashing::~Hashing() {
  if (worker_ == Worker::Running) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    (void)::pthread_join(thread_, nullptr);
  }
}

std::span<std::uint8_t> Hashing::room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return added_ - hashed_ < kBuffers; });
  std::unique_ptr<std::uint8_t[]>& buffer = buffers_[added_ % kBuffers];
  if (!buffer) {
    buffer = std::make_unique_for_overwrite<std::uint8_t[]>(kChunk);
  }
  return {buffer.get(), kChunk};
}

void Hashing::add(std::size_t length) {
  std::unique_lock lock(mutex_);
  lengths_[added_ % kBuffers] = length;
  ++added_;
  bytes_ += length;
  if (worker_ == Worker::None && bytes_ > kInPlace) {
    worker_ =
        ::pthread_create(&thread_, nullptr, work, this) == 0 ? Worker::Running : Worker::Refused;
  }
  if (worker_ == Worker::Running) {
    changed_.notify_all();
  } else {
    hash_next(lock);
    // The same buffer serves again: small outputs take one.
    added_ = hashed_ = 0;
  }
}

Digest Hashing::digest() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return hashed_ == added_; });
  return hasher_.digest();
}

void Hashing::hash_next(std::unique_lock<std::mutex>& lock) {
  const std::size_t at = hashed_ % kBuffers;
  const ByteView chunk = ByteView(buffers_[at].get(), lengths_[at]);
  lock.unlock();
  hasher_.add(chunk);
  lock.lock();
  ++hashed_;
}

void* Hashing::work(void* self) {
  auto& hashing = *static_cast<Hashing*>(self);
  std::unique_lock lock(hashing.mutex_);
  for (;;) {
    hashing.changed_.wait(lock,
                          [&] { return hashing.stopping_ || hashing.hashed_ < hashing.added_; });
    if (hashing.hashed_ == hashing.added_) {
      return nullptr;
    }
    hashing.hash_next(lock);
    hashing.changed_.notify_all();
  }
}

}  // namespace rb::mon
