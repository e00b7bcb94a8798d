// allowed_calls_table.h — compares a filter's program with tests/support/allowed_calls.inc. [tests]
#pragma once

#include <string>
#include <vector>

#include "common/bytes.h"
#include "common/confine.h"

namespace rb::testing {

// Evaluates calls 0..600 of this architecture with arguments that each condition admits and with
// ones that it doesn't, then calls of the 32-bit and x32 tables. One sentence a difference.
// `programs`: all that are loaded; a call must pass every one.
[[nodiscard]] std::vector<std::string> differences(const std::vector<Bytes>& programs,
                                                   confine::Filter expected);

}  // namespace rb::testing
