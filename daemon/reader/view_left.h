// view_left.h — what executions left to be read, for views.   [reader, view mode]
// In:     `outputs` and `generated.jsonl` of an execution, by descriptor, read by pread. Their
// bytes
//         are a script's: hostile, and escaped by whoever shows them.
// Out:    outputs by name, the last value of each, by the rules of docs/RUNBOOKS.md §Outputs; files
//         in the order of the list, at most as many as are asked for.
// Errors: none: a line that isn't one is passed over, a file that can't be read is empty.
// Source: docs/FORMATS.md §What a script leaves.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/json_reader.h"

namespace rb::rdr {

// Descriptors by name: "e1" its output, "e1/outputs", "e1/generated.jsonl".
using Outputs = std::map<std::string, int>;

struct LeftOutput {
  std::string value;
  bool sensitive = false;  // then the value isn't there
};
using LeftOutputs = std::map<std::string, LeftOutput>;

[[nodiscard]] LeftOutputs outputs_of(const Outputs& files, const std::string& execution);
// The lines of the list as objects: `path`, and `bytes` and `sha256` or `unread`.
[[nodiscard]] std::vector<Json> generated_of(const Outputs& files, const std::string& execution,
                                             std::size_t most);

[[nodiscard]] LeftOutputs parse_outputs(std::string_view text);

}  // namespace rb::rdr
