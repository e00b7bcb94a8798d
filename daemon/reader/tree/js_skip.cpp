// Passing over the inside of functions and classes: only balance counts there.
#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {
namespace {

char closing_of(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

// After these a `/` starts a regular expression, a `<` a tag.
bool regex_may_follow(std::string_view before) {
  if (before.empty()) {
    return true;
  }
  if (is_id_continue(static_cast<unsigned char>(before.back()))) {
    return before == "return" || before == "typeof" || before == "case" || before == "in" ||
           before == "of" || before == "do" || before == "else" || before == "void" ||
           before == "delete" || before == "throw" || before == "new" || before == "await" ||
           before == "yield" || before == "instanceof";
  }
  return before != ")" && before != "]" && before != "}";
}

}  // namespace

bool Js::skip_string(char quote) {
  const std::uint32_t begin = at_;
  ++at_;
  while (peek() != quote) {
    if (done() || (peek() == '\n' && quote != '`')) {
      return fail_at(begin, "this string is not closed");
    }
    at_ += peek() == '\\' && stream_.has(at_ + 1) ? 2 : 1;
  }
  ++at_;
  return true;
}

bool Js::skip_regex() {
  return regex().literal != kNone;
}

// A word or number, whole.
std::string Js::skip_word() {
  std::string word;
  while (!done() && is_id_continue(point().value)) {
    const CodePoint next = point();
    word += stream_.text.chars().substr(at_, next.size);
    at_ += next.size;
  }
  return word;
}

// A string, template string, regular expression or tag, where one starts here.
bool Js::skip_text(const std::string& before, bool& found) {
  const char c = peek();
  const bool quoted = c == '"' || c == '\'';
  found = quoted || c == '`' || ((c == '/' || c == '<') && regex_may_follow(before));
  if (!found) {
    return true;
  }
  if (c == '<') {
    markup();
    return !failed();
  }
  if (c == '`') {
    template_string(false);
    return !failed();
  }
  return quoted ? skip_string(c) : skip_regex();
}

// One token; `before` is the last one, `open` the brackets still to close.
bool Js::skip_token(std::string& before, std::string& open) {
  bool text = false;
  if (!skip_text(before, text)) {
    return false;
  }
  if (text) {
    before.assign(1, '0');  // as a number: a `/` behind it divides
    return true;
  }
  const char c = peek();
  if (is_id_start(point().value) || is_ascii_digit(static_cast<unsigned char>(c))) {
    before = skip_word();
    return true;
  }
  at_ += point().size;
  before = c;
  if (c == '(' || c == '[' || c == '{') {
    open += closing_of(c);
  } else if (c == ')' || c == ']' || c == '}') {
    if (c != open.back()) {
      return fail("this bracket closes nothing");
    }
    open.pop_back();
  }
  return true;
}

// at_ stands on the opening bracket.
bool Js::skip_balanced() {
  const std::uint32_t begin = at_;
  std::string open;
  std::string before;
  do {
    if (!skip_space() || done()) {
      return fail_at(begin, "this bracket is not closed");
    }
  } while (skip_token(before, open) && !open.empty());
  return !failed();
}

}  // namespace rb::rdr::grammar
