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

// Nested one deeper; false: too deep, refused.
bool Js::enter() {
  if (++depth_ <= context_.limits.nesting) {
    return true;
  }
  context_.refuse(stream_.text.offset(at_), "syntax-too-deep",
                  "this expression is nested too deeply");
  failed_ = true;
  return false;
}

// What follows `target =`, `target +=`; at_ stands on the operator.
Js::Value Js::assigned(const Value& target, std::uint32_t operator_length) {
  const bool simple = target.shape == Shape::Name || target.shape == Shape::Member;
  const bool pattern =
      target.shape == Shape::Pattern && !target.parenthesized && operator_length == 1;
  if (!simple && !pattern) {
    fail("this can't be assigned to");
    return {};
  }
  at_ += operator_length;
  assignment();
  Value value;
  value.shape = operator_length == 1 ? Shape::Assigned : Shape::Other;
  return value;
}

Js::Value Js::assignment() {
  if (!enter()) {
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
    value = assigned(value, length);
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
  if (failed() || !skip_space() || optional_end() || peek() != '?' || looking_at("??")) {
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

// All prefix operators in front of a value.
Js::Prefixes Js::read_prefixes() {
  Prefixes found;
  found.begin = at_;
  while (skip_space() && !done()) {
    found.begin = found.count == 0 ? at_ : found.begin;
    const std::string_view op = prefix_operator();
    if (op.empty()) {
      break;
    }
    if (found.last.size() == 2) {
      fail_at(found.begin, "this can't be counted up or down");
      break;
    }
    found.last = op;
    ++found.count;
  }
  return found;
}

// The value may stand behind these operators.
bool Js::check_prefixes(const Prefixes& prefixes, const Value& value) {
  if (prefixes.last.size() == 2 && value.shape != Shape::Name && value.shape != Shape::Member) {
    return fail_at(prefixes.begin, "this can't be counted up or down");
  }
  if (prefixes.last == "delete" && value.shape == Shape::Name) {
    return fail_at(prefixes.begin, "a plain name can't be deleted");
  }
  const bool power = skip_space() && looking_at("**") && !optional_end();
  return !power || fail("a sign before `**` needs parentheses");
}

Js::Value Js::unary() {
  const Prefixes prefixes = read_prefixes();
  if (failed()) {
    return {};
  }
  const Value value = postfix();
  if (prefixes.count == 0 || failed()) {
    return failed() ? Value{} : value;
  }
  const bool sign = prefixes.last == "-" || prefixes.last == "+";
  Value signed_value;
  if (check_prefixes(prefixes, value) && prefixes.count == 1 && sign &&
      is_plain_number(value.literal)) {
    Literal& made = context_.tree.literals[value.literal];
    made.value = context_.keep(std::string(prefixes.last) + std::string(made.value));
    made.verbatim = made.value;
    made.offset = stream_.text.offset(prefixes.begin);
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

// `[…]` behind a value; at_ stands on the bracket.
bool Js::member_by_index() {
  ++at_;
  ++brackets_;
  expression();
  --brackets_;
  return !failed() && skip_space() && (take("]") || fail("`]` is missing"));
}

bool Js::member_by_name() {
  Word word;
  return skip_space() && (read_word(word) || fail("a name is missing after `.`"));
}

// What follows `?.`, or stands without it. False: nothing of the kind, or refused.
bool Js::member_or_call(bool question, Value& made) {
  switch (peek()) {
    case '[':
      made.shape = question ? Shape::Other : Shape::Member;
      return member_by_index();
    case '(': {
      bool parameters = false;
      return arguments(parameters);
    }
    case '`':
      if (question) {
        return fail("a template string can't stand here");
      }
      template_string(true);
      return !failed();
    default:
      made.shape = question ? Shape::Other : Shape::Member;
      return (question || take(".")) && member_by_name();
  }
}

// One of `.name`, `?.…`, `[…]`, `(…)`, a tagged template string. False: no more of them.
bool Js::postfix_step(Value& value) {
  if (!skip_space() || optional_end()) {
    return false;
  }
  const bool question =
      looking_at("?.") && !is_ascii_digit(static_cast<unsigned char>(peek(2))) && take("?.");
  if (question && !skip_space()) {
    return false;
  }
  Value made;
  if (!member_or_call(question, made)) {
    return false;
  }
  value = made;
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

// What stands in parentheses, as a value or as parameters; at_ follows the opening one.
bool Js::parenthesized_items(Items& found) {
  while (!failed() && skip_space() && peek() != ')') {
    const bool rest = take("...");
    found.last = assignment();
    found.parameters = found.parameters && may_be_parameter(found.last);
    ++found.count;
    if (failed() || !skip_space()) {
      return false;
    }
    const bool comma = take(",");
    if (comma ? rest : peek() != ')') {
      return fail("this can't stand in parentheses");
    }
    found.only_parameters = rest || (comma && skip_space() && peek() == ')');
  }
  return !failed();
}

Js::Value Js::parenthesized() {
  const std::uint32_t begin = at_;
  ++at_;
  ++brackets_;
  Items found;
  const bool read = parenthesized_items(found);
  --brackets_;
  if (!read || !take(")")) {
    fail_at(begin, "this parenthesis is not closed");
    return {};
  }
  Value value;
  const bool arrow = skip_space() && !newline_ && looking_at("=>");
  if (arrow && found.parameters) {
    value.shape = Shape::Arguments;
    return value;
  }
  if (found.count == 0 || found.only_parameters || arrow) {
    fail("these parentheses hold no value");
    return {};
  }
  if (found.count == 1) {
    value = found.last;
    value.parenthesized = true;
    value.shape = found.last.shape == Shape::Assigned ? Shape::Other : found.last.shape;
  }
  return value;
}

}  // namespace rb::rdr::grammar
