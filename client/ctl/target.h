// target.h — what a person means by PATH|RUNBOOK.
// A path opens afresh; a runbook's name, or an open run's number, means what is sealed already.
#pragma once

#include <string>

#include "client/ctl/context.h"

namespace rb::ctl {

// Opens a path: the folder's descriptor travels, never a path that the daemon would open.
[[nodiscard]] Got<client::Opened> open_path(Context& context, client::Client& daemon,
                                            const std::string& path);
// A path or a name. Problems are said as open_path and the caller see fit: vetted may be false.
[[nodiscard]] Got<client::Opened> find_runbook(Context& context, client::Client& daemon,
                                               const std::string& word);
// Prints every problem on standard error; true when the runbook was vetted.
bool say_problems(const Context& context, const client::Opened& opened);

}  // namespace rb::ctl
