// JSX within an expression: always refused by the vetting, but the brace that ends it must be
// found.
#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {

// A part of a name: an identifier that may hold dashes.
bool Js::markup_word(std::string& name) {
  const std::size_t before = name.size();
  while (!done()) {
    const CodePoint next = point();
    const bool fits = name.size() == before ? is_id_start(next.value)
                                            : is_id_continue(next.value) || next.value == '-';
    if (!fits) {
      break;
    }
    name += stream_.text.chars().substr(at_, next.size);
    at_ += next.size;
  }
  return name.size() > before || fail("a name is missing in this tag");
}

bool Js::markup_name(std::string& name) {
  name.clear();
  while (markup_word(name) && skip_space()) {
    if (peek() != '.' && peek() != ':') {
      return true;
    }
    name += peek();
    ++at_;
    if (!skip_space()) {
      return false;
    }
  }
  return false;
}

bool Js::markup_quoted() {
  const char quote = peek();
  for (++at_; peek() != quote; ++at_) {
    if (done()) {
      return fail("this attribute's value is not closed");
    }
  }
  ++at_;
  return true;
}

// `{…}`, `{...x}` where `spread` must or may be; at_ stands on the brace.
bool Js::markup_braces(bool spread) {
  ++at_;
  if (!skip_space() || (spread && !take("..."))) {
    return fail("braces among attributes must hold a spread");
  }
  if (spread) {
    assignment();
  } else {
    expression();
  }
  return !failed() && skip_space() && (take("}") || fail("this brace is not closed"));
}

bool Js::markup_value() {
  switch (peek()) {
    case '"':
    case '\'':
      return markup_quoted();
    case '{':
      return markup_braces(false);
    case '<':
      markup();
      return !failed();
    default:
      return fail("an attribute's value must be quoted or in braces");
  }
}

bool Js::markup_attributes() {
  std::string name;
  while (skip_space() && !done() && peek() != '>' && peek() != '/') {
    const bool read = peek() == '{' ? markup_braces(true) : markup_name(name) && skip_space();
    if (!read || (take("=") && !(skip_space() && markup_value()))) {
      return false;
    }
  }
  return !failed();
}

// at_ stands on the `<`.
bool Js::markup_tag(std::string& name, bool& closing, bool& self_closing) {
  ++at_;
  if (!skip_space()) {
    return false;
  }
  closing = take("/");
  name.clear();
  if (!skip_space() || (peek() != '>' && !markup_name(name)) ||
      (!closing && peek() != '>' && !markup_attributes())) {
    return false;
  }
  self_closing = take("/");
  return skip_space() && (take(">") || fail("this tag is not closed"));
}

Js::Value Js::markup() {
  std::string name;
  bool closing = false;
  bool self_closing = false;
  if (!enter()) {
    return {};
  }
  ++brackets_;
  if (markup_tag(name, closing, self_closing) && !closing && !self_closing) {
    markup_children(name);
  } else if (closing) {
    fail("this tag closes nothing");
  }
  --brackets_;
  --depth_;
  return {};
}

// `</`, with blanks between.
bool Js::closing_tag_ahead() {
  std::uint32_t slash = at_ + 1;
  while (stream_.has(slash) && is_space(static_cast<unsigned char>(stream_.at(slash)))) {
    ++slash;
  }
  return stream_.at(slash) == '/';
}

// `{…}` among children: it may be empty or a spread.
bool Js::markup_child_braces() {
  ++at_;
  if (skip_space() && peek() != '}') {
    take("...");
    expression();
  }
  return !failed() && skip_space() && (take("}") || fail("this brace is not closed"));
}

bool Js::markup_closing(const std::string& name) {
  std::string closed;
  bool closing = false;
  bool self_closing = false;
  return markup_tag(closed, closing, self_closing) &&
         ((closed == name && !self_closing) || fail("this tag closes another one"));
}

bool Js::markup_children(const std::string& name) {
  while (!failed() && !done()) {
    const char c = peek();
    if (c == '<') {
      if (closing_tag_ahead()) {
        return markup_closing(name);
      }
      markup();
    } else if (c == '{') {
      markup_child_braces();
    } else if (c == '}' || c == '>') {
      fail("this character must be written as a reference here");
    } else {
      ++at_;
    }
  }
  return fail("`<" + name + ">` is not closed");
}

}  // namespace rb::rdr::grammar
