// template.h — the process that monitors are copies of.   [TRUSTED: monitor]
// In:     a link to the broker; each packet is `spare` with the new monitor's end of its link.
// Out:    in each copy, once: that end. In the template itself: nothing, when the broker is gone.
// It never works for an execution, so a copy finds nothing of another one in its memory. Starting a
// copy takes a tenth of the time that executing the program anew would, and the broker never waits.
#pragma once

#include <optional>

#include "common/fd.h"

namespace rb::mon {

[[nodiscard]] std::optional<Fd> serve_as_template(const Fd& link);

}  // namespace rb::mon
