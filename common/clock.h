// clock.h — the two clocks.   [every process]
// Wall time labels; boot time measures (it goes on while the machine sleeps and never jumps back).
// Order comes from line numbers, never from a clock. Source: docs/ARCHITECTURE.md §Clocks.
#pragma once

#include <ctime>

#include <chrono>
#include <cstdint>
#include <string>

namespace rb {

using Millis = std::chrono::milliseconds;
using Nanos = std::chrono::nanoseconds;

// Time since boot, sleep included (CLOCK_BOOTTIME).
[[nodiscard]] inline Nanos boot_now() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

// Milliseconds since 1970 in UTC (CLOCK_REALTIME).
[[nodiscard]] inline std::int64_t wall_now_ms() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

// "2026-11-30T16:20:33.123Z"
[[nodiscard]] inline std::string wall_text(std::int64_t wall_ms) {
  const std::time_t seconds = static_cast<std::time_t>(wall_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  std::string out(text, length);
  const std::int64_t millis = wall_ms % 1000;
  out += '.';
  out += static_cast<char>('0' + millis / 100);
  out += static_cast<char>('0' + millis / 10 % 10);
  out += static_cast<char>('0' + millis % 10);
  out += 'Z';
  return out;
}

}  // namespace rb
