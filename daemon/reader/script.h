// script.h — makes a block with a script ready to run: interpreter, trace, places, inputs.
// [UNTRUSTED: reader]
// In:     a block of kind inline or file with its script, and the forms it takes values from.
// Out:    interpreter, trace, inputs, and `runnable`, or `why_not` naming the line.
// Source: docs/RUNBOOKS.md §Templates; DESIGN §6.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/reader/inputs.h"
#include "daemon/reader/model.h"

namespace rb::rdr {

// Where a script's first line stands, for messages.
struct ScriptPlace {
  std::string file;  // "" is the runbook
  std::uint32_t line = 1;
};

void prepare_script(Block& block, const std::vector<const Form*>& forms, const ScriptPlace& place);

}  // namespace rb::rdr
