// record_store.h — the state folder's sessions, found without a daemon.   [frontends]
// In:     a folder that may have been changed by anybody: names are checked, files are opened
//         beneath it only, never through links, never blocking.
// Errors: NotFound where there is no such folder; an empty record is no error.
// Source: DESIGN §8; docs/FORMATS.md §Layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/fd.h"
#include "common/folder.h"
#include "common/result.h"

namespace rb::client {

// "20261130-162033-k7fq": what a session folder is called.
[[nodiscard]] bool is_session_id(std::string_view name);
// "e1", "e2", ...
[[nodiscard]] bool is_execution_id(std::string_view name);
// "journal-0001.jsonl"; counted from 0.
[[nodiscard]] std::string segment_name(std::size_t index);

// Ids in the order of their start, oldest first. Other names in sessions/ come in `strangers`.
struct StoredSessions {
  std::vector<std::string> ids;
  std::vector<std::string> strangers;
};
[[nodiscard]] Result<StoredSessions> stored_sessions(int state);

[[nodiscard]] Result<Fd> open_session(int state, const std::string& id);
// Opens a regular file of any size for reading.
[[nodiscard]] Result<Fd> open_file(int folder, const std::string& path);

// A session's journal segments, oldest first, from number 1 without a gap.
struct Segments {
  std::vector<Fd> files;
  [[nodiscard]] std::vector<int> numbers() const;
};
// Invalid names a segment that is missing between others.
[[nodiscard]] Result<Segments> open_segments(int session);

}  // namespace rb::client
