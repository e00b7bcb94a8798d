// What each command does with the values it is given.
#include <algorithm>

#include "daemon/reader/inputs.h"
#include "daemon/reader/shell_lexer.h"
#include "daemon/reader/shell_programs.h"

namespace rb::rdr {
namespace {

bool has_option(const Command& command, std::string_view letters) {
  return std::any_of(command.arguments.begin(), command.arguments.end(), [&](const Argument& one) {
    return one.literal.size() > 1 && (one.literal[0] == '-' || one.literal[0] == '+') &&
           one.literal.find_first_of(letters, 1) != std::string::npos;
  });
}

// What makes the shell read the lines that follow in another way.
bool changes_reading(const Command& command) {
  const auto given = [&](std::string_view word) {
    return std::any_of(command.arguments.begin(), command.arguments.end(),
                       [&](const Argument& one) { return !one.known || one.literal == word; });
  };
  const auto has_word = [&](std::string_view word) {
    return std::any_of(command.arguments.begin(), command.arguments.end(),
                       [&](const Argument& one) { return one.literal == word; });
  };
  return command.name == "alias" ||
         (command.name == "shopt" && (given("extglob") || given("expand_aliases"))) ||
         (command.name == "set" && (has_word("-k") || has_word("keyword")));
}

std::string variable_named_by(const std::string& argument) {
  const std::string name = argument.substr(0, argument.find_first_of("=+["));
  return is_variable_name(name) ? name : "";
}

}  // namespace

void ShellLexer::assigned(const Word& word) {
  const ItemRange value{word.value_first, flow_.next()};
  if (is_dangerous_variable(word.variable)) {
    flow_.mark(value, "the variable " + word.variable + ", which decides what programs do");
  }
  flow_.assign(word.variable, value);
}

void ShellLexer::judge(Command& command) {
  if (command.position != Position::Arguments) {
    return;
  }
  if (!command.name_known) {
    flow_.mark(arguments_of(command), "argument of a program whose name isn't known");
    command.code_input = "input of a program whose name isn't known";
    return;
  }
  if (changes_reading(command)) {
    lose(command.name + ", which changes how the script is read");
    return;
  }
  judge_program(command);
  if (stopped()) {
    return;
  }
  feed(command);
  if (const ItemRange range = arguments_of(command); !range.empty()) {
    calls_.emplace_back(command.name, range);
  }
}

void ShellLexer::judge_program(Command& command) {
  const std::string& name = command.name;
  if (name == "git" && judge_git(command)) {
    return;
  }
  const ProgramTraits traits = traits_of(name);
  if (traits.code_arguments) {
    flow_.mark(arguments_of(command), "argument of " + name + ", which may read it as code");
  }
  if (traits.code_input) {
    command.code_input = "input of " + name + ", which reads it as code";
  }
  judge_arguments(command);
  if (command.declaration) {
    judge_declaration(command);
  } else if (takes_names(name)) {
    judge_names(command);
  } else if (name == "printf") {
    judge_printf(command);
  } else if (name == "test" || name == "[") {
    judge_test(command);
  } else if (name == "set") {
    flow_.assign("@", arguments_of(command));
  }
}

// `docker exec web sh -c ...`: from a program that runs others' words on, they are that program's.
void ShellLexer::judge_arguments(Command& command) {
  for (const Argument& argument : command.arguments) {
    if (!argument.known || argument.literal.empty() || argument.literal[0] == '-') {
      continue;
    }
    const std::string base = base_of(argument.literal);
    const ProgramTraits traits = traits_of(base);
    if (traits.runs_others) {
      flow_.mark({argument.items.end, flow_.next()},
                 "argument of " + base + ", which may read it as code");
    }
    if (traits.runs_others && traits.code_input && command.code_input.empty()) {
      command.code_input = "input of " + base + ", which reads it as code";
    }
  }
  const bool shell =
      (command.name == "sudo" || command.name == "doas") && has_option(command, "si");
  if (shell && command.code_input.empty()) {
    command.code_input = "input of a shell that " + command.name + " starts";
  }
}

void ShellLexer::judge_declaration(const Command& command) {
  const bool evaluates = has_option(command, "in");
  for (const Argument& argument : command.arguments) {
    flow_.mark(argument.items, "in place of a variable's name");
    const std::string name = variable_named_by(argument.literal);
    if (evaluates && !name.empty()) {
      integers_.push_back(name);
    }
    if (evaluates && name.empty() && !argument.literal.starts_with('-')) {
      lose("a declaration of variables that aren't known");
    }
  }
  if (evaluates) {
    flow_.mark(arguments_of(command), "given to " + command.name + ", which evaluates it");
  }
}

void ShellLexer::judge_names(const Command& command) {
  flow_.mark(arguments_of(command), "in place of a variable's name");
  if (command.name == "unset" || command.name == "getopts") {
    return;
  }
  const ItemId item = flow_.add_use("<stdin>");
  const ItemRange input{item, item + 1};
  flow_.assign(command.name == "read" ? "REPLY" : "MAPFILE", input);
  for (const Argument& argument : command.arguments) {
    if (is_variable_name(argument.literal)) {
      flow_.assign(argument.literal, input);
    }
  }
}

void ShellLexer::judge_printf(const Command& command) {
  std::size_t format = 0;
  if (!command.arguments.empty() && command.arguments[0].literal.starts_with("-v")) {
    format = 2;
    if (command.arguments.size() > 1) {
      flow_.mark(command.arguments[1].items, "in place of a variable's name");
      if (is_variable_name(command.arguments[1].literal)) {
        flow_.assign(command.arguments[1].literal, arguments_of(command));
      }
    }
    if (command.arguments[0].literal != "-v") {
      flow_.mark(arguments_of(command), "in place of a variable's name");
    }
  } else if (!command.arguments.empty() && command.arguments[0].literal == "--") {
    format = 1;
  }
  if (command.arguments.size() > format) {
    flow_.mark(command.arguments[format].items,
               "the format of printf, in which % and \\ mean something: write printf '%s'");
  }
}

void ShellLexer::judge_test(const Command& command) {
  const bool names =
      std::any_of(command.arguments.begin(), command.arguments.end(),
                  [](const Argument& one) { return one.literal == "-v" || one.literal == "-R"; });
  if (names) {
    flow_.mark(arguments_of(command), "in place of a variable's name");
  }
}

// A message is text; everything else git is given may name a program or a helper.
bool ShellLexer::judge_git(const Command& command) {
  const auto& words = command.arguments;
  const bool plain = !words.empty() && words[0].known &&
                     (words[0].literal == "commit" || words[0].literal == "tag" ||
                      words[0].literal == "stash" || words[0].literal == "notes");
  if (!plain) {
    return false;
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& before = words[i - 1].literal;
    const bool message =
        words[i].literal.starts_with("--message=") ||
        (words[i - 1].known && (before == "-m" || before == "--message" || before == "-am"));
    if (!message) {
      flow_.mark(words[i].items, "argument of git, which may read it as code");
    }
  }
  return true;
}

// A command without input of its own passes on what its pipeline brings: nothing to do but for
// programs that read code, whose pipeline and here-documents are marked when the command ends.
void ShellLexer::feed(Command& command) {
  const bool function =
      std::find(functions_.begin(), functions_.end(), command.name) != functions_.end();
  if (function && function_reads_code_ && command.code_input.empty()) {
    command.code_input = "input of the function " + command.name + ", which reads it as code";
  }
}

}  // namespace rb::rdr
