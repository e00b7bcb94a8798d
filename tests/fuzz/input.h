// input.h — takes values off a fuzz input, so that a target builds messages and not just bytes.
// [tests]
#pragma once

#include <string>

#include "tests/fuzz/fuzz.h"

namespace rb::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) {
      return 0;
    }
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint32_t number() {
    std::uint32_t value = byte();
    // Small ones mostly: offsets and lengths near each other find more than random ones.
    if (value == 255) {
      for (int i = 0; i < 4; ++i) {
        value = (value << 8) | byte();
      }
    }
    return value;
  }
  // At most `most` bytes, fewer where the input says so or ends.
  ByteView bytes(std::size_t most) {
    std::size_t length = byte();
    length = length < most ? length : most;
    length = length < rest_.size() ? length : rest_.size();
    const ByteView out = rest_.first(length);
    rest_ = rest_.subspan(length);
    return out;
  }
  std::string text(std::size_t most) { return std::string(as_text(bytes(most))); }
  ByteView all() {
    const ByteView out = rest_;
    rest_ = {};
    return out;
  }

 private:
  ByteView rest_;
};

}  // namespace rb::fuzz
