// near_miss.h — fences that were meant to run and don't stand where a fence can.
// [UNTRUSTED: reader]
// In:     the text of an HTML block, of indented code, of a fence.
// Out:    lines counted from 0 within that text.
// Source: docs/RUNBOOKS.md §Fences.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace rb::rdr {

struct NearMiss {
  std::uint32_t line = 0;
  bool in_comment = false;
};

// Fences with run, destructive or background inside HTML; one inside another doesn't count.
[[nodiscard]] std::vector<NearMiss> fences_in_html(std::string_view html);
[[nodiscard]] std::vector<std::uint32_t> fences_in_indented(std::string_view code);
// A line within that could have opened a fence of this kind.
[[nodiscard]] bool swallows_fence(std::string_view code, char fence, std::uint32_t length);

}  // namespace rb::rdr
