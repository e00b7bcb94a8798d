// fuzz.h — what every fuzz target needs.   [tests]
// A target is one file, tests/fuzz/<what>_fuzz.cpp, that defines LLVMFuzzerTestOneInput. It is
// built three times: with libFuzzer; with libFuzzer and a planted defect, which the runner must
// find (a target that can't find that one finds nothing); and as a plain program that replays
// tests/fuzz/corpus/<what>/, so that a defect once found stays found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/bytes.h"

namespace rb::fuzz {

// The planted defect: reads past a heap block where `reached` holds. Say what only an input that
// went through the parser reaches. Does nothing in the other two builds.
inline void planted([[maybe_unused]] bool reached) {
#ifdef RUNBOOKD_PLANTED
  if (reached) {
    const Bytes block(7);
    volatile std::uint8_t past = block.data()[7];
    static_cast<void>(past);
  }
#endif
}

// The property a target states about its parser; ends the process when it doesn't hold.
inline void must(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

}  // namespace rb::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
