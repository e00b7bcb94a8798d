// Expressions: operators, calls, arrows; precedence doesn't matter where nothing is evaluated.
#include <algorithm>
#include <array>
#include <iterator>

#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {
namespace {

using namespace std::string_view_literals;

// Longest first: the first that fits is the operator.
constexpr std::array kBinary = {">>>"sv, "==="sv, "!=="sv, "**"sv, "??"sv, "||"sv, "&&"sv, "=="sv,
                                "!="sv,  "<="sv,  ">="sv,  "<<"sv, ">>"sv, "<"sv,  ">"sv,  "+"sv,
                                "-"sv,   "*"sv,   "/"sv,   "%"sv,  "&"sv,  "|"sv,  "^"sv};
constexpr std::array kAssignment = {">>>="sv, "**="sv, "<<="sv, ">>="sv, "&&="sv, "||="sv,
                                    "?\?="sv, "+="sv,  "-="sv,  "*="sv,  "/="sv,  "%="sv,
                                    "&="sv,   "|="sv,  "^="sv,  "="sv};

}  // namespace

bool Js::optional_end() {
  return done() || (module_ && brackets_ == 0 && blank_line_);
}

Js::Value Js::expression() {
  Value value = assignment();
  while (!failed() && skip_space() && !optional_end() && peek() == ',') {
    ++at_;
    assignment();
    value = {};
  }
  return value;
}

bool Js::is_assignment_operator(std::uint32_t& length) {
  if (looking_at("==") || looking_at("=>")) {
    return false;
  }
  for (const std::string_view op : kAssignment) {
    if (looking_at(op)) {
      length = static_cast<std::uint32_t>(op.size());
      return true;
    }
  }
  return false;
}

Js::Value Js::assignment() {
  if (++depth_ > context_.limits.nesting) {
    context_.refuse(stream_.text.offset(at_), "syntax-too-deep",
                    "this expression is nested too deeply");
    failed_ = true;
    return {};
  }
  Value value = conditional();
  std::uint32_t length = 0;
  if (failed() || !skip_space()) {
    return {};
  }
  if (!newline_ && looking_at("=>")) {
    if (value.shape != Shape::Name && value.shape != Shape::Arguments) {
      fail("these can't be the parameters of a function");
      return {};
    }
    at_ += 2;
    value = arrow_body();
  } else if (!optional_end() && is_assignment_operator(length)) {
    const bool simple = value.shape == Shape::Name || value.shape == Shape::Member;
    const bool pattern = value.shape == Shape::Pattern && !value.parenthesized && length == 1;
    if (!simple && !pattern) {
      fail("this can't be assigned to");
      return {};
    }
    at_ += length;
    assignment();
    value = {};
    value.shape = length == 1 ? Shape::Assigned : Shape::Other;
  }
  --depth_;
  return failed() ? Value{} : value;
}

Js::Value Js::arrow_body() {
  if (!skip_space()) {
    return {};
  }
  if (peek() == '{') {
    skip_balanced();
  } else {
    assignment();
  }
  return {};
}

Js::Value Js::conditional() {
  Value value = binary();
  if (failed() || !skip_space() || optional_end() || peek() != '?') {
    return failed() ? Value{} : value;
  }
  ++at_;
  ++brackets_;
  assignment();
  --brackets_;
  if (failed() || !skip_space() || !take(":")) {
    fail("`:` is missing in this condition");
    return {};
  }
  assignment();
  return {};
}

std::uint32_t Js::binary_operator() {
  if (word_ahead("in")) {
    return 2;
  }
  if (word_ahead("instanceof")) {
    return 10;
  }
  for (const std::string_view op : kBinary) {
    if (looking_at(op)) {
      const auto length = static_cast<std::uint32_t>(op.size());
      // `a += b`, `a >>= b`: an assignment; `==` and the like are in the list themselves.
      const bool assigns = op.back() != '=' && op != "<" && op != ">" && peek(length) == '=';
      return assigns ? 0 : length;
    }
  }
  return 0;
}

Js::Value Js::binary() {
  Value value = unary();
  bool coalesce = false;
  bool logical = false;
  while (!failed() && skip_space() && !optional_end()) {
    const std::uint32_t length = binary_operator();
    if (length == 0) {
      break;
    }
    coalesce = coalesce || looking_at("??");
    logical = logical || looking_at("||") || looking_at("&&");
    if (coalesce && logical) {
      fail("these operators need parentheses");
      break;
    }
    at_ += length;
    value = unary();
    value = {};
  }
  return value;
}

// Takes one prefix operator; an empty view: there is none.
std::string_view Js::prefix_operator() {
  for (const std::string_view op : {"++"sv, "--"sv, "+"sv, "-"sv, "!"sv, "~"sv}) {
    if (take(op)) {
      return op;
    }
  }
  for (const std::string_view op : {"typeof"sv, "delete"sv, "void"sv, "await"sv}) {
    if (word_ahead(op)) {
      at_ += static_cast<std::uint32_t>(op.size());
      return op;
    }
  }
  return {};
}

