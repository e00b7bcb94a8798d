#include "client/ctl/commands.h"
#include "client/ctl/executions.h"
#include "client/ctl/stopping.h"
#include "client/lib/text.h"

namespace rb::ctl {
namespace {

constexpr OperandSpec kOperands[] = {kExecutionOperand};
constexpr OptionSpec kOptions[] = {
    {"--grace", 0, "DUR", "how long it may take to end by itself; 0 ends it at once (5s)"},
    kLatestOption,
};

int run_stop(Context& context, const Arguments& arguments) {
  std::uint32_t grace_ms = polite_grace_ms();
  if (const auto text = arguments.value("--grace")) {
    const auto span = client::parse_duration(*text);
    if (!span || span->count() > 3'600'000) {
      return context.fail(kFailure, "--grace takes a duration of at most an hour, like 10s");
    }
    grace_ms = static_cast<std::uint32_t>(span->count());
  }
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  std::string execution = arguments.operand(0);
  if (execution.empty()) {
    Got<Found> found = find_execution(context, *daemon, arguments);
    if (!found) {
      return found.status;
    }
    execution = found->info.execution.id;
  }
  return expect<Done>(context, daemon->act(stop_operation(context.session, execution, grace_ms)))
      .status;
}

}  // namespace

const Command kStop{"stop",  "end an execution with all its processes", kOperands, kOptions, "",
                    run_stop};

}  // namespace rb::ctl
