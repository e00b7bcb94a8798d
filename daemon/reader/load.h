// load.h — reads a runbook's folder into one sealed memory file.   [UNTRUSTED: reader, load mode]
// In:     the folder's descriptor; the runbook's name ("": runbook.mdx, else runbook.md); names of
//         files when the folder is too large to be bound.
// Out:    Loaded: an index sorted bytewise and the content. Regular files alone have bytes;
// folders,
//         devices, links that lead out and what can't be read are named so that a path to them can
//         be told from a missing one. Links are followed beneath the folder only, one part at a
//         time, by descriptors. Version control's own folders (.git ...) are left out.
// Units:  limits of protocol/limits.h; over them `bound` is false and only the runbook and the
//         named files are there.
// Errors: LoadFailure with a code of reader.capnp's Failed. Nothing here parses anything.
// Source: docs/RUNBOOKS.md §The folder; threats 33 to 36.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/fd.h"
#include "common/result.h"
#include "protocol/reader.capnp.h"

namespace rb::rdr {

struct LoadedEntry {
  std::string path;
  reader::EntryKind kind = reader::EntryKind::UNSET;
  std::uint32_t mode = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

struct Loaded {
  std::string main;
  std::vector<LoadedEntry> entries;
  Fd content;
  bool bound = true;
};

struct LoadFailure {
  std::string code;  // not-found, not-a-file, too-large, unreadable, malformed
  std::string text;
};

// What may be read at most; the defaults of protocol/limits.h, smaller in tests.
struct LoadLimits {
  std::uint64_t bytes;
  std::size_t files;
  std::size_t entries;
  std::size_t path_bytes;  // of all names together
};
[[nodiscard]] LoadLimits default_load_limits();

[[nodiscard]] std::variant<Loaded, LoadFailure> load_folder(
    int folder, const std::string& name, const std::vector<std::string>& only,
    const LoadLimits& limits = default_load_limits());

// A name that version control keeps for itself.
[[nodiscard]] bool is_version_control(std::string_view name);

}  // namespace rb::rdr
