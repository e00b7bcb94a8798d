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
bool Js::member_key(std::string& key, bool& computed, bool& is_word, Word& word) {
  const char c = peek();
  computed = c == '[';
  is_word = false;
  if (computed) {
    ++at_;
    assignment();
    return !failed() && skip_space() && take("]");
  }
  if (c == '"' || c == '\'' || is_ascii_digit(static_cast<unsigned char>(c)) ||
      (c == '.' && is_ascii_digit(static_cast<unsigned char>(peek(1))))) {
    const Value value = c == '"' || c == '\'' ? string() : number();
    if (failed()) {
      return false;
    }
    key = std::string(context_.tree.literals[value.literal].value);
    context_.tree.literals.pop_back();
    return true;
  }
  is_word = true;
  if (!read_word(word)) {
    return fail("this is not the name of a member");
  }
  key = word.text;
  return true;
}

bool Js::object_member(Value& whole, LiteralId& last, int& protos) {
  const std::uint32_t begin = at_;
  if (take("...")) {
    assignment();
    append_part(whole, last, {}, begin);
    return !failed();
  }
  Literal made;
  made.offset = stream_.text.offset(at_);
  std::string key;
  Word word;
  bool computed = false;
  bool is_word = false;
  bool method = take("*");
  if (method && !skip_space()) {
    return false;
  }
  if (!member_key(key, computed, is_word, word) || !skip_space()) {
    return fail("this is not the name of a member");
  }
  // `get x() {}`, `async *x() {}`: the word was only in front of the name.
  const bool prefix = is_word && !word.escaped && (key == "get" || key == "set" || key == "async");
  if (prefix && std::string_view(",:(}=").find(peek()) == std::string_view::npos) {
    method = true;
    take("*");
    if (!skip_space() || !member_key(key, computed, is_word, word) || !skip_space()) {
      return fail("this is not the name of a member");
    }
  }
  if (peek() == ':' && !method) {
    const bool proto = !computed && key == "__proto__";
    protos += proto ? 1 : 0;
    made.proto_key = proto;
    made.kind = computed ? LiteralKind::NotLiteral : LiteralKind::Null;
    made.key = computed ? std::string_view{} : context_.keep(key);
    return member_value(whole, made, last);
  }
  append_part(whole, last, {}, begin);
  if (peek() == '(' || method) {
    return (peek() == '(' && skip_balanced() && skip_space() && peek() == '{' && skip_balanced()) ||
           fail("this method is not complete");
  }
  if (!is_word || is_reserved_word(key)) {
    return fail(is_word ? "`" + key + "` can't stand alone in an object"
                        : "`:` and a value are missing after this name");
  }
  if (take("=")) {
    whole.needs_target = true;
    assignment();
  }
  return !failed();
}

bool Js::member_value(Value& whole, const Literal& made, LiteralId& last) {
  ++at_;
  Value value = assignment();
  if (failed()) {
    return false;
  }
  const bool computed = made.kind == LiteralKind::NotLiteral;
  append_part(whole, last, computed ? Value{} : value, at_);
  Literal& member = context_.tree.literals[last];
  member.key = made.key;
  member.proto_key = made.proto_key;
  member.offset = made.offset;
  whole.needs_target = whole.needs_target || value.needs_target;
  return true;
}

}  // namespace rb::rdr::grammar
