// What expressions are made of: words, arrays, objects, functions.
#include <algorithm>
#include <array>

#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {
namespace {

using namespace std::string_view_literals;

// Can't be names in a module.
constexpr std::array kReserved = {
    "await"sv,     "break"sv,    "case"sv,       "catch"sv,  "class"sv,   "const"sv,
    "continue"sv,  "debugger"sv, "default"sv,    "delete"sv, "do"sv,      "else"sv,
    "enum"sv,      "export"sv,   "extends"sv,    "false"sv,  "finally"sv, "for"sv,
    "function"sv,  "if"sv,       "implements"sv, "import"sv, "in"sv,      "instanceof"sv,
    "interface"sv, "let"sv,      "new"sv,        "null"sv,   "package"sv, "private"sv,
    "protected"sv, "public"sv,   "return"sv,     "static"sv, "super"sv,   "switch"sv,
    "this"sv,      "throw"sv,    "true"sv,       "try"sv,    "typeof"sv,  "var"sv,
    "void"sv,      "while"sv,    "with"sv,       "yield"sv};

}  // namespace

bool is_reserved_word(std::string_view word) {
  return std::find(kReserved.begin(), kReserved.end(), word) != kReserved.end();
}

Js::Value Js::primary() {
  if (!skip_space() || done()) {
    fail("a value is missing here");
    return {};
  }
  const char c = peek();
  switch (c) {
    case '(':
      return parenthesized();
    case '[':
      return array();
    case '{':
      return object();
    case '"':
    case '\'':
      return string();
    case '`':
      return template_string(false);
    case '/':
      return regex();
    case '<':
      return markup();
    default:
      break;
  }
  if (is_ascii_digit(static_cast<unsigned char>(c)) ||
      (c == '.' && is_ascii_digit(static_cast<unsigned char>(peek(1))))) {
    return number();
  }
  return word_primary();
}

Js::Value Js::word_primary() {
  Word word;
  if (!read_word(word)) {
    fail("this is not a value");
    return {};
  }
  bool known = false;
  if (!word.escaped) {
    Value value = keyword_primary(word, known);
    if (known || failed()) {
      return value;
    }
  }
  if (is_reserved_word(word.text)) {
    fail_at(word.begin, "`" + word.text + "` is no name and no value");
    return {};
  }
  Value value;
  value.shape = Shape::Name;
  return value;
}

Js::Value Js::keyword_primary(const Word& word, bool& known) {
  known = true;
  Value value;
  if (word.text == "null") {
    value.literal = literal(LiteralKind::Null, "null", word.begin);
  } else if (word.text == "true" || word.text == "false") {
    value.literal = literal(LiteralKind::Boolean, word.text, word.begin);
  } else if (word.text == "function") {
    return function();
  } else if (word.text == "class") {
    return class_expression();
  } else if (word.text == "new") {
    return new_expression();
  } else if (word.text == "import") {
    return import_expression();
  } else if (word.text == "async") {
    return async_primary(word);
  } else if (word.text != "this") {
    known = false;
  }
  return value;
}

// `async x => …`, `async (x) => …`, or a call of something named async; at_ follows the word.
Js::Value Js::async_arrow(std::uint32_t begin) {
  Value value;
  if (peek() == '(') {
    bool parameters = false;
    const bool arrow =
        arguments(parameters) && skip_space() && parameters && !newline_ && looking_at("=>");
    value.shape = arrow ? Shape::Arguments : Shape::Other;
    return value;
  }
  Word parameter;
  if (!read_word(parameter) || !skip_space() || newline_ || !looking_at("=>")) {
    fail_at(begin, "`async` must be followed by a function");
  }
  value.shape = Shape::Name;
  return value;
}

