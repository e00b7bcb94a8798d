// Patterns of regular expressions: the first byte chooses the flags, the rest is the pattern.
// However it is written, judging it ends, and a pattern that a group encloses is judged alike.
#include <string>

#include "daemon/reader/tree/js_pattern.h"
#include "tests/fuzz/fuzz.h"

namespace {

constexpr const char* kFlags[] = {"", "u", "v", "gi"};
constexpr std::uint32_t kNesting = 250;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view flags = kFlags[data[0] % 4];
  const std::string pattern(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool fine = rb::rdr::grammar::is_pattern(pattern, flags, kNesting);
  if (fine) {
    rb::fuzz::must(rb::rdr::grammar::is_pattern("(?:" + pattern + ")", flags, kNesting + 1));
    rb::fuzz::planted(flags == "v" && pattern.find("--[") != std::string::npos);
  }
  return 0;
}
