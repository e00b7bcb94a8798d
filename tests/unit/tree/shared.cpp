#include "tests/unit/tree/shared.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

namespace rb::test {

std::string shared_folder() {
  if (const char* named = std::getenv("RUNBOOKD_SHARED"); named != nullptr) {
    return named;
  }
  const std::string beside = std::string(RUNBOOKD_SOURCE_ROOT) + "/../shared";
  return std::filesystem::is_directory(beside + "/conformance") ? beside : "";
}

bool have_shared() {
  if (!shared_folder().empty()) {
    return true;
  }
  const char* must = std::getenv("RUNBOOKD_MUST_WORK");
  const bool required = must != nullptr && std::string(must) == "1";
  CHECK_MESSAGE(!required, "the shared conformance data is missing");
  MESSAGE("SKIPPED: the shared conformance data is missing (RUNBOOKD_SHARED)");
  return false;
}

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void each_line(const std::string& path, const std::function<void(const Json&)>& take) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.is_open(), path);
  for (std::string line; std::getline(file, line);) {
    const Result<Json> parsed = parse_json(line);
    REQUIRE_MESSAGE(parsed.ok(), line.substr(0, 200));
    take(*parsed);
  }
}

}  // namespace rb::test
