#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/ctl/help.h"
#include "common/json_writer.h"
#include "protocol/limits.h"

namespace rb::ctl {
namespace {

int run_version(Context& context, const Arguments&) {
  if (context.json) {
    JsonWriter out;
    out.begin_object().field("version", RUNBOOKD_VERSION);
    out.field("protocol", limits::kProtocolVersion);
    context.print(out.end_object().take() + "\n");
  } else {
    context.print("runbookctl " RUNBOOKD_VERSION "\n");
  }
  return kYes;
}

constexpr OperandSpec kHelpOperands[] = {{"VERB", "one or two words", false, true, Complete::Verb}};

int run_help(Context& context, const Arguments& arguments) {
  std::string name;
  for (const std::string& word : arguments.operands_from(0)) {
    name += (name.empty() ? "" : " ") + word;
  }
  if (name.empty()) {
    context.print(help_overview(context.terminal));
    return kYes;
  }
  const Command* command = find_command(name);
  if (command == nullptr) {
    return context.fail(kUnknown, unknown_verb(name));
  }
  context.print(help_of(*command, context.terminal));
  return kYes;
}

}  // namespace

const Command kVersion{"version", "which version this is", {}, {}, "", run_version};
const Command kHelp{"help", "what a verb does", kHelpOperands, {}, "", run_help};

}  // namespace rb::ctl
