// Operators, keywords and commands of the shell lexer.
#include <algorithm>
#include <array>

#include "daemon/reader/inputs.h"
#include "daemon/reader/shell_lexer.h"
#include "daemon/reader/shell_programs.h"

namespace rb::rdr {
bool ShellLexer::in_pattern() {
  return top().kind == FrameKind::Case && top().part == CasePart::Pattern &&
         top().command.expect == Expect::Nothing;
}

void ShellLexer::end_word() {
  if (!holds_words(top().kind) || !top().command.word.open) {
    return;
  }
  const Word word = std::move(top().command.word);
  top().command.word = Word{};
  if (top().kind == FrameKind::Test) {
    test_word(word);
  } else if (top().command.expect != Expect::Nothing) {
    expected_word(word);
  } else if (in_pattern()) {
    pattern_word(word);
  } else if (top().command.position == Position::Arguments) {
    argument_word(word);
  } else {
    start_word(word);
  }
}

void ShellLexer::test_word(const Word& word) {
  constexpr std::array<std::string_view, 8> kEvaluating = {"-eq", "-ne", "-lt", "-le",
                                                           "-gt", "-ge", "-v",  "-R"};
  if (word.plain && word.literal == "]]") {
    const ItemId first = top().first;
    if (top().evaluates) {
      flow_.mark({first, flow_.next()}, "in a test that evaluates it as arithmetic");
    }
    frames_.pop_back();
    top().command.position = Position::AfterCompound;
    top().command.compound = true;
    return;
  }
  if (word.plain &&
      std::find(kEvaluating.begin(), kEvaluating.end(), word.literal) != kEvaluating.end()) {
    top().evaluates = true;
  } else if (word.known && is_variable_name(word.literal)) {
    flow_.add_use(word.literal);  // an operand of -gt may be a bare name
  }
}

void ShellLexer::expected_word(const Word& word) {
  Frame& frame = top();
  const ItemRange items{word.first, flow_.next()};
  switch (frame.command.expect) {
    case Expect::Nothing:
      return;
    case Expect::RedirectTarget:
      frame.command.expect = Expect::Nothing;
      return;
    case Expect::HereString:
      frame.command.expect = Expect::Nothing;
      frame.command.inputs.push_back(items);
      flow_.assign("<stdin>", items);
      return;
    case Expect::Delimiter:
    case Expect::DelimiterStripped: {
      const bool strip = frame.command.expect == Expect::DelimiterStripped;
      frame.command.expect = Expect::Nothing;
      note_document(word, strip);
      return;
    }
    case Expect::FunctionName:
      frame.command.expect = Expect::Nothing;
      if (!word.known) {
        lose("a function whose name isn't known");
        return;
      }
      functions_.push_back(word.literal);
      frame.command.defines_function = true;
      return;
    case Expect::ForName:
    case Expect::ForIn:
    case Expect::ForWords:
      loop_word(word, items);
      return;
    case Expect::CaseWord:
      frame.command.expect = Expect::CaseIn;
      return;
    case Expect::CaseIn:
      if (!word.plain || word.literal != "in") {
        lose("a case that isn't understood");
        return;
      }
      reset_command();
      frame.part = CasePart::Pattern;
      return;
  }
}

// for NAME [in WORDS] do
void ShellLexer::loop_word(const Word& word, ItemRange items) {
  Frame& frame = top();
  if (frame.command.expect == Expect::ForWords) {
    flow_.assign(frame.loop_variable, items);
  } else if (frame.command.expect == Expect::ForName) {
    if (!word.plain || !is_variable_name(word.literal)) {
      lose("a loop whose variable isn't known");
      return;
    }
    frame.loop_variable = word.literal;
    frame.command.expect = Expect::ForIn;
  } else if (word.plain && word.literal == "in") {
    frame.command.expect = Expect::ForWords;
  } else if (word.plain && word.literal == "do") {
    loop_over_parameters();
    reset_command();
  } else {
    lose("a loop that isn't understood");
  }
}

// Without "in" a loop goes over the positional parameters.
void ShellLexer::loop_over_parameters() {
  const ItemId item = flow_.add_use("@");
  flow_.assign(top().loop_variable, {item, item + 1});
}

void ShellLexer::pattern_word(const Word& word) {
  if (word.plain && word.literal == "esac" && !top().pattern_begun) {
    close_compound();
    return;
  }
  top().pattern_begun = true;
}

// A word where a command begins: keyword, assignment or the program's name.
void ShellLexer::start_word(const Word& word) {
  Command& command = top().command;
  const bool after = command.position == Position::AfterCompound;
  if (word.plain && !command.assigned && keyword(word.literal)) {
    return;
  }
  if (after) {
    lose("a word after the end of a compound command");
    return;
  }
  if (command.defines_function) {
    lose("a function that isn't understood");
    return;
  }
  if (word.assignment) {
    command.assigned = true;
    assigned(word);
    return;
  }
  command_word(word);
}

void ShellLexer::command_word(const Word& word) {
  Command& command = top().command;
  const ItemRange items{word.first, flow_.next()};
  flow_.mark(items, "the name of the program");
  command.position = Position::Arguments;
  command.name_known = word.known || (word.tail_known && !word.tail.empty() && !word.valued);
  if (command.name_known) {
    command.name = word.known ? base_of(word.literal) : word.tail;
  }
  command.declaration = command.name_known && is_declaration(command.name);
  command.arguments_first = flow_.next();
}

void ShellLexer::argument_word(const Word& word) {
  Command& command = top().command;
  if (word.assignment) {
    assigned(word);
  }
  Argument argument;
  argument.literal = word.literal;
  argument.known = word.known;
  argument.items = {word.first, flow_.next()};
  if (word.assignment && !word.known) {
    argument.items = {flow_.next(), flow_.next()};  // its value was dealt with
  }
  command.arguments.push_back(std::move(argument));
}

bool ShellLexer::keyword(const std::string& word) {
  if (word == "!") {
    return top().command.position == Position::Start;
  }
  if (word == "coproc" && shell_ == Shell::Bash) {
    lose("coproc");
    return true;
  }
  if (word == "function") {
    if (shell_ != Shell::Bash) {
      lose("function, which not every sh understands");
    }
    top().command.expect = Expect::FunctionName;
    return true;
  }
  return opening_keyword(word) || middle_keyword(word) || closing_keyword(word);
}

bool ShellLexer::opening_keyword(const std::string& word) {
  if (top().command.position == Position::AfterCompound) {
    return false;
  }
  if (word == "if") {
    open_compound(FrameKind::If);
  } else if (word == "while" || word == "until") {
    open_compound(FrameKind::Loop);
  } else if (word == "for" || (word == "select" && shell_ == Shell::Bash)) {
    open_compound(FrameKind::Loop);
    top().command.expect = Expect::ForName;
  } else if (word == "case") {
    open_compound(FrameKind::Case);
    top().command.expect = Expect::CaseWord;
  } else if (word == "{") {
    open_compound(FrameKind::Brace);
  } else if (word == "[[" && shell_ == Shell::Bash) {
    push(FrameKind::Test);
  } else if (word == "[[") {
    lose("[[, which not every sh understands");
  } else {
    return false;
  }
  return true;
}

bool ShellLexer::middle_keyword(const std::string& word) {
  const bool of_if = word == "then" || word == "elif" || word == "else";
  if (!of_if && word != "do") {
    return false;
  }
  const FrameKind wanted = of_if ? FrameKind::If : FrameKind::Loop;
  if (top().kind != wanted) {
    lose(word + " in a strange place");
    return true;
  }
  end_pipeline();
  return true;
}

bool ShellLexer::closing_keyword(const std::string& word) {
  constexpr std::array<std::pair<std::string_view, FrameKind>, 4> kClosing = {
      {{"fi", FrameKind::If},
       {"done", FrameKind::Loop},
       {"esac", FrameKind::Case},
       {"}", FrameKind::Brace}}};
  for (const auto& [closing, kind] : kClosing) {
    if (word == closing) {
      if (top().kind != kind) {
        lose(word + " in a strange place");
      } else {
        close_compound();
      }
      return true;
    }
  }
  return false;
}

}  // namespace rb::rdr
