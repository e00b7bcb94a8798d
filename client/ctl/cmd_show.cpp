#include "client/ctl/block_json.h"
#include "client/ctl/commands.h"
#include "client/ctl/document_text.h"
#include "client/ctl/report.h"
#include "client/ctl/run_plan.h"
#include "client/ctl/target.h"
#include "client/lib/text.h"

namespace rb::ctl {
namespace {

using client::BlockInfo;

constexpr OperandSpec kOperands[] = {
    {"PATH|RUNBOOK", "a path, or the name or run's number of an open one", true, false,
     Complete::Runbook},
    {"BLOCK", "its script, exactly", false, false, Complete::Block},
};
constexpr OptionSpec kOptions[] = {
    {"--source", 0, "", "a block's template bytes, and nothing else"},
    {"--print", 0, "", "the whole document as text"},
};

std::string block_lines(const Context& context, const client::RunbookInfo& info) {
  client::Table table({"BLOCK", "TYPE", "PROFILE", "STATE", "WHAT"});
  for (const BlockInfo& block : info.blocks) {
    if (!block.runnable && (block.kind == "display" || block.kind == "expect")) {
      continue;
    }
    table.add({client::label(block.id), client::label(block.type), client::label(block.profile),
               client::label(block.state),
               block.runnable ? client::shortened(block_summary(block), 60)
                              : "not runnable: " + client::label(block.why_not)});
  }
  (void)context;
  return table.empty() ? "no blocks\n" : table.text();
}

std::string input_lines(const BlockInfo& block) {
  std::string out;
  for (const client::InputInfo& input : block.inputs) {
    out += "input " + client::label(input.name) + "  " + client::label(input.type);
    if (input.has_default && !input.sensitive) {
      out += "  default " + client::label(as_text(input.default_value));
    } else if (input.required) {
      out += "  required";
    }
    out += input.description.empty() ? "\n" : "  " + client::label(input.description) + "\n";
  }
  return out;
}

// On a terminal nothing but text reaches it; elsewhere the bytes are exact.
void print_script(const Context& context, const BlockInfo& block) {
  const std::string script(as_text(block.script));
  context.print(context.terminal.out ? client::plain(script) : script);
}

int show_block(const Context& context, const client::Opened& opened, const Arguments& arguments) {
  const BlockInfo* block = find_block(context, opened.info, arguments.operand(1));
  if (block == nullptr) {
    return kUnknown;
  }
  if (context.json) {
    context.print(runbook_json(opened.info, block->id) + "\n");
    return kYes;
  }
  if (!arguments.has("--source")) {
    context.hint(client::label(block->id) + "  " + client::label(block->type) + "  " +
                 client::label(block->profile) + "  line " + std::to_string(block->line) + "  " +
                 to_hex(block->digest).substr(0, 12) +
                 (block->runnable ? "" : "  not runnable: " + client::label(block->why_not)));
    const std::string inputs = input_lines(*block);
    if (!inputs.empty()) {
      context.hint(inputs.substr(0, inputs.size() - 1));
    }
  }
  print_script(context, *block);
  return kYes;
}

int run_show(Context& context, const Arguments& arguments) {
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  Got<client::Opened> opened = find_runbook(context, *daemon, arguments.operand(0));
  if (!opened) {
    return opened.status;
  }
  if (!say_problems(context, *opened)) {
    return context.fail(kRefused, "refused: nothing of it is shown");
  }
  if (arguments.operands() > 1) {
    return show_block(context, *opened, arguments);
  }
  if (context.json) {
    context.print(runbook_json(opened->info, "") + "\n");
    return kYes;
  }
  if (arguments.has("--print") && !opened.fds.empty()) {
    const Result<std::string> text = document_text(opened.fds[0].get(), opened->info);
    if (!text) {
      return context.fail(text.failure());
    }
    context.print(*text);
    return kYes;
  }
  context.hint(heading_text(*opened, context.terminal));
  context.print(block_lines(context, opened->info));
  return kYes;
}

}  // namespace

const Command kShow{"show",  "what a runbook holds, or one block's script", kOperands, kOptions, "",
                    run_show};

}  // namespace rb::ctl
