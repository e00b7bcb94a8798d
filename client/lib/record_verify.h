// record_verify.h — the record's fsck: needs no daemon, changes nothing.   [frontends]
// In:     the state folder; heads that were written down elsewhere (anchors).
// Out:    the first thing that isn't as it was written, or that all is. Sessions form one list: the
//         first line of each holds the head of a line of the session started before it; the oldest
//         holds zeros. So a session that was taken out, put in or swapped shows in its successor,
//         and the newest only against an anchor.
// Errors: only where the state folder itself can't be read.
// Source: DESIGN §8; docs/FORMATS.md §Checks; attack A24.
#pragma once

#include <string>
#include <vector>

#include "client/lib/record_session.h"
#include "common/result.h"

namespace rb::client {

struct Verdict {
  std::optional<Bad> bad;
  std::vector<Cut> cuts;
  std::uint64_t sessions = 0;
  std::uint64_t executions = 0;
  std::uint64_t lines = 0;
  std::uint64_t output_bytes = 0;
  std::string newest;     // session with the last line of the list
  Digest head;            // of that line
  std::string last_time;  // of that line, as written

  [[nodiscard]] bool ok() const { return !bad.has_value(); }
};

// Shortest anchor: what our own messages show of a digest.
inline constexpr std::size_t kAnchorDigits = 12;

// `anchors`: 12 to 64 lower-case hexadecimal digits each, else Invalid.
[[nodiscard]] Result<Verdict> verify_record(int state, const std::vector<std::string>& anchors);

}  // namespace rb::client
