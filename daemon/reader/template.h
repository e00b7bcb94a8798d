// template.h — a script's {{ ... }} as a fixed list of pieces.   [UNTRUSTED: reader]
// In:     script bytes.
// Out:    literal ranges, insertions and dropped ranges that cover the script exactly, in order;
//         Piece::place is not decided here (shell_state.h does).
//         Understood: {{ .inputs.X }}, {{ .X }}, {{ .outputs.block.key }}, {{ "text" }} and
//         {{ `text` }} without escapes, {{/* comments */}}, and the trim markers {{- and -}}.
// Errors: Template::why_not: anything else (control flow, functions, variables, what isn't closed)
//         makes a block that doesn't run; it is never taken for text.
// Source: docs/RUNBOOKS.md §Templates; DESIGN §6.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/reader/model.h"

namespace rb::rdr {

inline constexpr std::size_t kInsertions = 2048;  // in one script

struct Template {
  std::vector<Piece> pieces;
  std::string why_not;
  std::uint32_t why_line = 0;  // within the script, from 1
};

[[nodiscard]] Template parse_template(std::string_view script);
// One literal piece: for scripts that are no templates.
[[nodiscard]] std::vector<Piece> as_literal(std::string_view script);

}  // namespace rb::rdr
