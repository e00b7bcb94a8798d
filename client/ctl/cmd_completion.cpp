#include "client/ctl/commands.h"
#include "client/ctl/completion.h"
#include "client/ctl/context.h"

namespace rb::ctl {
namespace {

constexpr OperandSpec kOperands[] = {{"bash|zsh|fish", "the shell", true}};

constexpr const char* kMore =
    "  bash:  source <(runbookctl completion bash)\n"
    "  zsh:   runbookctl completion zsh > \"${fpath[1]}/_runbookctl\"\n"
    "  fish:  runbookctl completion fish > ~/.config/fish/completions/runbookctl.fish\n";

int run_completion(Context& context, const Arguments& arguments) {
  const std::string shell = arguments.operand(0);
  const std::string script = completion_script(shell);
  if (script.empty()) {
    return context.fail(kFailure, "completion knows bash, zsh and fish");
  }
  context.print(script);
  return kYes;
}

}  // namespace

const Command kCompletion{"completion",  "a completion script for a shell", kOperands, {}, kMore,
                          run_completion};

}  // namespace rb::ctl
