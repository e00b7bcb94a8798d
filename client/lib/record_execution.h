// record_execution.h — checks one execution's files against its lines of the journal.  [frontends]
// In:     the started and finished lines, already known to be in the chain; the folder of the
// session. Out:    the file and the reason where something differs. A script must be what its start
// line says,
//         output, outputs, generated.jsonl and outcome.bin what the end line says, outcome.json
//         what outcome.bin says.
// Source: DESIGN §8; docs/FORMATS.md §Checks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/json_reader.h"

namespace rb::client {

struct Difference {
  std::string file;  // below the session's folder; "" where the line itself contradicts
  std::string reason;
};

[[nodiscard]] std::optional<Difference> check_script(int session, const rb::Json& started);
// Adds the bytes hashed to `output_bytes`.
[[nodiscard]] std::optional<Difference> check_ending(int session, const std::string& session_id,
                                                     const rb::Json& finished,
                                                     std::uint64_t& output_bytes);

}  // namespace rb::client
