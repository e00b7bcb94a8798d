#include "client/ctl/commands.h"
#include "client/ctl/executions.h"

namespace rb::ctl {
namespace {

constexpr OperandSpec kOperands[] = {kExecutionOperand};
constexpr OptionSpec kOptions[] = {
    {"--follow", 'f', "", "go on until the execution is over"},
    kLatestOption,
};

int run_logs(Context& context, const Arguments& arguments) {
  int status = kYes;
  client::Client* daemon = context.running_daemon(status);
  if (daemon == nullptr) {
    return status != kYes ? status
                          : context.fail(kUnknown,
                                         "no daemon runs, so there is nothing to show "
                                         "(runbookctl record list)");
  }
  Follow follow(context, *daemon, show_for(context));
  const bool goes_on = arguments.has("--follow");
  if (goes_on) {
    status = subscribe_to_ends(context, *daemon, follow, true);
  }
  if (status != kYes) {
    return status;
  }
  Got<Found> found = find_execution(context, *daemon, arguments);
  if (!found) {
    return found.status;
  }
  if (goes_on) {
    const int ended =
        watch_execution(context, *daemon, follow, std::move(*found), [] { return false; });
    return ended == kFailure ? kFailure : kYes;  // the answer is the output, however it ended
  }
  const client::ExecutionInfo& execution = found->info.execution;
  const Status shown = follow.show_all({execution.id, execution.session, execution.block},
                                       std::move(found->output), found->info.length);
  return shown ? int{kYes} : context.fail(shown.failure());
}

}  // namespace

const Command kLogs{"logs", "the output of an execution", kOperands, kOptions, "", run_logs};

}  // namespace rb::ctl
