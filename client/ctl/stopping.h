// stopping.h — the request that ends an execution.
#pragma once

#include <string>

#include "client/ctl/context.h"

namespace rb::ctl {

// `grace_ms` 0 ends it at once.
[[nodiscard]] client::Operation stop_operation(const std::string& session,
                                               const std::string& execution,
                                               std::uint32_t grace_ms);
// The default grace.
[[nodiscard]] std::uint32_t polite_grace_ms();

}  // namespace rb::ctl
