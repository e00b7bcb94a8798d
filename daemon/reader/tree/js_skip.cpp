// Passing over the inside of functions and classes: only balance counts there.
#include <vector>

#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {
namespace {

char closing_of(char open) {
  return open == '(' ? ')' : open == '[' ? ']' : '}';
}

// After these a `/` starts a regular expression.
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

// at_ stands on the opening bracket.
bool Js::skip_balanced() {
  const std::uint32_t begin = at_;
  std::vector<char> open;
  std::string before;
  do {
    if (!skip_space() || done()) {
      return fail_at(begin, "this bracket is not closed");
    }
    const char c = peek();
    if (c == '"' || c == '\'') {
      if (!skip_string(c)) {
        return false;
      }
      before = "\"a";
    } else if (c == '`') {
      template_string(false);
      before = "\"a";
    } else if (c == '/' && regex_may_follow(before)) {
      skip_regex();
      before = "\"a";
    } else if (c == '(' || c == '[' || c == '{') {
      open.push_back(closing_of(c));
      before = c;
      ++at_;
    } else if (c == ')' || c == ']' || c == '}') {
      if (c != open.back()) {
        return fail("this bracket closes nothing");
      }
      open.pop_back();
      before = c;
      ++at_;
    } else if (is_id_start(point().value) || is_ascii_digit(static_cast<unsigned char>(c))) {
      before.clear();
      while (!done() && is_id_continue(point().value)) {
        const CodePoint next = point();
        before += stream_.text.chars().substr(at_, next.size);
        at_ += next.size;
      }
    } else {
      before = c;
      at_ += point().size;
    }
  } while (!failed() && !open.empty());
  return !failed();
}

}  // namespace rb::rdr::grammar
