// Object literals and their members.
#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {

Js::Value Js::object() {
  const std::uint32_t begin = at_;
  ++at_;
  ++brackets_;
  Value whole;
  whole.shape = Shape::Pattern;
  whole.literal = literal(LiteralKind::Object, {}, begin);
  LiteralId last = kNone;
  int protos = 0;
  while (!failed() && skip_space() && peek() != '}') {
    if (!object_member(whole, last, protos) || !skip_space() || (peek() != '}' && !take(","))) {
      fail(done() ? "this object is not closed" : "`,` or `}` is missing in this object");
    }
  }
  --brackets_;
  if (failed() || !take("}")) {
    fail_at(begin, "this object is not closed");
    return {};
  }
  if (protos > 1) {
    fail_at(begin, "__proto__ stands twice in this object");
    return {};
  }
  return whole;
}

// The key of a member as it reads: a word, a string, a number, or `[…]`.
bool Js::member_key(Member& member) {
  const char c = peek();
  member.computed = c == '[';
  member.is_word = false;
  if (member.computed) {
    ++at_;
    assignment();
    return !failed() && skip_space() && take("]");
  }
  const bool quoted = c == '"' || c == '\'';
  const bool dot_number = c == '.' && is_ascii_digit(static_cast<unsigned char>(peek(1)));
  if (quoted || dot_number || is_ascii_digit(static_cast<unsigned char>(c))) {
    const Value value = quoted ? string() : number();
    if (failed()) {
      return false;
    }
    member.key = std::string(context_.tree.literals[value.literal].value);
    context_.tree.literals.pop_back();
    return true;
  }
  member.is_word = true;
  if (!read_word(member.word)) {
    return fail("this is not the name of a member");
  }
  member.key = member.word.text;
  return true;
}

// The part of a member before its value. `get x() {}`, `async *x() {}`: the word was only in front
// of the name.
bool Js::member_head(Member& member) {
  member.begin = at_;
  member.method = take("*");
  if (!skip_space() || !member_key(member) || !skip_space()) {
    return fail("this is not the name of a member");
  }
  const bool prefix = member.is_word && !member.word.escaped &&
                      (member.key == "get" || member.key == "set" || member.key == "async");
  if (!prefix || std::string_view(",:(}=").find(peek()) != std::string_view::npos) {
    return true;
  }
  member.method = true;
  take("*");
  return (skip_space() && member_key(member) && skip_space()) ||
         fail("this is not the name of a member");
}

bool Js::method_rest() {
  return (peek() == '(' && skip_balanced() && skip_space() && peek() == '{' && skip_balanced()) ||
         fail("this method is not complete");
}

// `{a}`, `{a = 1}`
bool Js::shorthand(Value& whole, const Member& member) {
  if (!member.is_word) {
    return fail("`:` and a value are missing after this name");
  }
  if (is_reserved_word(member.key)) {
    return fail("`" + member.key + "` can't stand alone in an object");
  }
  if (take("=")) {
    whole.needs_target = true;
    assignment();
  }
  return !failed();
}

bool Js::object_member(Value& whole, LiteralId& last, int& protos) {
  Member member;
  if (take("...")) {
    assignment();
    append_part(whole, last, {}, at_);
    return !failed();
  }
  if (!member_head(member)) {
    return false;
  }
  if (peek() == ':' && !member.method) {
    protos += !member.computed && member.key == "__proto__" ? 1 : 0;
    return member_value(whole, member, last);
  }
  append_part(whole, last, {}, member.begin);
  return peek() == '(' || member.method ? method_rest() : shorthand(whole, member);
}

bool Js::member_value(Value& whole, const Member& member, LiteralId& last) {
  ++at_;
  const Value value = assignment();
  if (failed()) {
    return false;
  }
  append_part(whole, last, member.computed ? Value{} : value, member.begin);
  whole.needs_target = whole.needs_target || value.needs_target;
  Literal& made = context_.tree.literals[last];
  made.key = member.computed ? std::string_view{} : context_.keep(member.key);
  made.proto_key = !member.computed && member.key == "__proto__";
  made.offset = stream_.text.offset(member.begin);
  return true;
}

}  // namespace rb::rdr::grammar
