// JSX within an expression: always refused by the vetting, but the brace that ends it must be
// found.
#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {

bool Js::markup_name(std::string& name) {
  name.clear();
  while (true) {
    const std::size_t part = name.size();
    while (!done()) {
      const CodePoint next = point();
      const bool fits = name.size() == part ? is_id_start(next.value)
                                            : is_id_continue(next.value) || next.value == '-';
      if (!fits) {
        break;
      }
      name += stream_.text.chars().substr(at_, next.size);
      at_ += next.size;
    }
    if (name.size() == part) {
      return fail("a name is missing in this tag");
    }
    if (!skip_space()) {
      return false;
    }
    if (peek() != '.' && peek() != ':') {
      return true;
    }
    name += peek();
    ++at_;
    if (!skip_space()) {
      return false;
    }
  }
}

bool Js::markup_attributes() {
  std::string name;
  while (!failed() && skip_space() && !done() && peek() != '>' && peek() != '/') {
    if (take("{")) {
      if (!skip_space() || !take("...")) {
        return fail("braces among attributes must hold a spread");
      }
      assignment();
      if (failed() || !skip_space() || !take("}")) {
        return fail("this spread is not closed");
      }
      continue;
    }
    if (!markup_name(name) || !skip_space()) {
      return false;
    }
    if (!take("=")) {
      continue;
    }
    if (!skip_space()) {
      return false;
    }
    if (peek() == '"' || peek() == '\'') {
      const char quote = peek();
      for (++at_; peek() != quote; ++at_) {
        if (done()) {
          return fail("this attribute's value is not closed");
        }
      }
      ++at_;
    } else if (take("{")) {
      expression();
      if (failed() || !skip_space() || !take("}")) {
        return fail("this attribute's value is not closed");
      }
    } else if (peek() == '<') {
      markup();
    } else {
      return fail("an attribute's value must be quoted or in braces");
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
  if (++depth_ > context_.limits.nesting) {
    context_.refuse(stream_.text.offset(at_), "syntax-too-deep",
                    "this expression is nested too deeply");
    failed_ = true;
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

bool Js::markup_children(const std::string& name) {
  while (!failed()) {
    if (done()) {
      return fail("`<" + name + ">` is not closed");
    }
    const char c = peek();
    if (c == '<') {
      std::uint32_t slash = at_ + 1;
      while (stream_.has(slash) && is_space(static_cast<unsigned char>(stream_.at(slash)))) {
        ++slash;
      }
      if (stream_.at(slash) != '/') {
        markup();
        continue;
      }
      std::string closed;
      bool closing = false;
      bool self_closing = false;
      return markup_tag(closed, closing, self_closing) &&
             ((closed == name && !self_closing) || fail("this tag closes another one"));
    }
    if (c == '{') {
      ++at_;
      if (skip_space() && peek() != '}') {
        take("...");
        expression();
      }
      if (failed() || !skip_space() || !take("}")) {
        return fail("this brace is not closed");
      }
      continue;
    }
    if (c == '}' || c == '>') {
      return fail("this character must be written as a reference here");
    }
    ++at_;
  }
  return false;
}

}  // namespace rb::rdr::grammar
