// js.h — what stands between braces: checked as JavaScript, and read as one literal where it is
// one. [UNTRUSTED: reader] Nothing is ever evaluated. The grammar is needed to find the closing
// brace exactly where the reference implementation finds it, and to tell "isn't JavaScript" from
// "isn't a literal". Bodies of functions and classes are only skipped by balance: they are refused
// anyway. In:     a stream, the index of the `{`. Out:    the index after the `}` and the literal,
// if it is one. Cost:   one pass; nesting is limited by Limits::nesting. Errors: Context::refuse,
// once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/reader/tree/context.h"
#include "daemon/reader/tree/literal.h"
#include "daemon/reader/tree/stream.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {

enum class Braces {
  Expression,  // {…} in text or between blocks: may be empty
  Value,       // prop={…}
  Spread       // <X {...y}>
};

struct JsResult {
  bool ok = false;
  std::uint32_t after = 0;  // index after the closing brace
  bool empty = false;
  LiteralId literal = kNone;
  LiteralId partial = kNone;
};

[[nodiscard]] JsResult parse_braces(Stream& stream, std::uint32_t open, Context& context,
                                    Braces use);

// A group of import and export statements at the start of a line; `after` is the index where it
// ends. Blank lines end a group unless a statement is still open.
[[nodiscard]] JsResult parse_esm(Stream& stream, Context& context);

[[nodiscard]] bool is_reserved_word(std::string_view word);

// The parser itself; its parts lie in js_expression.cpp, js_literal.cpp, js_skip.cpp,
// js_markup.cpp, js_module.cpp.
class Js {
 public:
  Js(Stream& stream, std::uint32_t at, Context& context)
      : stream_(stream), context_(context), at_(at), open_(at) {}

  JsResult braces(Braces use);
  JsResult module();

 private:
  enum class Shape { Other, Name, Member, Pattern, Assigned, Arguments };
  struct Value {
    LiteralId literal = kNone;
    bool partial = false;  // something in the literal is none
    Shape shape = Shape::Other;
    bool needs_target = false;  // `{a = 1}`: only legal left of `=` or `=>`
    bool parenthesized = false;
  };
  struct Word {
    std::string text;
    std::uint32_t begin = 0;
    bool escaped = false;
  };

  // Characters.
  char peek(std::uint32_t ahead = 0) { return stream_.at(at_ + ahead); }
  bool done() { return !stream_.has(at_); }
  bool looking_at(std::string_view text);
  bool take(std::string_view text);
  CodePoint point();
  bool skip_space();  // false: failed; sets newline_, blank_line_
  bool skip_comment();
  bool fail(std::string text);
  bool fail_at(std::uint32_t index, std::string text);
  [[nodiscard]] bool failed() const { return failed_; }
  bool word_ahead(std::string_view word);  // as a whole word, unescaped
  bool read_word(Word& word);

  // Expressions. Each returns what it read; failed() says whether that counts.
  Value expression();
  Value assignment();
  Value conditional();
  Value binary();
  Value unary();
  std::string_view prefix_operator();
  [[nodiscard]] bool is_plain_number(LiteralId id) const;
  Value postfix();
  bool postfix_step(Value& value);
  Value primary();
  Value word_primary();
  Value keyword_primary(const Word& word, bool& known);
  Value async_primary(const Word& word);
  Value new_expression();
  Value import_expression();
  Value parenthesized();
  Value array();
  Value object();
  bool object_member(Value& whole, LiteralId& last, int& protos);
  void append_part(Value& whole, LiteralId& last, const Value& part, std::uint32_t begin);
  bool member_key(std::string& key, bool& computed, bool& is_word, Word& word);
  bool member_value(Value& whole, const Literal& made, LiteralId& last);
  bool arguments(bool& parameters);
  static bool may_be_parameter(const Value& value);
  Value arrow_body();
  Value function();
  Value class_expression();
  bool is_assignment_operator(std::uint32_t& length);
  std::uint32_t binary_operator();
  bool optional_end();  // module code: a blank line may end the statement here

  // Tokens.
  Value number();
  bool digits(int base, std::string& out);
  Value string();
  Value template_string(bool tagged);
  bool escape(std::string& value, bool tagged);
  bool unicode_escape(char32_t& out);
  Value regex();
  bool regex_flags();
  bool regex_pattern_ok(std::string_view pattern);
  std::uint32_t dropped_indent(std::uint32_t line_start);

  // Balance.
  bool skip_balanced();
  bool skip_string(char quote);
  bool skip_regex();

  // JSX within an expression.
  Value markup();
  bool markup_tag(std::string& name, bool& closing, bool& self_closing);
  bool markup_name(std::string& name);
  bool markup_attributes();
  bool markup_children(const std::string& name);

  // Modules.
  bool statement();
  bool import_statement();
  bool export_statement();
  bool named_list();
  bool from_clause(bool required);
  bool declarations();
  bool end_statement();

  LiteralId literal(LiteralKind kind, std::string_view value, std::uint32_t begin);

  Stream& stream_;
  Context& context_;
  std::uint32_t at_;
  std::uint32_t open_;  // where it began
  std::uint32_t depth_ = 0;
  std::uint32_t brackets_ = 0;  // module code: blank lines inside brackets don't end a statement
  bool module_ = false;
  std::uint32_t space_begin_ = 0;  // the blanks skipped last
  std::uint32_t space_end_ = kNone;
  bool newline_ = false;     // a line ended in the blanks before at_
  bool blank_line_ = false;  // and an empty line was among them
  bool failed_ = false;
};

}  // namespace rb::rdr::grammar
