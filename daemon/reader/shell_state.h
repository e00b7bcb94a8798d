// shell_state.h — what a value may become at each place of a shell script.   [UNTRUSTED: reader]
// In:     a script, its trace, the shell that will read it.
// Out:    place, why, word_start and not_value of each insertion. A place where a reference can
//         stand is one where a variable's value is data to the shell and to the program that gets
//         it; everything else, and all that isn't understood for certain, is HarmlessOnly.
// Errors: Placing::why_not: a script in which even harmless values could change what the rest
// means. Source: docs/RUNBOOKS.md §Values; DESIGN §6; attacks A18, C1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/reader/interpreter.h"
#include "daemon/reader/model.h"

namespace rb::rdr {

struct Placing {
  std::string why_not;
  std::uint32_t line = 0;  // within the script
};

[[nodiscard]] Placing place_insertions(std::string_view script, std::vector<Piece>& trace,
                                       Shell shell);

}  // namespace rb::rdr
