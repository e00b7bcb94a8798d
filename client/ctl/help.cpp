#include "client/ctl/help.h"

#include <array>
#include <string_view>

#include "client/ctl/arguments.h"
#include "client/ctl/commands.h"
#include "client/lib/escape.h"
#include "client/lib/text.h"

namespace rb::ctl {
namespace {

using client::Style;
using client::Terminal;

// Verbs that later versions have: whoever learned them elsewhere gets a clear answer.
constexpr std::array<std::string_view, 16> kLater = {
    "trust",  "reload", "diff",   "mark",  "ack", "approve", "decline", "pending",
    "secret", "policy", "runner", "agent", "mcp", "web",     "config",  "test"};

struct Group {
  const char* title;
  std::span<const Command* const> verbs;
};

std::span<const Group> groups() {
  static const std::array<const Command*, 6> kReading = {&kInit,  &kCheck, &kOpen,
                                                         &kClose, &kList,  &kShow};
  static const std::array<const Command*, 7> kRunning = {&kRun,  &kPs,   &kLogs,  &kAttach,
                                                         &kWait, &kStop, &kEvents};
  static const std::array<const Command*, 7> kSessions = {
      &kSessionStart, &kSessionNote, &kSessionShow, &kSessionLog,
      &kSessionList,  &kSessionEnv,  &kSessionEnd};
  static const std::array<const Command*, 3> kRecords = {&kRecordList, &kRecordShow,
                                                         &kRecordVerify};
  static const std::array<const Command*, 4> kTool = {&kDoctor, &kCompletion, &kVersion, &kHelp};
  static const std::array<Group, 5> kGroups = {{{"Reading", kReading},
                                                {"Running", kRunning},
                                                {"Session", kSessions},
                                                {"Record", kRecords},
                                                {"This tool", kTool}}};
  return kGroups;
}

std::string option_names(const OptionSpec& spec) {
  std::string out = spec.letter == 0 ? "    " : std::string("-") + spec.letter + ", ";
  out += spec.name;
  return spec.value[0] == '\0' ? out : out + " " + spec.value;
}

std::string option_lines(std::span<const OptionSpec> options) {
  std::string out;
  for (const OptionSpec& spec : options) {
    out += "  " + client::padded(option_names(spec), 29) + "  " + spec.help + "\n";
  }
  return out;
}

}  // namespace

std::string usage_of(const Command& command) {
  std::string out = std::string("runbookctl ") + command.name;
  for (const OperandSpec& spec : command.operands) {
    const std::string name = std::string(spec.name) + (spec.repeat ? "..." : "");
    out += spec.required ? " " + name : " [" + name + "]";
  }
  return command.options.empty() ? out : out + " [options]";
}

std::string help_overview(const Terminal& terminal) {
  std::string out =
      "runbookctl runs the commands of runbooks as they are written, in a sandbox, and keeps a\n"
      "record of it that can be checked.\n\n"
      "  runbookctl check ops/                 vet every runbook below a folder; nothing runs\n"
      "  runbookctl run ops/deploy/runbook.mdx run its blocks in order\n"
      "  runbookctl attach -l                  watch the latest execution from its first byte\n"
      "  runbookctl record verify              check that the record is whole\n";
  for (const Group& group : groups()) {
    out += "\n" + terminal.data(Style::Bold, group.title) + "\n";
    for (const Command* command : group.verbs) {
      out += "  " + client::padded(command->name, 15) + "  " + command->summary + "\n";
    }
  }
  return out + "\n`runbookctl VERB --help` tells more.\n";
}

std::string help_of(const Command& command, const Terminal& terminal) {
  std::string out = terminal.data(Style::Bold, "runbookctl " + std::string(command.name)) + ": " +
                    command.summary + "\n\n  " + usage_of(command) + "\n";
  if (command.more[0] != '\0') {
    out += "\n" + std::string(command.more);
  }
  if (!command.operands.empty()) {
    out += "\n";
    for (const OperandSpec& spec : command.operands) {
      out += "  " + client::padded(spec.name, 29) + "  " + spec.help + "\n";
    }
  }
  if (!command.options.empty()) {
    out += "\n" + option_lines(command.options);
  }
  return out + "\n" + option_lines(common_options());
}

std::string unknown_verb(const std::string& typed) {
  for (const std::string_view later : kLater) {
    if (typed == later || typed.compare(0, later.size() + 1, std::string(later) + " ") == 0) {
      return "`" + std::string(later) + "` isn't in this version";
    }
  }
  std::vector<std::string> known;
  for (const Command* command : commands()) {
    known.emplace_back(command->name);
  }
  const std::string near = client::closest(typed, known);
  return "no verb `" + client::label(typed) + "`" +
         (near.empty() ? "; `runbookctl help` lists them" : "; did you mean `" + near + "`?");
}

}  // namespace rb::ctl
