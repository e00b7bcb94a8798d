// view_log.h — session.log: one line an event, for people and grep.   [reader, view mode]
// Out:    "TIME LEVEL [tags] text", levels INFO, WARN, ERROR; controls become pictures, so that the
//         number of lines is the number of events whatever the events hold.
// Source: docs/FORMATS.md §session.log.
#pragma once

#include <string>

#include "daemon/reader/view_model.h"
#include "daemon/reader/view_sink.h"

namespace rb::rdr {

// With its newline.
[[nodiscard]] std::string log_line(const Event& event);
[[nodiscard]] Status write_session_log(const std::vector<int>& segments, Sink& sink);

}  // namespace rb::rdr
