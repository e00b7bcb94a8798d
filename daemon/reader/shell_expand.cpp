// Quotes and expansions of the shell lexer.
#include <algorithm>

#include "daemon/reader/shell_lexer.h"

namespace rb::rdr {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_special(char c) {
  return std::string_view("@*#?-$!").find(c) != std::string_view::npos && c != '\0';
}

}  // namespace

// After the letters, digits and underscores that stand here without a value among them.
std::size_t ShellLexer::name_end(std::size_t from) const {
  std::size_t end = from;
  while (end < limit_ && (is_letter(text_[end]) || is_digit(text_[end])) &&
         (end == from || !cut_at(end))) {
    ++end;
  }
  return end;
}

// Passes over text that nothing is expanded in, up to `end`; variables named in it are noted, for
// it may be code for somebody else.
void ShellLexer::raw_until(char end, bool escapes) {
  while (!stopped()) {
    if (cut_ < cuts_.size() && cuts_[cut_] == pos_) {
      flow_.add_insertion();
      ++cut_;
      continue;
    }
    if (pos_ >= limit_) {
      lose("a quote is never closed");
      return;
    }
    const char c = text_[pos_];
    if (c == end) {
      return;
    }
    if (c == '\n') {
      newline_within();
    }
    if (c == '\\' && escapes) {
      if (cut_at(pos_ + 1)) {
        fail("a backslash right before a value");
        return;
      }
      ++pos_;
    } else if (c == '$' && !cut_at(pos_ + 1)) {
      const std::size_t from = pos_ + (ahead("${") ? 2U : 1U);
      if (const std::size_t name = name_end(from); name > from) {
        flow_.add_use(is_digit(text_[from]) ? "@" : text_.substr(from, name - from));
      }
    }
    ++pos_;
  }
}

void ShellLexer::single_quote() {
  open_word();
  ++pos_;
  const std::size_t from = pos_;
  const std::size_t first_cut = cut_;
  Frame& frame = owner();
  const bool at_start = frame.command.position == Position::Arguments &&
                        !frame.command.word.started && !frame.command.word.assignment &&
                        frame.command.expect == Expect::Nothing;
  raw_until('\'', false);
  Word& word = frame.command.word;
  word.plain = false;
  for (std::size_t cut = first_cut; cut < cut_; ++cut) {
    decisions_[cut].place = Place::SingleQuoted;
    decisions_[cut].word_start = at_start && cuts_[cut] == from;
  }
  if (cut_ != first_cut) {
    unknown_part();
    word.valued = true;
    word.started = word.started || pos_ > from;
  } else {
    for (std::size_t at = from; at < pos_ && !stopped(); ++at) {
      literal(text_[at], true);
    }
  }
  ++pos_;
}

void ShellLexer::ansi_quote() {
  if (shell_ != Shell::Bash) {
    lose("$'...', which not every sh understands");
    return;
  }
  open_word();
  pos_ += 2;
  const ItemId first = flow_.next();
  raw_until('\'', true);
  flow_.mark({first, flow_.next()}, "inside $'...'");
  unknown_part();
  owner().command.word.started = true;
  ++pos_;
}

void ShellLexer::back_quote() {
  open_word();
  ++pos_;
  const ItemId first = flow_.next();
  raw_until('`', true);
  flow_.mark({first, flow_.next()}, "inside `...`");
  unknown_part();
  ++pos_;
}

void ShellLexer::use(std::string_view name, bool quoted) {
  const bool split = !quoted && splits();
  unknown_part();
  const ItemId item = flow_.add_use(name);
  if (split) {
    flow_.mark({item, item + 1}, "used without quotes, where it becomes several words");
  }
}

// At a `$`.
void ShellLexer::dollar(bool quoted) {
  if (cut_at(pos_ + 1)) {
    fail("a $ right before a value: write \\$ for a plain dollar sign");
    return;
  }
  const char next = ahead_one();
  if (next == '(') {
    if (ahead("$((")) {
      unknown_part();
      pos_ += 3;
      push(FrameKind::Arithmetic);
    } else {
      (void)open_substitution(false);
    }
  } else if (next == '{') {
    open_parameter(quoted);
  } else if (next == '\'' && !quoted) {
    ansi_quote();
  } else if (next == '"' && !quoted) {
    unknown_part();
    ++pos_;  // bash translates such a string; the quotes are the same
  } else if (next == '[' && shell_ == Shell::Bash) {
    lose("$[...], an old kind of arithmetic");
  } else if (is_letter(next) || is_digit(next) || is_special(next)) {
    variable(quoted);
  } else {
    literal('$', true);
    ++pos_;
  }
}

