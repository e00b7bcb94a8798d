// Compound commands, pipelines, redirections and assignments of the shell lexer.
#include <algorithm>

#include "daemon/reader/inputs.h"
#include "daemon/reader/shell_lexer.h"

namespace rb::rdr {
namespace {

// NAME, or NAME+ as in NAME+=value; "" for anything else.
std::string assigned_name(std::string_view literal) {
  if (literal.ends_with('+')) {
    literal.remove_suffix(1);
  }
  return is_variable_name(literal) ? std::string(literal) : "";
}

// NAME[ as in NAME[index]=value.
std::string indexed_name(std::string_view literal) {
  const std::size_t bracket = literal.find('[');
  return bracket == std::string_view::npos ? "" : assigned_name(literal.substr(0, bracket));
}

}  // namespace

void ShellLexer::open_compound(FrameKind kind) {
  top().command.compound = true;
  push(kind);
}

void ShellLexer::close_compound() {
  end_pipeline();
  if (stopped()) {
    return;
  }
  const std::string code_input = top().code_input;
  frames_.pop_back();
  Command& command = top().command;
  command.position = Position::AfterCompound;
  command.compound = true;
  if (command.code_input.empty()) {
    command.code_input = code_input;
  }
  if (command.defines_function && !code_input.empty()) {
    function_reads_code_ = true;
  }
}

void ShellLexer::close_substitution() {
  end_pipeline();
  if (stopped()) {
    return;
  }
  const bool waits =
      std::any_of(pending_.begin(), pending_.end(),
                  [this](const PendingDocument& document) { return document.level == level_; });
  if (waits) {
    lose("a here-document that begins after the end of its substitution");
    return;
  }
  const std::string code_input = top().code_input;
  if (top().fed && !code_input.empty()) {
    lose("a >( ) that reads code: whatever is printed may go there");
    return;
  }
  const ItemId first = top().first;
  const bool process = top().process;
  frames_.pop_back();
  --level_;
  if (!process && splits()) {
    flow_.mark({first, flow_.next()}, "in a $(...) without quotes, which becomes several words");
  }
  unknown_part();
  if (Command& command = owner().command; command.code_input.empty()) {
    command.code_input = code_input;
  }
}

void ShellLexer::reset_command() {
  top().command = Command{};
  top().command.first = flow_.next();
}

// The end of one command, which may be followed by a pipe.
void ShellLexer::end_stage() {
  end_word();
  if (stopped()) {
    return;
  }
  Frame& frame = top();
  if (frame.command.expect == Expect::ForWords) {
    frame.command.expect = Expect::Nothing;
  } else if (frame.command.expect == Expect::ForIn) {
    loop_over_parameters();
    frame.command.expect = Expect::Nothing;
  } else if (frame.command.expect != Expect::Nothing) {
    lose("a command that ends too early");
    return;
  }
  judge(frame.command);
  const ItemRange before{frame.pipeline.first, frame.command.first};
  if (frame.pipeline.open) {
    flow_.assign("<stdin>", before);
  }
  if (!frame.command.code_input.empty()) {
    flow_.mark(before, frame.command.code_input);
    for (const ItemRange& input : frame.command.inputs) {
      flow_.mark(input, frame.command.code_input);
    }
    frame.code_input = frame.command.code_input;
  }
  reset_command();
}

void ShellLexer::end_pipeline() {
  end_stage();
  if (!stopped()) {
    top().pipeline = Pipeline{flow_.next(), false};
  }
}

void ShellLexer::operator_char(char c) {
  end_word();
  if (stopped()) {
    return;
  }
  if (in_pattern() && c == '|') {
    ++pos_;
    return;
  }
  if (c == ';') {
    semicolon();
    return;
  }
  if (ahead("&>")) {
    if (shell_ != Shell::Bash) {
      lose("&>, which not every sh understands");
      return;
    }
    pos_ += ahead("&>>") ? 3U : 2U;
    top().command.expect = Expect::RedirectTarget;
    return;
  }
  if (ahead("&&") || ahead("||")) {
    pos_ += 2;
    end_pipeline();
    return;
  }
  if (c == '&') {
    ++pos_;
    end_pipeline();
    return;
  }
  pos_ += ahead("|&") ? 2U : 1U;
  end_stage();
  if (!stopped()) {
    top().pipeline.open = true;
  }
}

void ShellLexer::semicolon() {
  const bool ends_case = ahead(";;") || ahead(";&");
  if (!ends_case) {
    ++pos_;
    end_pipeline();
    return;
  }
  if (top().kind != FrameKind::Case || top().part != CasePart::Body) {
    lose(";; outside a case");
    return;
  }
  pos_ += ahead(";;&") ? 3U : 2U;
  end_pipeline();
  if (!stopped()) {
    top().part = CasePart::Pattern;
    top().pattern_begun = false;
  }
}

void ShellLexer::newline() {
  end_word();
  if (stopped()) {
    return;
  }
  Frame& frame = top();
  ++pos_;
  const bool nothing_yet = frame.command.position == Position::Start && !frame.command.assigned &&
                           !frame.command.compound;
  const bool waits_for_in =
      frame.command.expect == Expect::CaseIn || (frame.command.expect == Expect::ForIn);
  if (!(frame.pipeline.open && nothing_yet) && !in_pattern() && !waits_for_in &&
      !(frame.command.defines_function && !frame.command.compound)) {
    end_pipeline();
  }
  if (!stopped() && !pending_.empty()) {
    start_documents();
  }
}

// At < or >.
void ShellLexer::redirect(char c) {
  if (ahead_one() == '(') {
    if (shell_ != Shell::Bash) {
      lose("<( ), which not every sh understands");
      return;
    }
    open_substitution(true).fed = c == '>';
    return;
  }
  Word& word = top().command.word;
  const bool number = word.open && word.plain && !word.literal.empty() &&
                      word.literal.find_first_not_of("0123456789") == std::string::npos;
  if (number) {
    word = Word{};  // 2>file
  } else {
    end_word();
  }
  if (stopped()) {
    return;
  }
  if (top().command.expect != Expect::Nothing || in_pattern()) {
    lose("a redirection in a strange place");
    return;
  }
  Expect expect = Expect::RedirectTarget;
  if (ahead("<<<")) {
    if (shell_ != Shell::Bash) {
      lose("<<<, which not every sh understands");
      return;
    }
    expect = Expect::HereString;
    pos_ += 3;
  } else if (ahead("<<")) {
    pos_ += 2;
    const bool strip = pos_ < limit_ && text_[pos_] == '-' && !cut_at(pos_);
    expect = strip ? Expect::DelimiterStripped : Expect::Delimiter;
    pos_ += strip ? 1U : 0U;
  } else {
    const char next = ahead_one();
    pos_ += next == '&' || next == '|' || (next == '>' && c != next) || next == c ? 2U : 1U;
  }
  top().command.expect = expect;
}

void ShellLexer::equals() {
  Command& command = top().command;
  const bool may = command.expect == Expect::Nothing && !in_pattern() &&
                   (command.position == Position::Start ||
                    (command.position == Position::Arguments && command.declaration));
  Word& word = command.word;
  std::string name;
  if (may && word.open && !word.assignment && word.plain) {
    name = assigned_name(word.literal);
  }
  const bool bracket = pos_ > 0 && (text_[pos_ - 1] == ']' || text_[pos_ - 1] == '+');
  if (may && word.open && !word.assignment && name.empty() && bracket) {
    name = indexed_name(word.literal);
    if (!name.empty()) {
      flow_.mark({word.first, flow_.next()}, "in the index of an array");
    }
  }
  literal('=', false);
  if (name.empty()) {
    ++pos_;
    return;
  }
  word.assignment = true;
  word.variable = name;
  word.value_first = flow_.next();
  if (ahead_one() != '(') {
    ++pos_;
    return;
  }
  if (shell_ != Shell::Bash) {
    lose("an array, which not every sh understands");
    return;
  }
  pos_ += 2;
  push(FrameKind::Array);
}

void ShellLexer::open_paren() {
  Command& command = top().command;
  if (in_pattern()) {
    if (command.word.open || top().pattern_begun) {
      lose("an extended pattern");
      return;
    }
    ++pos_;
    return;
  }
  if (command.defines_function && !command.compound && ahead("()")) {
    pos_ += 2;  // function NAME ()
    return;
  }
  const bool begins =
      !command.word.open && command.position == Position::Start && !command.assigned;
  const bool loop = command.expect == Expect::ForName && !command.word.open;
  if ((begins || loop) && ahead("((")) {
    if (shell_ != Shell::Bash) {
      lose("((, which not every sh understands");
      return;
    }
    command.compound = true;
    pos_ += 2;
    push(FrameKind::ArithmeticCommand);
    return;
  }
  if (begins && command.expect == Expect::Nothing) {
    ++pos_;
    open_compound(FrameKind::Group);
    return;
  }
  define_function();
}

// NAME ()
void ShellLexer::define_function() {
  const bool named_before = top().command.expect == Expect::FunctionName;
  end_word();
  if (stopped() || named_before) {
    return;
  }
  Command& command = top().command;
  const bool named = command.position == Position::Arguments && command.name_known &&
                     command.arguments.empty() && !command.assigned &&
                     command.expect == Expect::Nothing;
  std::size_t at = pos_ + 1;
  while (at < limit_ && (text_[at] == ' ' || text_[at] == '\t') && !cut_at(at)) {
    ++at;
  }
  if (!named || at >= limit_ || text_[at] != ')' || cut_at(at)) {
    lose("a parenthesis in a strange place");
    return;
  }
  functions_.push_back(command.name);
  pos_ = at + 1;
  reset_command();
  top().command.defines_function = true;
}

void ShellLexer::close_paren() {
  end_word();
  if (stopped()) {
    return;
  }
  ++pos_;
  if (in_pattern()) {
    top().part = CasePart::Body;
    reset_command();
    return;
  }
  if (top().kind == FrameKind::Group) {
    close_compound();
  } else if (top().kind == FrameKind::Substitution) {
    close_substitution();
  } else {
    lose("a closing parenthesis in a strange place");
  }
}

}  // namespace rb::rdr
