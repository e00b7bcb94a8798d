#include "client/ctl/stopping.h"

#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::ctl {

client::Operation stop_operation(const std::string& session, const std::string& execution,
                                 std::uint32_t grace_ms) {
  client::Operation out;
  out.session = session;
  out.fill = [execution, grace_ms](rb::front::Operation::Builder into, const client::Greeting&) {
    auto stop = into.initStop();
    stop.setExecution(wire::text(execution));
    stop.setGraceMs(grace_ms);
  };
  return out;
}

std::uint32_t polite_grace_ms() {
  return static_cast<std::uint32_t>(Millis(limits::kStopGrace).count());
}

}  // namespace rb::ctl
