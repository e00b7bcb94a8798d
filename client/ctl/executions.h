// executions.h — naming one execution: EXEC (id or unique prefix), --latest, or the only one.
#pragma once

#include <string>

#include "client/ctl/follow.h"

namespace rb::ctl {

inline constexpr OperandSpec kExecutionOperand{
    "EXEC", "an execution's id or a unique prefix; without it the one that runs", false, false,
    Complete::Execution};
inline constexpr OptionSpec kLatestOption{"--latest", 'l', "", "the latest one"};

struct Found {
  client::OutputInfo info;
  Fd output;
};

// Said and turned into kUnknown where there is none, or more than one fits.
[[nodiscard]] Got<Found> find_execution(Context& context, client::Client& daemon,
                                        const Arguments& arguments);

// Subscribes to what comes after the session's last event so far: an execution that isn't over when
// it is found afterwards ends with one of those, and a lost link can't lose it. Exit status.
[[nodiscard]] int subscribe_to_ends(Context& context, client::Client& daemon, Follow& follow,
                                    bool output);

// Watches an execution to its end, or as far as it got if it is over: attach, wait and logs -f.
// The exit status is the execution's (DESIGN §9).
[[nodiscard]] int watch_execution(Context& context, client::Client& daemon, Follow& follow,
                                  Found found, const std::function<bool()>& stopped_by_us);

}  // namespace rb::ctl
