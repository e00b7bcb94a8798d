// cpu_time.h — a clock of this process alone: a busy machine doesn't count.   [tests, bench]
#pragma once

#include <ctime>

namespace rb::testing {

// Processor time spent so far, in milliseconds.
inline double cpu_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace rb::testing
