// view_json.h — session.json and run.json.   [reader, view mode]
// In:     the journal and its summary; descriptors of what executions left. Fields are copied by
// name: what docs/RECORD.md adds later
//         doesn't appear until it is named here, and nothing of a line is trusted.
// Out:    one JSON object; the elements of its lists stand on lines of their own, so that files of
//         any size are written with flat memory and read well in a pager.
// Source: docs/FORMATS.md §session.json, §run.json.
#pragma once

#include "daemon/reader/view_left.h"
#include "daemon/reader/view_model.h"
#include "daemon/reader/view_sink.h"

namespace rb::rdr {

[[nodiscard]] Status write_session_json(const std::vector<int>& segments, const Summary& summary,
                                        Sink& sink);
// Invalid when the session has no run of that number.
[[nodiscard]] Status write_run_json(const std::vector<int>& segments, const Summary& summary,
                                    std::uint64_t run, const Outputs& files, Sink& sink);

}  // namespace rb::rdr
