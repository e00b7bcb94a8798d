// view_markdown.h — run.md: one run as a page that people read and print.   [reader, view mode]
// In:     the journal, its summary, and descriptors of outputs and of what was left (read by pread;
//         an execution without one is shown without it).
// Out:    a header list, then what happened in the order of the journal. An output over 64 KiB is
//         cut to its tail, with a line saying so. Nothing a script, note or value holds is
//         Markdown.
// Source: docs/FORMATS.md §run.md.
#pragma once

#include <string>

#include "daemon/reader/view_left.h"
#include "daemon/reader/view_model.h"
#include "daemon/reader/view_sink.h"

namespace rb::rdr {

// Invalid when the session has no run of that number.
[[nodiscard]] Status write_run_markdown(const std::vector<int>& segments, const Summary& summary,
                                        std::uint64_t run, const Outputs& outputs, Sink& sink);

}  // namespace rb::rdr
