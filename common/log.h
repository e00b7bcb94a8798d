// log.h — what a process says about itself on standard error.   [every process but runbookctl]
// Never about scripts: their output goes to the record alone. No secret and no compared value is
// ever logged. Only includer of spdlog.
#pragma once

#include <string_view>

namespace rb::log {

enum class Level { Debug, Info, Warn, Error };

// Once, first thing in main. `process` heads each line. Level from $RUNBOOKD_LOG_LEVEL
// (debug, info, warn, error, off; info when unset or unknown).
void start(std::string_view process);
void write(Level level, std::string_view text);

inline void debug(std::string_view text) {
  write(Level::Debug, text);
}
inline void info(std::string_view text) {
  write(Level::Info, text);
}
inline void warn(std::string_view text) {
  write(Level::Warn, text);
}
inline void error(std::string_view text) {
  write(Level::Error, text);
}

}  // namespace rb::log
