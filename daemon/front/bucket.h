// bucket.h — how often a connection may ask for a change.   [front]
// A token bucket: `burst` at once, then `per_second`. Pure; time is given.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/clock.h"

namespace rb::fnt {

class Bucket {
 public:
  struct Rate {
    double burst;
    double per_second;
  };

  Bucket(Rate rate, Nanos now) : rate_(rate), tokens_(rate.burst), at_(now) {}

  // Takes one token; false when none is left.
  [[nodiscard]] bool take(Nanos now) {
    const double passed = std::chrono::duration<double>(now - at_).count();
    at_ = now;
    tokens_ = std::min(rate_.burst, tokens_ + std::max(0.0, passed) * rate_.per_second);
    if (tokens_ < 1) {
      return false;
    }
    tokens_ -= 1;
    return true;
  }

 private:
  Rate rate_;
  double tokens_;
  Nanos at_;
};

}  // namespace rb::fnt
