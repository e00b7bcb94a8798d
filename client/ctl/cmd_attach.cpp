#include <csignal>

#include "client/ctl/commands.h"
#include "client/ctl/executions.h"
#include "client/ctl/stopping.h"

namespace rb::ctl {
namespace {

constexpr OperandSpec kOperands[] = {kExecutionOperand};
constexpr OptionSpec kOptions[] = {kLatestOption};

constexpr const char* kMore =
    "  From the first byte, then live. Ctrl-\\ leaves and lets it run; Ctrl-C asks before it "
    "stops\n"
    "  it. The exit status is the execution's.\n";

// What Ctrl-C and Ctrl-\ mean while an execution is watched.
class Keys {
 public:
  Keys(Context& context, client::Client& daemon, Follow& follow, client::ExecutionInfo execution)
      : context_(context),
        daemon_(daemon),
        follow_(follow),
        execution_(std::move(execution)),
        interrupt_(context.loop(), SIGINT, [this] { on_interrupt(); }),
        quit_(context.loop(), SIGQUIT, [this] { on_quit(); }) {}

  [[nodiscard]] bool stopped() const { return stops_ > 0; }

 private:
  void on_quit() {
    follow_.settle();
    context_.talk("left; " + execution_.id + " goes on");
    follow_.leave();
  }

  void on_interrupt() {
    if (!context_.terminal.in || stops_ > 1) {
      follow_.leave();  // nobody to ask: a watcher that goes away stops nothing
      return;
    }
    follow_.settle();
    std::string answer;
    const std::string question =
        stops_ == 0 ? "stop " + execution_.id + "? [y/N] " : "end it at once? [y/N] ";
    if (!client::ask_line(question, false, answer) || (answer != "y" && answer != "yes")) {
      return;
    }
    const std::uint32_t grace = stops_ == 0 ? polite_grace_ms() : 0;
    ++stops_;
    daemon_.send(stop_operation(execution_.session, execution_.id, grace),
                 [](const Result<client::Answer>&) {});  // its end is an event
  }

  Context& context_;
  client::Client& daemon_;
  Follow& follow_;
  client::ExecutionInfo execution_;
  Signal interrupt_;
  Signal quit_;
  unsigned stops_ = 0;
};

int run_attach(Context& context, const Arguments& arguments) {
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  Follow follow(context, *daemon, show_for(context));
  if (const int status = subscribe_to_ends(context, *daemon, follow, true); status != kYes) {
    return status;
  }
  Got<Found> found = find_execution(context, *daemon, arguments);
  if (!found) {
    return found.status;
  }
  const Keys keys(context, *daemon, follow, found->info.execution);
  return watch_execution(context, *daemon, follow, std::move(*found),
                         [&] { return keys.stopped(); });
}

}  // namespace

const Command kAttach{
    "attach", "watch an execution from its first byte", kOperands, kOptions, kMore, run_attach};

}  // namespace rb::ctl
