#include "common/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace rb::log {
namespace {

spdlog::level::level_enum level_from_environment() {
  const char* wanted = std::getenv("RUNBOOKD_LOG_LEVEL");
  const std::string_view text = wanted == nullptr ? "info" : wanted;
  if (text == "debug") {
    return spdlog::level::debug;
  }
  if (text == "warn") {
    return spdlog::level::warn;
  }
  if (text == "off") {
    return spdlog::level::off;
  }
  return text == "error" ? spdlog::level::err : spdlog::level::info;
}

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::Debug:
      return spdlog::level::debug;
    case Level::Info:
      return spdlog::level::info;
    case Level::Warn:
      return spdlog::level::warn;
    case Level::Error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// One event is one line: whatever could end a line or move a cursor is made visible.
std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return out;
}

}  // namespace

void start(std::string_view process) {
  auto logger = spdlog::stderr_logger_st(std::string(process));
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %n[%P] %l: %v", spdlog::pattern_time_type::utc);
  logger->set_level(level_from_environment());
  logger->flush_on(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
}

void write(Level level, std::string_view text) {
  spdlog::default_logger_raw()->log(level_of(level), "{}", one_line(text));
}

}  // namespace rb::log
