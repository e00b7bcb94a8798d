#include "client/ctl/commands.h"
#include "client/ctl/executions.h"

namespace rb::ctl {
namespace {

constexpr OperandSpec kOperands[] = {kExecutionOperand};
constexpr OptionSpec kOptions[] = {kLatestOption};

int run_wait(Context& context, const Arguments& arguments) {
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  Follow follow(context, *daemon, Show::Nothing);
  if (const int status = subscribe_to_ends(context, *daemon, follow, false); status != kYes) {
    return status;
  }
  Got<Found> found = find_execution(context, *daemon, arguments);
  if (!found) {
    return found.status;
  }
  return watch_execution(context, *daemon, follow, std::move(*found), [] { return false; });
}

}  // namespace

const Command kWait{"wait",    "wait for an execution; its exit status is this one's",
                    kOperands, kOptions,
                    "",        run_wait};

}  // namespace rb::ctl
