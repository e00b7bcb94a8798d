#include "client/ctl/completion.h"

#include <set>
#include <vector>

#include "client/ctl/arguments.h"
#include "client/ctl/commands.h"

namespace rb::ctl {
namespace {

// Executions, runbooks and profiles are asked of the daemon when a word is completed; each of
// these prints nothing, and starts nothing, where no daemon runs.
constexpr const char* kListExecutions =
    "runbookctl ps --all 2>/dev/null | tail -n +2 | cut -d' ' -f1";
constexpr const char* kListRunbooks = "runbookctl list 2>/dev/null | tail -n +2 | cut -d' ' -f1";

std::string first_word(const Command& command) {
  const std::string name = command.name;
  return name.substr(0, name.find(' '));
}

std::string second_word(const Command& command) {
  const std::string name = command.name;
  const std::size_t blank = name.find(' ');
  return blank == std::string::npos ? "" : name.substr(blank + 1);
}

std::vector<std::string> first_words() {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const Command* command : commands()) {
    if (seen.insert(first_word(*command)).second) {
      out.push_back(first_word(*command));
    }
  }
  return out;
}

std::string seconds_of(const std::string& first) {
  std::string out;
  for (const Command* command : commands()) {
    if (first_word(*command) == first && !second_word(*command).empty()) {
      out += (out.empty() ? "" : " ") + second_word(*command);
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    out += (out.empty() ? "" : " ") + word;
  }
  return out;
}

std::string option_words(const Command& command) {
  std::string out;
  for (const auto options : {command.options, common_options()}) {
    for (const OptionSpec& spec : options) {
      out += (out.empty() ? "" : " ") + std::string(spec.name);
    }
  }
  return out;
}

Complete operand_kind(const Command& command) {
  return command.operands.empty() ? Complete::Nothing : command.operands[0].complete;
}

// A bash command that fills COMPREPLY for operands of that kind; also run by zsh's bashcompinit.
std::string bash_operands(const Command& command) {
  switch (operand_kind(command)) {
    case Complete::Path:
      return "_filedir_or_default";
    case Complete::Folder:
      return "COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Complete::Runbook:
      return "COMPREPLY=($(compgen -f -W \"$(" + std::string(kListRunbooks) + ")\" -- \"$cur\"))";
    case Complete::Execution:
      return "COMPREPLY=($(compgen -W \"$(" + std::string(kListExecutions) + ")\" -- \"$cur\"))";
    case Complete::Profile:
      return "COMPREPLY=($(compgen -W \"inspect workspace sealed host\" -- \"$cur\"))";
    case Complete::Verb:
      return "COMPREPLY=($(compgen -W \"" + joined(first_words()) + "\" -- \"$cur\"))";
    case Complete::Block:
    case Complete::Nothing:
      return std::string(command.name) == "completion"
                 ? "COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$cur\"))"
                 : ":";
  }
  return ":";
}

std::string bash_script() {
  std::string out =
      "# bash completion for runbookctl; made by `runbookctl completion bash`\n"
      "_runbookctl() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\" verb=\"${COMP_WORDS[1]}\"\n"
      "  COMPREPLY=()\n"
      "  _filedir_or_default() { COMPREPLY=($(compgen -f -- \"$cur\")); }\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W \"" +
      joined(first_words()) +
      "\" -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"$verb\" in\n";
  for (const std::string& first : first_words()) {
    const std::string seconds = seconds_of(first);
    if (!seconds.empty()) {
      out += "    " + first +
             ")\n      if [[ $COMP_CWORD -eq 2 ]]; then COMPREPLY=($(compgen -W \"" + seconds +
             "\" -- \"$cur\")); return; fi\n      verb=\"$verb ${COMP_WORDS[2]}\" ;;\n";
    }
  }
  out += "  esac\n  case \"$verb\" in\n";
  for (const Command* command : commands()) {
    out += "    \"" + std::string(command->name) + "\")\n" +
           "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"" + option_words(*command) +
           "\" -- \"$cur\")); else " + bash_operands(*command) + "; fi ;;\n";
  }
  return out + "  esac\n}\ncomplete -o filenames -F _runbookctl runbookctl\n";
}

std::string zsh_script() {
  return "#compdef runbookctl\n"
         "# zsh completion for runbookctl; made by `runbookctl completion zsh`\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash_script();
}

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out + "'";
}

std::string fish_condition(const Command& command) {
  const std::string second = second_word(command);
  return "__fish_seen_subcommand_from " + first_word(command) +
         (second.empty() ? "" : "; and __fish_seen_subcommand_from " + second);
}

std::string fish_options(const Command& command) {
  std::string out;
  for (const auto options : {command.options, common_options()}) {
    for (const OptionSpec& spec : options) {
      out += "complete -c runbookctl -n " + fish_quoted(fish_condition(command)) + " -l " +
             std::string(spec.name + 2);
      out += spec.letter == 0 ? "" : std::string(" -s ") + spec.letter;
      out +=
          std::string(spec.value[0] == '\0' ? "" : " -r") + " -d " + fish_quoted(spec.help) + "\n";
    }
  }
  return out;
}

std::string fish_operands(const Command& command) {
  const std::string head =
      "complete -c runbookctl -n " + fish_quoted(fish_condition(command)) + " -f -a ";
  switch (operand_kind(command)) {
    case Complete::Runbook:
      return head + fish_quoted("(" + std::string(kListRunbooks) + ")") + "\n" +
             "complete -c runbookctl -n " + fish_quoted(fish_condition(command)) + " -F\n";
    case Complete::Execution:
      return head + fish_quoted("(" + std::string(kListExecutions) + ")") + "\n";
    case Complete::Path:
    case Complete::Folder:
      return "complete -c runbookctl -n " + fish_quoted(fish_condition(command)) + " -F\n";
    case Complete::Profile:
    case Complete::Verb:
    case Complete::Block:
    case Complete::Nothing:
      return "";
  }
  return "";
}

std::string fish_script() {
  std::string out =
      "# fish completion for runbookctl; made by `runbookctl completion fish`\n"
      "complete -c runbookctl -f\n";
  for (const Command* command : commands()) {
    const std::string second = second_word(*command);
    const std::string condition = second.empty()
                                      ? "__fish_use_subcommand"
                                      : "__fish_seen_subcommand_from " + first_word(*command);
    out += "complete -c runbookctl -n " + fish_quoted(condition) + " -a " +
           (second.empty() ? first_word(*command) : second) + " -d " +
           fish_quoted(command->summary) + "\n";
  }
  for (const char* group : {"session", "record"}) {
    out += std::string("complete -c runbookctl -n __fish_use_subcommand -a ") + group + "\n";
  }
  for (const Command* command : commands()) {
    out += fish_options(*command) + fish_operands(*command);
  }
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") {
    return bash_script();
  }
  if (shell == "zsh") {
    return zsh_script();
  }
  return shell == "fish" ? fish_script() : "";
}

}  // namespace rb::ctl
