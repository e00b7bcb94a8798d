#include "daemon/reader/tree/js.h"

#include <utility>

namespace rb::rdr::grammar {

bool Js::fail(std::string text) {
  return fail_at(at_, std::move(text));
}

bool Js::fail_at(std::uint32_t index, std::string text) {
  if (failed_) {
    return false;
  }
  failed_ = true;
  const bool placeholder = stream_.text.chars().substr(open_, 2) == "{{";
  context_.refuse(
      stream_.text.offset(index), "syntax-javascript", std::move(text),
      placeholder ? "a placeholder {{ .inputs.Name }} stands in `code`, a fence or a quoted "
                    "prop; write \\{ for a plain brace"
                  : "braces hold a value (\"text\", 42, true, [..]) in MDX; write \\{ for a plain "
                    "brace, or put the text into `code`");
  return false;
}

bool Js::looking_at(std::string_view text) {
  for (std::uint32_t i = 0; i < text.size(); ++i) {
    if (!stream_.text.chars().empty() && at_ + i < stream_.text.size()) {
      if (stream_.text.chars()[at_ + i] != text[i]) {
        return false;
      }
    } else if (peek(i) != text[i]) {
      return false;
    }
  }
  return true;
}

bool Js::take(std::string_view text) {
  if (!looking_at(text)) {
    return false;
  }
  at_ += static_cast<std::uint32_t>(text.size());
  return true;
}

CodePoint Js::point() {
  return stream_.has(at_) ? decode_at(stream_.text.chars(), at_) : CodePoint{};
}

bool Js::skip_comment() {
  const std::uint32_t begin = at_;
  if (peek(1) == '/') {
    while (!done() && peek() != '\n') {
      ++at_;
    }
    return true;
  }
  at_ += 2;
  while (!(peek() == '*' && peek(1) == '/')) {
    if (done()) {
      return fail_at(begin, "this comment is not closed");
    }
    newline_ = newline_ || peek() == '\n';
    ++at_;
  }
  at_ += 2;
  return true;
}

// Asked twice at one place it tells the same about the blanks in front.
bool Js::skip_space() {
  if (at_ == space_end_) {
    return !failed_;
  }
  space_begin_ = at_;
  newline_ = false;
  blank_line_ = false;
  bool line_holds_something = true;
  while (!failed_ && stream_.has(at_)) {
    const char c = stream_.text.chars()[at_];
    if (c == '\n') {
      blank_line_ = blank_line_ || !line_holds_something;
      newline_ = true;
      line_holds_something = false;
      ++at_;
    } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
      if (module_ && brackets_ == 0 && blank_line_) {
        break;
      }
      line_holds_something = true;
      if (!skip_comment()) {
        return false;
      }
    } else {
      const CodePoint next = decode_at(stream_.text.chars(), at_);
      if (!is_space(next.value)) {
        break;
      }
      newline_ = newline_ || next.value == 0x2028 || next.value == 0x2029;
      at_ += next.size;
    }
  }
  space_end_ = at_;
  return !failed_;
}

bool Js::word_ahead(std::string_view word) {
  if (!looking_at(word)) {
    return false;
  }
  const auto after = at_ + static_cast<std::uint32_t>(word.size());
  if (!stream_.has(after)) {
    return true;
  }
  const CodePoint next = decode_at(stream_.text.chars(), after);
  return !is_id_continue(next.value) && next.value != '\\';
}

bool Js::read_word(Word& word) {
  word.begin = at_;
  word.text.clear();
  while (!done()) {
    if (peek() == '\\') {
      at_ += 2;
      char32_t code = 0;
      if (stream_.at(at_ - 1) != 'u' || !unicode_escape(code)) {
        return fail_at(word.begin, "this is not a name");
      }
      word.escaped = true;
      if (!(word.text.empty() ? is_id_start(code) : is_id_continue(code))) {
        return fail_at(word.begin, "this is not a name");
      }
      append_utf8(word.text, code);
      continue;
    }
    const CodePoint next = point();
    if (!(word.text.empty() ? is_id_start(next.value) : is_id_continue(next.value))) {
      break;
    }
    word.text += stream_.text.chars().substr(at_, next.size);
    at_ += next.size;
  }
  return !word.text.empty();
}

JsResult Js::braces(Braces use) {
  JsResult result;
  const std::uint32_t open = at_;
  ++at_;
  if (!skip_space()) {
    return result;
  }
  result.empty = peek() == '}' && !done();
  if (result.empty && use != Braces::Expression) {
    context_.refuse(stream_.text.offset(open), "syntax-empty-braces", "these braces hold no value",
                    "write a value, or leave the braces out");
    return result;
  }
  if (use == Braces::Spread) {
    if (!take("...")) {
      fail_at(open, "braces among attributes must hold a spread");
      return result;
    }
    assignment();
    if (!failed() && skip_space() && take(",")) {
      skip_space();
    }
  } else if (!result.empty) {
    const Value value = expression();
    result.literal = value.partial ? kNone : value.literal;
    result.partial = value.literal;
    if (value.needs_target) {
      fail_at(open, "`=` can't stand in this object");
    }
  }
  if (failed() || !skip_space()) {
    return result;
  }
  if (done()) {
    context_.refuse(stream_.text.offset(open), "syntax-unclosed-brace",
                    stream_.ended == Ended::Container
                        ? "these braces go on beyond the list item or quote they stand in"
                        : "this brace is not closed",
                    "close it with }, or write \\{ for a plain brace");
    return result;
  }
  if (!take("}")) {
    fail("this is more than one value");
    return result;
  }
  result.ok = true;
  result.after = at_;
  return result;
}

JsResult parse_braces(Stream& stream, std::uint32_t open, Context& context, Braces use) {
  return Js(stream, open, context).braces(use);
}

JsResult parse_esm(Stream& stream, Context& context) {
  return Js(stream, 0, context).module();
}

}  // namespace rb::rdr::grammar