// $NAME, $1, $@ ...
void ShellLexer::variable(bool quoted) {
  ++pos_;
  const char c = text_[pos_];
  if (is_letter(c)) {
    const std::size_t end = name_end(pos_);
    use(text_.substr(pos_, end - pos_), quoted);
    pos_ = end;
    name_before_ = cut_at(end);
    return;
  }
  if (is_digit(c) || c == '@' || c == '*') {
    use("@", quoted);
  } else {
    unknown_part();
  }
  ++pos_;
}

void ShellLexer::open_parameter(bool quoted) {
  const FrameKind around = top().kind;
  const bool in_quotes = around == FrameKind::DoubleQuote || around == FrameKind::Document ||
                         (around == FrameKind::Parameter && top().quoted);
  pos_ += 2;
  bool indirect = false;
  if (pos_ < limit_ && !cut_at(pos_) && (text_[pos_] == '!' || text_[pos_] == '#')) {
    const char next = ahead_one();
    if (is_letter(next) || is_digit(next) || next == '@' || next == '*') {
      indirect = text_[pos_] == '!';
      ++pos_;
    }
  }
  const ItemId item = flow_.next();
  parameter_name(quoted);
  if (indirect) {
    flow_.mark({item, item + 1}, "the name of another variable");
  }
  if (pos_ < limit_ && !cut_at(pos_) && text_[pos_] == '@') {
    flow_.mark({item, item + 1}, "expanded by ${...@...}");
  }
  push(FrameKind::Parameter).quoted = in_quotes;
}

// The name in ${NAME...}. A value in its place stands inside the expansion.
void ShellLexer::parameter_name(bool quoted) {
  if (pos_ >= limit_ || cut_at(pos_)) {
    unknown_part();
    return;
  }
  const char c = text_[pos_];
  const std::size_t end = name_end(pos_);
  if (is_letter(c)) {
    use(text_.substr(pos_, end - pos_), quoted);
    pos_ = end;
  } else if (is_digit(c) || c == '@' || c == '*') {
    use("@", quoted);
    pos_ = std::max(end, pos_ + 1);
  } else {
    unknown_part();
    pos_ += is_special(c) ? 1U : 0U;
  }
}

void ShellLexer::step_parameter() {
  const char c = text_[pos_];
  if (step_shared(true)) {
    return;
  }
  if (c == '}') {
    close_parameter();
    return;
  }
  if (c == '"') {
    ++pos_;
    push(FrameKind::DoubleQuote);
    return;
  }
  if (c == '\'') {
    quote_in_parameter();
    return;
  }
  if (c == '\n') {
    newline_within();
  }
  if (const std::size_t end = name_end(pos_); end > pos_) {
    // An index, an offset: a name here may be arithmetic. In a default value it is only text.
    if (is_letter(c)) {
      flow_.add_use(text_.substr(pos_, end - pos_));
    }
    pos_ = end;
    return;
  }
  ++pos_;
}

void ShellLexer::close_parameter() {
  const ItemId first = top().first;
  frames_.pop_back();
  flow_.mark({first, flow_.next()}, "inside ${...}");
  unknown_part();
  ++pos_;
}

// Within "${...}" shells differ about single quotes. Where both readings end at the same place it
// doesn't matter.
void ShellLexer::quote_in_parameter() {
  const bool quoted = top().quoted;
  const std::size_t end = text_.find('\'', pos_ + 1);
  if (end == std::string_view::npos || end >= limit_) {
    lose("a single quote in ${...}");
    return;
  }
  const std::string_view inside = text_.substr(pos_ + 1, end - pos_ - 1);
  if (quoted && inside.find_first_of("}\"`$\\\n") != std::string_view::npos) {
    lose("a single quote in \"${...}\"");
    return;
  }
  ++pos_;
  raw_until('\'', false);
  ++pos_;
}

Frame& ShellLexer::open_substitution(bool process) {
  open_word();
  pos_ += 2;
  Frame& frame = push(FrameKind::Substitution);
  frame.process = process;
  ++level_;
  return frame;
}

void ShellLexer::close_arithmetic() {
  if (!ahead("))")) {
    lose("$(( that isn't closed by ))");
    return;
  }
  const ItemId first = top().first;
  const bool command = top().kind == FrameKind::ArithmeticCommand;
  frames_.pop_back();
  flow_.mark({first, flow_.next()}, "in arithmetic");
  pos_ += 2;
  if (!command) {
    unknown_part();
    return;
  }
  Command& outer = top().command;
  if (outer.expect == Expect::ForName) {
    outer.expect = Expect::Nothing;
    outer.position = Position::Start;
  } else {
    outer.position = Position::AfterCompound;
    outer.compound = true;
  }
}

}  // namespace rb::rdr
