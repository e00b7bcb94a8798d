// event_stream.h — prints a session's events: `events` and `session log`.
#pragma once

#include "client/ctl/context.h"

namespace rb::ctl {

// From number `from` on: to the last one now, or for ever with `follow` (until Ctrl-C).
[[nodiscard]] int print_events(Context& context, client::Client& daemon, std::uint64_t from,
                               bool follow);

}  // namespace rb::ctl
