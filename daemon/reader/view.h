// view.h — the reader's view mode: a journal in, files for people and programs out.   [reader]
// In:     one View over the link (protocol/reader.capnp) with its descriptors, then `more` packets
//         until every descriptor announced is there. The process is confined already; it narrows
//         itself for good before it reads a byte of the journal.
// Out:    the wanted views, written to the descriptors given; then `viewed`, or `failed` with the
//         first bad line. What was written before a failure is worthless.
// Source: docs/FORMATS.md §Views; DESIGN §2, §8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/result.h"

namespace rb::rdr {

enum class ViewKind : std::uint8_t { SessionJson = 1, SessionLog, RunJson, RunMarkdown };

struct WantedView {
  ViewKind kind = ViewKind::SessionJson;
  std::uint32_t run = 0;  // of run views
  Fd file;                // written at its own offset
};

struct ShownOutput {
  std::string execution;  // "e1", or what it left: "e1/outputs", "e1/generated.jsonl"
  Fd file;
};

struct ViewRequest {
  std::vector<Fd> segments;  // oldest first
  std::vector<WantedView> wanted;
  std::vector<ShownOutput> outputs;
};

[[nodiscard]] Status make_views(const ViewRequest& request);

// Serves one request on a blocking link. A failure to make a view is answered, and `done` here; an
// Error is the link's or the confinement's.
[[nodiscard]] Status serve_view(int link);

}  // namespace rb::rdr
