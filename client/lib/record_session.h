// record_session.h — checks one session of the record against its own chain and files.  [frontends]
// In:     the session's folder, as anybody may have left it.
// Out:    counts, what was cut, and the first thing that isn't as it was written. Every line is
// hashed
//         and read, every output is hashed; memory depends on the number of executions alone.
// A changed line and a changed digest of it look alike from one side: the line after decides which
// of the two is named. Source: DESIGN §8; docs/FORMATS.md §Checks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/digest.h"
#include "common/result.h"

namespace rb::client {

struct Bad {
  std::string file;        // below the state folder; "" where no file is to blame
  std::uint64_t line = 0;  // the journal line that shows it; 0: none
  std::string reason;      // a sentence for a person, without a final full stop
};

// An unfinished last line: the machine stopped while it was written, so nobody was told of it.
struct Cut {
  std::string file;
  std::uint64_t line = 0;  // the number it would have had
  std::uint64_t bytes = 0;
};

struct SessionCheck {
  std::optional<Bad> bad;
  std::vector<Cut> cuts;
  std::uint64_t lines = 0;
  std::uint64_t executions = 0;
  std::uint64_t output_bytes = 0;
  Digest head;            // of the last line
  std::string last_time;  // of the last line, as written
  bool ended = false;
};

// `on_head` is told the head of each line, in order, with the line's number.
[[nodiscard]] SessionCheck check_session(
    int folder, const std::string& id,
    const std::function<void(const Digest&, std::uint64_t)>& on_head);

}  // namespace rb::client
