#include "client/ctl/block_json.h"
#include "client/ctl/commands.h"
#include "client/ctl/report.h"
#include "client/ctl/target.h"

namespace rb::ctl {
namespace {

constexpr OperandSpec kOperands[] = {
    {"PATH", "a runbook's file, or the folder that holds it", true, false, Complete::Path}};

constexpr const char* kMore =
    "  The daemon takes a sealed copy; what is shown and run from now on are those bytes, "
    "whatever\n"
    "  happens to the file. `run PATH` opens by itself.\n";

int run_open(Context& context, const Arguments& arguments) {
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  Got<client::Opened> opened = open_path(context, *daemon, arguments.operand(0));
  if (!opened) {
    return opened.status;
  }
  if (context.json) {
    context.print(opened_json(*opened) + "\n");
    return opened->vetted ? kYes : kRefused;
  }
  if (!say_problems(context, *opened)) {
    return context.fail(kRefused, "refused: it isn't opened");
  }
  context.hint(heading_text(*opened, context.terminal));
  context.print(opened->info.name + "\n");
  return kYes;
}

constexpr OperandSpec kCloseOperands[] = {
    {"RUNBOOK", "its name, or its run's number", true, false, Complete::Runbook}};
constexpr OptionSpec kCloseOptions[] = {{"--stop", 0, "", "end what still runs of it"}};

int run_close(Context& context, const Arguments& arguments) {
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  client::Operation close;
  close.session = context.session;
  close.fill = [name = arguments.operand(0), stop = arguments.has("--stop")](
                   rb::front::Operation::Builder into, const client::Greeting&) {
    auto run = into.initCloseRun();
    run.setRunbook(name);
    run.setStop(stop);
  };
  Got<client::RunInfo> closed = expect<client::RunInfo>(context, daemon->act(std::move(close)));
  if (closed && context.json) {
    context.print(run_json(*closed) + "\n");
  } else if (closed) {
    context.talk("run " + std::to_string(closed->number) + " of " + client::label(closed->runbook) +
                 " is closed: " + client::label(closed->status));
  }
  return closed.status;
}

}  // namespace

const Command kOpen{
    "open", "vet and seal a runbook, so that its blocks can run", kOperands, {}, kMore, run_open};
const Command kClose{"close",  "end the open run of a runbook", kCloseOperands, kCloseOptions, "",
                     run_close};

}  // namespace rb::ctl
