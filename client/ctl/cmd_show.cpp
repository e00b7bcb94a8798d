#include <algorithm>
#include <charconv>
#include <optional>

#include "client/ctl/block_json.h"
#include "client/ctl/commands.h"
#include "client/ctl/draw_document.h"
#include "client/ctl/report.h"
#include "client/ctl/run_plan.h"
#include "client/ctl/target.h"
#include "client/lib/text.h"

namespace rb::ctl {
namespace {

using client::BlockInfo;

constexpr std::size_t kWidest = 100;  // longer lines are hard to read

constexpr OperandSpec kOperands[] = {
    {"PATH|RUNBOOK", "a path, or the name or run's number of an open one", true, false,
     Complete::Runbook},
    {"BLOCK", "its script, exactly", false, false, Complete::Block},
};
constexpr OptionSpec kOptions[] = {
    {"--source", 0, "",
     "a block's bytes as the registry has them, what hides in them made visible"},
    {"--raw", 0, "", "those bytes exactly, for a pipe or file"},
    {"--print", 0, "", "instructions: every block as text to copy, nothing to run"},
    {"--blocks", 0, "", "a table of all blocks: which run, and why others don't"},
    {"--width", 0, "COLUMNS", "of the page; as wide as the terminal, at most 100, without it"},
};

// Every block, and why those don't run that don't: what comes with a later release says so.
std::string block_lines(const client::RunbookInfo& info) {
  client::Table table({"BLOCK", "TYPE", "LINE", "PROFILE", "STATE", "WHAT"});
  for (const BlockInfo& block : info.blocks) {
    table.add({client::label(block.id), client::label(block.type), std::to_string(block.line),
               client::label(block.runnable ? block.profile : ""),
               client::label(block.runnable ? block.state : "shown"),
               block.runnable ? client::shortened(block_summary(block), 60)
                              : client::label(block.why_not)});
  }
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

// What could hide in a script is spelled out, also for a pipe: a pager or an eye is at its end.
void print_script(const Context& context, const BlockInfo& block, bool raw) {
  const std::string script(as_text(block.script));
  context.print(raw ? script : client::plain(script));
}

std::string block_heading(const BlockInfo& block) {
  return client::label(block.id) + "  " + client::label(block.type) + "  " +
         client::label(block.profile) + "  line " + std::to_string(block.line) + "  " +
         to_hex(block.digest).substr(0, 12) +
         (block.runnable ? "" : "  not runnable: " + client::label(block.why_not));
}

int show_sources(const Context& context, const client::RunbookInfo& info) {
  for (const BlockInfo& block : info.blocks) {
    if (block.script.empty()) {
      continue;
    }
    context.print(context.terminal.data(client::Style::Bold, "── " + block_heading(block)) + "\n");
    print_script(context, block, false);
    context.print(block.script.back() == '\n' ? "\n" : "\n\n");
  }
  return kYes;
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
  const bool raw = arguments.has("--raw");
  if (raw && context.terminal.out) {
    return context.fail(kFailure,
                        "--raw is for a pipe or a file: a terminal would act on the bytes");
  }
  if (!raw && !arguments.has("--source")) {
    context.hint(block_heading(*block));
    const std::string inputs = input_lines(*block);
    if (!inputs.empty()) {
      context.hint(inputs.substr(0, inputs.size() - 1));
    }
  }
  print_script(context, *block, raw);
  return kYes;
}

// nullopt after the failure was said.
std::optional<std::size_t> page_width(const Context& context, const Arguments& arguments) {
  const std::optional<std::string> asked = arguments.value("--width");
  if (!asked) {
    return std::min<std::size_t>(context.terminal.width, kWidest);
  }
  std::size_t width = 0;
  const auto [end, bad] = std::from_chars(asked->data(), asked->data() + asked->size(), width);
  if (bad != std::errc() || end != asked->data() + asked->size() || width < 20 || width > 1000) {
    (void)context.fail(kFailure, "--width takes a number from 20 to 1000");
    return std::nullopt;
  }
  return width;
}

int show_document(const Context& context, const client::RunbookInfo& info,
                  const std::vector<Fd>& fds, const Arguments& arguments) {
  const bool instructions = arguments.has("--print");
  const std::optional<std::size_t> width = page_width(context, arguments);
  if (!width) {
    return kFailure;
  }
  if (fds.empty()) {
    return context.fail(kFailure, "the daemon sent no document");
  }
  const Drawing drawing{*width, context.terminal.colour_out,
                        instructions ? Manner::Instructions : Manner::Page};
  const Result<std::string> text = draw_document(fds[0].get(), info, drawing);
  if (!text) {
    return context.fail(text.failure());
  }
  context.print(*text);
  return kYes;
}

// One of --source, --raw, --print, --blocks at most; --raw is one block's. "" where it fits.
std::string misuse(const Arguments& arguments) {
  int manners = 0;
  for (const char* manner : {"--source", "--raw", "--print", "--blocks"}) {
    manners += arguments.has(manner) ? 1 : 0;
  }
  if (manners > 1) {
    return "--source, --raw, --print and --blocks exclude each other";
  }
  const bool block = arguments.operands() > 1;
  if (block && (arguments.has("--print") || arguments.has("--blocks"))) {
    return "--print and --blocks show a whole runbook: leave out BLOCK";
  }
  return !block && arguments.has("--raw") ? "--raw needs a BLOCK" : "";
}

int run_show(Context& context, const Arguments& arguments) {
  if (const std::string wrong = misuse(arguments); !wrong.empty()) {
    return context.fail(kFailure, wrong);
  }
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
  if (arguments.has("--source")) {
    return show_sources(context, opened->info);
  }
  if (!arguments.has("--print")) {
    context.hint(heading_text(*opened, context.terminal));
  }
  if (arguments.has("--blocks")) {
    context.print(block_lines(opened->info));
    return kYes;
  }
  return show_document(context, opened->info, opened.fds, arguments);
}

constexpr const char* kMore =
    "  Draws the document for a terminal. Nothing of it runs, whatever is asked.\n"
    "  runbookctl show ops/deploy/runbook.mdx | less -R\n"
    "  runbookctl show deploy --print          # to follow by hand, or to print\n"
    "  runbookctl show deploy restart --raw | sha256sum\n";

}  // namespace

const Command kShow{
    "show", "draw a runbook, or show one block's script", kOperands, kOptions, kMore, run_show};

}  // namespace rb::ctl
