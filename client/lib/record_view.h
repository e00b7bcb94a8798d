// record_view.h — draws a run's page or JSON from its journal, in a jailed reader.   [frontends]
// The views in the state folder may be older than the journal, or somebody else's: what is shown is
// made anew. The reader parses hostile text, so its answer is hostile text: print it as such.
// Errors: Unsupported where this machine can't confine a reader; Invalid names the first bad line.
// Source: DESIGN §2 (view mode), §8; protocol/reader.capnp.
#pragma once

#include <cstdint>
#include <string>

#include "client/lib/record_list.h"
#include "common/result.h"

namespace rb::client {

enum class RunView : std::uint8_t { Json, Page };

// `programs`: the folder that holds runbook-reader. Outputs are given to pages only, of the newest
// executions where there are many.
[[nodiscard]] Result<std::string> draw_run(int state, const std::string& programs,
                                           const RecordedSession& session, const RecordedRun& run,
                                           RunView view);

}  // namespace rb::client
