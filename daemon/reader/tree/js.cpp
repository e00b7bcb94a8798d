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

// One blank, line ending or comment; `content`: the line holds something so far.
bool Js::skip_one_blank(bool& content) {
  const CodePoint next = point();
  const bool comment = next.value == '/' && (peek(1) == '/' || peek(1) == '*');
  if (comment) {
    content = true;
    return !(module_ && brackets_ == 0 && blank_line_) && skip_comment();
  }
  if (next.size == 0 || !is_space(next.value)) {
    return false;
  }
  at_ += next.size;
  const bool line_ends = next.value == '\n';
  blank_line_ = blank_line_ || (line_ends && !content);
  newline_ = newline_ || line_ends || next.value == 0x2028 || next.value == 0x2029;
  content = content && !line_ends;
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
  bool content = true;
  while (skip_one_blank(content)) {
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

// The next character of a name, escaped or not; taken only if it fits. False: it doesn't.
bool Js::take_name_character(Word& word) {
  const auto fits = [&](char32_t c) {
    return word.text.empty() ? is_id_start(c) : is_id_continue(c);
  };
  const CodePoint next = point();
  if (next.value != '\\') {
    if (next.size == 0 || !fits(next.value)) {
      return false;
    }
    word.text += stream_.text.chars().substr(at_, next.size);
    at_ += next.size;
    return true;
  }
  at_ += 2;
  char32_t code = 0;
  if (stream_.at(at_ - 1) != 'u' || !unicode_escape(code) || !fits(code)) {
    return fail_at(word.begin, "this is not a name");
  }
  word.escaped = true;
  append_utf8(word.text, code);
  return true;
}

bool Js::read_word(Word& word) {
  word.begin = at_;
  word.text.clear();
  while (take_name_character(word)) {
  }
  return !failed() && !word.text.empty();
}

// What stands between the braces; false: refused.
bool Js::braces_content(Braces use, JsResult& result) {
  result.empty = peek() == '}' && !done();
  if (result.empty) {
    if (use != Braces::Expression) {
      failed_ = true;
      context_.refuse(stream_.text.offset(open_), "syntax-empty-braces",
                      "these braces hold no value", "write a value, or leave the braces out");
    }
    return !failed();
  }
  if (use == Braces::Spread) {
    if (!take("...")) {
      return fail_at(open_, "braces among attributes must hold a spread");
    }
    const Value spread = assignment();
    if (spread.needs_target) {
      return fail_at(open_, "`=` can't stand in this object");
    }
    return !failed() && skip_space() && (!take(",") || skip_space());
  }
  const Value value = expression();
  result.literal = value.partial ? kNone : value.literal;
  result.partial = value.literal;
  return !value.needs_target || fail_at(open_, "`=` can't stand in this object");
}

JsResult Js::braces(Braces use) {
  JsResult result;
  ++at_;
  if (!skip_space() || !braces_content(use, result) || failed() || !skip_space()) {
    return result;
  }
  if (done()) {
    context_.refuse(stream_.text.offset(open_), "syntax-unclosed-brace",
                    stream_.ended == Ended::Container
                        ? "these braces go on beyond the list item or quote they stand in"
                        : "this brace is not closed",
                    "close it with }, or write \\{ for a plain brace");
    return result;
  }
  result.ok = take("}") || fail("this is more than one value");
  result.after = at_;
  return result;
}

namespace {

// Whoever stops without a value has refused the text: callers rely on it.
JsResult refused_unless_ok(JsResult result, std::uint32_t offset, Context& context) {
  if (!result.ok) {
    context.refuse(offset, "syntax-javascript", "this is not a value");
  }
  return result;
}

}  // namespace

JsResult parse_braces(Stream& stream, std::uint32_t open, Context& context, Braces use) {
  const std::uint32_t offset = stream.text.offset(open);
  return refused_unless_ok(Js(stream, open, context).braces(use), offset, context);
}

JsResult parse_esm(Stream& stream, Context& context) {
  const std::uint32_t offset = stream.text.offset(0);
  return refused_unless_ok(Js(stream, 0, context).module(), offset, context);
}

}  // namespace rb::rdr::grammar
