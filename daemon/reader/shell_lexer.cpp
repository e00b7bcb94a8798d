#include "daemon/reader/shell_lexer.h"

#include <algorithm>

namespace rb::rdr {
namespace {

constexpr std::size_t kFrames = 200;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

ShellLexer::ShellLexer(std::string_view text, std::vector<std::size_t> cuts, Shell shell)
    : text_(text),
      cuts_(std::move(cuts)),
      shell_(shell),
      limit_(text.size()),
      decisions_(cuts_.size()) {
  frames_.emplace_back();
}

void ShellLexer::lose(std::string why) {
  if (lost_.empty()) {
    lost_ = std::move(why);
  }
}
void ShellLexer::fail(std::string why) {
  if (failed_.empty()) {
    failed_ = std::move(why);
  }
}

void ShellLexer::run() {
  if (text_.find('\0') != std::string_view::npos) {
    lose("the script holds a NUL byte");
  }
  while (!stopped()) {
    if (flow_.full()) {
      lose("the script uses more variables than are followed");
    } else if (cut_ < cuts_.size() && cuts_[cut_] == pos_) {
      take_insertion();
    } else if (pos_ < limit_) {
      name_before_ = false;
      step();
    } else if (top().kind == FrameKind::Document) {
      end_document();
    } else {
      finish();
      break;
    }
  }
}

void ShellLexer::finish() {
  if (limit_ != text_.size()) {
    lose("a here-document ends within a quote or an expansion");
    return;
  }
  end_word();
  if (stopped()) {
    return;
  }
  if (frames_.size() != 1) {
    lose("a quote, bracket or keyword is never closed");
    return;
  }
  if (!pending_.empty() || top().command.expect != Expect::Nothing) {
    lose("a here-document or redirection is never finished");
    return;
  }
  end_pipeline();
  for (const auto& [name, range] : calls_) {
    if (std::find(functions_.begin(), functions_.end(), name) != functions_.end()) {
      flow_.assign("@", range);
    }
  }
  if (function_reads_code_) {
    flow_.mark_variable("<stdin>", "input of a function that reads code");
  }
  for (const std::string& name : integers_) {
    flow_.mark_variable(name, "evaluated as a number");
  }
  flow_.settle();
}

bool ShellLexer::cut_at(std::size_t offset) const {
  // Only cuts ahead matter: cut_ is the next one.
  return std::binary_search(cuts_.begin() + static_cast<std::ptrdiff_t>(cut_), cuts_.end(), offset);
}

// The text goes on so, and no value stands in between.
bool ShellLexer::ahead(std::string_view text) const {
  if (limit_ - pos_ < text.size() || text_.substr(pos_, text.size()) != text) {
    return false;
  }
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (cut_at(pos_ + i)) {
      return false;
    }
  }
  return true;
}

// The next character, NUL where a value or the end stands before it.
char ShellLexer::ahead_one() const {
  return pos_ + 1 < limit_ && !cut_at(pos_ + 1) ? text_[pos_ + 1] : '\0';
}

Frame& ShellLexer::owner() {
  std::size_t at = frames_.size() - 1;
  while (at > 0 && !holds_words(frames_[at].kind)) {
    --at;
  }
  return frames_[at];
}

Frame& ShellLexer::push(FrameKind kind) {
  if (frames_.size() >= kFrames) {
    lose("the script nests too deeply");
  }
  Frame frame;
  frame.kind = kind;
  frame.first = flow_.next();
  frame.command.first = frame.first;
  frame.pipeline.first = frame.first;
  frames_.push_back(std::move(frame));
  return frames_.back();
}

void ShellLexer::open_word() {
  Frame& frame = owner();
  if (!frame.command.word.open) {
    frame.command.word = Word{};
    frame.command.word.open = true;
    frame.command.word.first = flow_.next();
  }
}

void ShellLexer::literal(char c, bool quoted) {
  open_word();
  Word& word = owner().command.word;
  word.plain = word.plain && !quoted;
  word.started = true;
  if (word.known) {
    word.literal += c;
  }
  if (c == '/') {
    word.tail.clear();
    word.tail_known = true;
  } else if (word.tail_known) {
    word.tail += c;
  }
}

// Something whose text isn't known here: an expansion or a value.
void ShellLexer::unknown_part() {
  open_word();
  Word& word = owner().command.word;
  word.plain = false;
  word.known = false;
  word.tail.clear();
  word.tail_known = false;
}

// An unquoted expansion here becomes several words.
bool ShellLexer::splits() {
  if (top().kind != FrameKind::Array && !holds_commands(top().kind)) {
    return false;
  }
  const Frame& frame = top();
  const Expect expect = frame.command.expect;
  const bool listed = expect == Expect::Nothing || expect == Expect::ForWords;
  const bool pattern = frame.kind == FrameKind::Case && frame.part == CasePart::Pattern;
  // dash splits what export and local are given, bash doesn't.
  const bool kept = frame.command.word.open && frame.command.word.assignment &&
                    !(shell_ == Shell::Sh && frame.command.position == Position::Arguments);
  return listed && !pattern && !kept;
}

void ShellLexer::take_insertion() {
  Decision& decision = decisions_[cut_];
  ++cut_;
  open_word();
  Frame& frame = owner();
  Word& word = frame.command.word;
  const ItemId item = flow_.add_insertion();
  if (name_before_) {
    flow_.mark({item, item + 1}, "right after a variable's name");
  }
  word.valued = true;
  if (top().kind == FrameKind::Document) {
    decision.place = Place::HereDocument;
    return;
  }
  decision.place = top().kind == FrameKind::DoubleQuote ? Place::DoubleQuoted : Place::Plain;
  const bool after_marker =
      std::any_of(frame.command.arguments.begin(), frame.command.arguments.end(),
                  [](const Argument& one) { return one.known && one.literal == "--"; });
  decision.word_start = frame.command.position == Position::Arguments && !word.started &&
                        !word.assignment && frame.command.expect == Expect::Nothing &&
                        !after_marker;
  unknown_part();
}

void ShellLexer::step() {
  const FrameKind kind = top().kind;
  if (holds_commands(kind)) {
    step_commands();
  } else if (kind == FrameKind::Array) {
    step_array();
  } else if (kind == FrameKind::Test) {
    step_test();
  } else if (kind == FrameKind::Parameter) {
    step_parameter();
  } else if (kind == FrameKind::Arithmetic || kind == FrameKind::ArithmeticCommand) {
    step_arithmetic();
  } else {
    step_quoted();
  }
}

void ShellLexer::comment() {
  while (!stopped()) {
    if (cut_ < cuts_.size() && cuts_[cut_] == pos_) {
      // A reference in a comment is text that nobody reads; what it takes is a valid one.
      flow_.add_insertion();
      decisions_[cut_].place = Place::Plain;
      ++cut_;
      continue;
    }
    if (pos_ >= limit_ || text_[pos_] == '\n') {
      return;
    }
    ++pos_;
  }
}

void ShellLexer::escape(bool quoted) {
  if (cut_at(pos_ + 1)) {
    fail("a backslash right before a value");
    return;
  }
  if (pos_ + 1 >= limit_) {
    literal('\\', true);
    ++pos_;
    return;
  }
  const char next = text_[pos_ + 1];
  pos_ += 2;
  if (next == '\n') {
    return;  // the line goes on
  }
  const bool kept = quoted && next != '$' && next != '`' && next != '"' && next != '\\';
  if (kept) {
    literal('\\', true);
  }
  literal(next, true);
}

// A newline that ends no command: a here-document that waits would begin in the middle of it.
void ShellLexer::newline_within() {
  if (!pending_.empty()) {
    lose("a here-document begins within something else");
  }
}

// What reads the same in words, quotes and expansions.
bool ShellLexer::step_shared(bool quoted) {
  switch (text_[pos_]) {
    case '\\':
      escape(quoted);
      return true;
    case '$':
      dollar(quoted);
      return true;
    case '`':
      back_quote();
      return true;
    default:
      return false;
  }
}

void ShellLexer::step_quoted() {
  const char c = text_[pos_];
  if (step_shared(true)) {
    return;
  }
  if (c == '"' && top().kind == FrameKind::DoubleQuote) {
    frames_.pop_back();
    ++pos_;
    return;
  }
  if (top().kind == FrameKind::DoubleQuote) {
    if (c == '\n') {
      newline_within();
    }
    literal(c, true);
  }
  ++pos_;
}

void ShellLexer::step_commands() {
  const char c = text_[pos_];
  if (step_shared(false)) {
    return;
  }
  switch (c) {
    case ' ':
    case '\t':
      end_word();
      ++pos_;
      return;
    case '\n':
      newline();
      return;
    case '#':
      if (!top().command.word.open) {
        comment();
        return;
      }
      break;
    case '\'':
      single_quote();
      return;
    case '"':
      open_word();
      owner().command.word.plain = false;
      ++pos_;
      push(FrameKind::DoubleQuote);
      return;
    case ';':
    case '&':
    case '|':
      operator_char(c);
      return;
    case '<':
    case '>':
      redirect(c);
      return;
    case '(':
      open_paren();
      return;
    case ')':
      close_paren();
      return;
    case '=':
      equals();
      return;
    default:
      break;
  }
  literal(c, false);
  ++pos_;
}

void ShellLexer::step_array() {
  const char c = text_[pos_];
  Frame& frame = top();
  if (step_shared(false)) {
    return;
  }
  if (is_blank(c) || c == '\n' || c == ')') {
    Word& word = frame.command.word;
    if (word.open && word.literal.starts_with('[')) {
      flow_.mark({word.first, flow_.next()}, "in the index of an array");
    }
    word.open = false;
    if (c == '\n') {
      newline_within();
    }
    if (c == ')') {
      frames_.pop_back();
      unknown_part();
    }
    ++pos_;
    return;
  }
  if (c == '#' && !frame.command.word.open) {
    comment();
    return;
  }
  if (c == '\'') {
    single_quote();
    return;
  }
  if (c == '"') {
    open_word();
    ++pos_;
    push(FrameKind::DoubleQuote);
    return;
  }
  if (c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(') {
    lose("an operator within an array");
    return;
  }
  literal(c, false);
  ++pos_;
}

void ShellLexer::step_test() {
  const char c = text_[pos_];
  if (step_shared(false)) {
    return;
  }
  Word& word = top().command.word;
  if (is_blank(c) || c == '\n') {
    if (c == '\n') {
      newline_within();
    }
    ++pos_;
    end_word();
    return;
  }
  if (c == '\'') {
    single_quote();
    return;
  }
  if (c == '"') {
    open_word();
    owner().command.word.plain = false;
    ++pos_;
    push(FrameKind::DoubleQuote);
    return;
  }
  const bool odd =
      (c == '#' && !word.open) || c == ';' || ((c == '<' || c == '>') && ahead_one() == '(');
  if (odd) {
    lose("an unusual test in [[ ]]");
    return;
  }
  literal(c, false);
  ++pos_;
}

void ShellLexer::step_arithmetic() {
  const char c = text_[pos_];
  Frame& frame = top();
  if (step_shared(true)) {
    return;
  }
  if (c == '(') {
    ++frame.depth;
  } else if (c == ')' && frame.depth > 0) {
    --frame.depth;
  } else if (c == ')') {
    close_arithmetic();
    return;
  } else if (c == '"') {
    ++pos_;
    push(FrameKind::DoubleQuote);
    return;
  } else if (c == '\'') {
    lose("a single quote in arithmetic");
    return;
  } else if (c == '\n') {
    newline_within();
  } else if (const std::size_t end = name_end(pos_); end > pos_) {
    const std::string_view name = text_.substr(pos_, end - pos_);
    if (!(name[0] >= '0' && name[0] <= '9')) {
      flow_.add_use(name);
    }
    pos_ = end;
    return;
  }
  ++pos_;
}

}  // namespace rb::rdr
