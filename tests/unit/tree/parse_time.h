// parse_time.h — what a text costs to read.   [tests]
#pragma once

#include <string>

#include "daemon/reader/tree/vet.h"
#include "tests/support/cpu_time.h"

namespace rb::rdr {

// Processor milliseconds for parsing and, where that went well, vetting, as a reader does.
inline double parse_ms(const std::string& text, Dialect dialect) {
  const double begin = testing::cpu_ms();
  Parsed parsed = parse(text, dialect);
  if (parsed.problems.empty()) {
    static_cast<void>(vet(parsed.tree));
  }
  return testing::cpu_ms() - begin;
}

}  // namespace rb::rdr
