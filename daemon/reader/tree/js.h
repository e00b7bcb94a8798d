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
  struct Prefixes {  // operators in front of a value
    std::string_view last;
    std::uint32_t count = 0;
    std::uint32_t begin = 0;
  };
  struct Items {  // within parentheses
    Value last;
    std::uint32_t count = 0;
    bool parameters = true;        // they could be parameters
    bool only_parameters = false;  // and nothing else
  };
  struct Strings {  // both readings of a string
    std::string cooked;
    std::string verbatim;
    bool tagged = false;
  };
  struct Word {
    std::string text;
    std::uint32_t begin = 0;
    bool escaped = false;
  };

  struct Member {  // of an object
    std::string key;
    Word word;
    std::uint32_t begin = 0;
    bool computed = false;
    bool is_word = false;
    bool method = false;
  };

  // Characters.
  char peek(std::uint32_t ahead = 0) { return stream_.at(at_ + ahead); }
  bool done() { return !stream_.has(at_); }
  bool looking_at(std::string_view text);
  bool take(std::string_view text);
  CodePoint point();
  bool skip_space();  // false: failed; sets newline_, blank_line_
  bool skip_comment();
  bool skip_one_blank(bool& content);
  bool take_name_character(Word& word);
  bool braces_content(Braces use, JsResult& result);
  bool fail(std::string text);
  bool fail_at(std::uint32_t index, std::string text);
  [[nodiscard]] bool failed() const { return failed_; }
  bool word_ahead(std::string_view word);  // as a whole word, unescaped
  bool read_word(Word& word);

  // Expressions. Each returns what it read; failed() says whether that counts.
  Value expression();
  bool enter();
  Value assignment();
  Value assigned(const Value& target, std::uint32_t operator_length);
  Value conditional();
  Value binary();
  Value unary();
  std::string_view prefix_operator();
  Prefixes read_prefixes();
  bool check_prefixes(const Prefixes& prefixes, const Value& value);
  [[nodiscard]] bool is_plain_number(LiteralId id) const;
  Value postfix();
  bool postfix_step(Value& value);
  bool member_or_call(bool question, Value& made);
  bool member_by_index();
  bool member_by_name();
  Value primary();
  Value word_primary();
  Value keyword_primary(const Word& word, bool& known);
  Value async_primary(const Word& word);
  Value async_arrow(std::uint32_t begin);
  Value new_expression();
  Value import_expression();
  Value parenthesized();
  bool parenthesized_items(Items& found);
  Value array();
  Value object();
  bool object_member(Value& whole, LiteralId& last, int& protos);
  void append_part(Value& whole, LiteralId& last, const Value& part, std::uint32_t begin);
  bool member_head(Member& member);
  bool member_key(Member& member);
  bool method_rest();
  bool shorthand(Value& whole, const Member& member);
  bool member_value(Value& whole, const Member& member, LiteralId& last);
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
  bool based_number(std::string& text);
  bool decimal_number(std::string& text);
  bool exponent(std::string& text);
  Value string();
  Value template_string(bool tagged);
  bool string_piece(Strings& read);
  bool substitution();
  Value text_literal(LiteralKind kind, const Strings& read, std::uint32_t begin);
  void take_indent(std::string& verbatim);
  bool escape(std::string& value, bool tagged);
  bool code_escape(std::string& value);
  bool hex_escape(char32_t& out);
  bool low_surrogate(char32_t& code);
  bool unicode_escape(char32_t& out);
  Value regex();
  bool regex_flags();
  std::uint32_t dropped_indent(std::uint32_t line_start);

  // Balance.
  bool skip_balanced();
  bool skip_text(const std::string& before, bool& found);
  bool skip_token(std::string& before, std::string& open);
  std::string skip_word();
  bool skip_string(char quote);
  bool skip_regex();

  // JSX within an expression.
  Value markup();
  bool markup_tag(std::string& name, bool& closing, bool& self_closing);
  bool markup_name(std::string& name);
  bool markup_word(std::string& name);
  bool markup_attributes();
  bool markup_quoted();
  bool markup_braces(bool spread);
  bool markup_value();
  bool closing_tag_ahead();
  bool markup_child_braces();
  bool markup_closing(const std::string& name);
  bool markup_children(const std::string& name);

  // Modules.
  bool statement();
  bool import_statement();
  bool export_statement();
  bool export_default();
  bool import_names();
  bool named_list();
  bool module_name(bool may_be_quoted);
  bool renaming(bool may_be_quoted);
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