// `async` is a name unless a function follows on the same line.
Js::Value Js::async_primary(const Word& word) {
  Value name;
  name.shape = Shape::Name;
  if (!skip_space() || newline_ || done()) {
    return name;
  }
  if (word_ahead("function")) {
    at_ += 8;
    return function();
  }
  const bool parameter =
      is_id_start(point().value) && !word_ahead("in") && !word_ahead("instanceof");
  return parameter || peek() == '(' ? async_arrow(word.begin) : name;
}

Js::Value Js::new_expression() {
  if (!skip_space()) {
    return {};
  }
  if (peek() == '.' && !is_ascii_digit(static_cast<unsigned char>(peek(1)))) {
    fail("`new.target` has no meaning here");
    return {};
  }
  while (word_ahead("new")) {
    at_ += 3;
    if (!skip_space()) {
      return {};
    }
  }
  Value made = primary();
  while (!failed() && skip_space() && ((peek() == '.') || (peek() == '[') || (peek() == '`')) &&
         postfix_step(made)) {
  }
  if (!failed() && looking_at("?.") && !is_ascii_digit(static_cast<unsigned char>(peek(2)))) {
    fail("`?.` can't follow `new`");
  }
  return {};
}

Js::Value Js::import_expression() {
  if (!skip_space()) {
    return {};
  }
  if (peek() == '(') {
    bool parameters = false;
    arguments(parameters);
    return {};
  }
  if (!take(".") || !skip_space() || !word_ahead("meta")) {
    fail("an import can't stand within braces");
    return {};
  }
  at_ += 4;
  return {};
}

Js::Value Js::function() {
  if (!skip_space()) {
    return {};
  }
  if (take("*") && !skip_space()) {
    return {};
  }
  Word name;
  if (peek() != '(' && !read_word(name)) {
    fail("this is not a function");
    return {};
  }
  if (!skip_space() || peek() != '(' || !skip_balanced() || !skip_space() || peek() != '{' ||
      !skip_balanced()) {
    fail("this function is not complete");
  }
  return {};
}

Js::Value Js::class_expression() {
  Word name;
  if (!skip_space()) {
    return {};
  }
  if (peek() != '{' && !word_ahead("extends") && !read_word(name)) {
    fail("this is not a class");
    return {};
  }
  if (skip_space() && word_ahead("extends")) {
    at_ += 7;
    Value base = primary();
    while (!failed() && skip_space() && peek() != '{' && postfix_step(base)) {
    }
  }
  if (failed() || !skip_space() || peek() != '{' || !skip_balanced()) {
    fail("this class is not complete");
  }
  return {};
}

// Adds a part to an array or object; what is no literal leaves a mark, so that the vetting sees in
// which order things stand.
void Js::append_part(Value& whole, LiteralId& last, const Value& part, std::uint32_t begin) {
  const LiteralId id =
      part.literal != kNone ? part.literal : literal(LiteralKind::NotLiteral, {}, begin);
  whole.partial = whole.partial || part.partial || part.literal == kNone;
  whole.needs_target = whole.needs_target || part.needs_target;
  auto& literals = context_.tree.literals;
  (last == kNone ? literals[whole.literal].first_child : literals[last].next) = id;
  last = id;
}

Js::Value Js::array() {
  const std::uint32_t begin = at_;
  ++at_;
  ++brackets_;
  Value whole;
  whole.shape = Shape::Pattern;
  whole.literal = literal(LiteralKind::Array, {}, begin);
  LiteralId last = kNone;
  while (!failed() && skip_space() && peek() != ']') {
    const std::uint32_t item_begin = at_;
    if (take(",")) {
      append_part(whole, last, {}, item_begin);  // a hole
      continue;
    }
    const bool spread = take("...");
    const Value item = assignment();
    append_part(whole, last, spread ? Value{} : item, item_begin);
    if (failed() || !skip_space() || (peek() != ']' && !take(","))) {
      fail_at(begin, "this list is not closed");
    }
  }
  --brackets_;
  if (failed() || !take("]")) {
    fail_at(begin, "this list is not closed");
    return {};
  }
  return whole;
}

}  // namespace rb::rdr::grammar