Js::Value Js::unary() {
  std::string_view last;
  std::uint32_t count = 0;
  std::uint32_t first = at_;
  while (skip_space() && !done()) {
    first = count == 0 ? at_ : first;
    const std::string_view op = prefix_operator();
    if (op.empty()) {
      break;
    }
    if (last.size() == 2) {
      fail_at(first, "this can't be counted up or down");
      return {};
    }
    last = op;
    ++count;
  }
  if (failed()) {
    return {};
  }
  const Value value = postfix();
  if (count == 0 || failed()) {
    return failed() ? Value{} : value;
  }
  if (last.size() == 2 && value.shape != Shape::Name && value.shape != Shape::Member) {
    fail_at(first, "this can't be counted up or down");
  } else if (last == "delete" && value.shape == Shape::Name) {
    fail_at(first, "a plain name can't be deleted");
  } else if (skip_space() && looking_at("**") && !optional_end()) {
    fail("a sign before `**` needs parentheses");
  }
  Value signed_value;
  if (count == 1 && (last == "-" || last == "+") && is_plain_number(value.literal)) {
    Literal& made = context_.tree.literals[value.literal];
    made.value = context_.keep(std::string(last) + std::string(made.value));
    made.verbatim = made.value;
    made.offset = stream_.text.offset(first);
    signed_value.literal = value.literal;
  }
  return signed_value;
}

// A number without a sign: `- -1` is no literal.
bool Js::is_plain_number(LiteralId id) const {
  if (id == kNone || failed_) {
    return false;
  }
  const Literal& made = context_.tree.literals[id];
  return made.kind == LiteralKind::Number && made.value[0] != '-' && made.value[0] != '+';
}

Js::Value Js::postfix() {
  Value value = primary();
  while (!failed() && postfix_step(value)) {
  }
  if (!failed() && !newline_ && (looking_at("++") || looking_at("--"))) {
    if (value.shape != Shape::Name && value.shape != Shape::Member) {
      fail("this can't be counted up or down");
      return {};
    }
    at_ += 2;
    return {};
  }
  return value;
}

// One of `.name`, `?.…`, `[…]`, `(…)`, a tagged template string. False: no more of them.
bool Js::postfix_step(Value& value) {
  if (!skip_space() || optional_end()) {
    return false;
  }
  Word word;
  const bool question = looking_at("?.") && !is_ascii_digit(static_cast<unsigned char>(peek(2)));
  if (question) {
    at_ += 2;
    if (!skip_space()) {
      return false;
    }
    if (peek() == '`') {
      return fail("a template string can't stand here");
    }
  }
  const char c = peek();
  if (c == '[') {
    ++at_;
    ++brackets_;
    expression();
    --brackets_;
    if (failed() || !skip_space() || !take("]")) {
      return fail("`]` is missing");
    }
    value = {};
    value.shape = question ? Shape::Other : Shape::Member;
    return true;
  }
  if (c == '(') {
    value = {};
    bool parameters = false;
    return arguments(parameters);
  }
  if (c == '`') {
    template_string(true);
    value = {};
    return !failed();
  }
  if (c != '.' && !question) {
    return false;
  }
  at_ += question ? 0 : 1;
  if (!skip_space() || !read_word(word)) {
    return fail("a name is missing after `.`");
  }
  value = {};
  value.shape = question ? Shape::Other : Shape::Member;
  return true;
}

bool Js::may_be_parameter(const Value& value) {
  return !value.parenthesized && (value.shape == Shape::Name || value.shape == Shape::Pattern ||
                                  value.shape == Shape::Assigned);
}

// `(a, ...b)`; `parameters`: it could also stand left of `=>`.
bool Js::arguments(bool& parameters) {
  parameters = true;
  ++at_;
  ++brackets_;
  while (!failed() && skip_space() && peek() != ')') {
    take("...");
    parameters = may_be_parameter(assignment()) && parameters;
    if (failed() || !skip_space() || (peek() != ')' && !take(","))) {
      return fail("`)` is missing");
    }
  }
  --brackets_;
  return !failed() && (take(")") || fail("`)` is missing"));
}

Js::Value Js::parenthesized() {
  const std::uint32_t begin = at_;
  ++at_;
  ++brackets_;
  Value last;
  std::uint32_t count = 0;
  bool parameters = true;
  bool rest = false;
  bool trailing = false;
  while (!failed() && skip_space() && peek() != ')') {
    rest = take("...");
    last = assignment();
    parameters = parameters && may_be_parameter(last);
    ++count;
    if (failed() || !skip_space() || (peek() != ')' && !take(","))) {
      fail_at(begin, "this parenthesis is not closed");
      return {};
    }
    trailing = peek() != ')' ? (skip_space() && peek() == ')') : false;
    if (rest && peek() != ')') {
      fail("nothing may follow a rest parameter");
    }
  }
  --brackets_;
  if (failed() || !take(")")) {
    fail_at(begin, "this parenthesis is not closed");
    return {};
  }
  Value value;
  const bool only_arrow = count == 0 || rest || trailing;
  const bool arrow = skip_space() && !newline_ && looking_at("=>");
  if (arrow && parameters) {
    value.shape = Shape::Arguments;
    return value;
  }
  if (only_arrow || arrow) {
    fail("these parentheses hold no value");
    return {};
  }
  if (count == 1) {
    value = last;
    value.parenthesized = true;
    value.shape = last.shape == Shape::Assigned ? Shape::Other : last.shape;
  }
  return value;
}

}  // namespace rb::rdr::grammar
