// Import and export statements: always refused by the vetting, but a paragraph that starts with the
// word "import" and isn't one must be told from them.
#include <algorithm>

#include "daemon/reader/tree/js.h"

namespace rb::rdr::grammar {

JsResult Js::module() {
  JsResult result;
  module_ = true;
  while (!failed() && statement() && skip_space() && !optional_end()) {
  }
  result.ok = !failed();
  // A comment behind the last statement belongs to the group, blanks don't.
  const std::string_view chars = stream_.text.chars();
  result.after = std::min(at_, stream_.text.size());
  for (CodePoint last = decode_before(chars, result.after); is_space(last.value) && last.size > 0;
       last = decode_before(chars, result.after)) {
    result.after -= last.size;
  }
  return result;
}

bool Js::statement() {
  const std::uint32_t begin = at_;
  if (word_ahead("import")) {
    at_ += 6;
    return import_statement() ||
           fail_at(begin, "a line that starts with `import ` must be an import statement");
  }
  if (word_ahead("export")) {
    at_ += 6;
    return export_statement() ||
           fail_at(begin, "a line that starts with `export ` must be an export statement");
  }
  return fail("only import and export statements may stand here");
}

// A semicolon, the end of a line, or the end of the group.
bool Js::end_statement() {
  if (failed()) {
    return false;
  }
  if (!skip_space()) {
    return false;
  }
  if (!blank_line_ && take(";")) {
    return true;
  }
  if (!optional_end() && !newline_) {
    return fail("this statement doesn't end here");
  }
  return true;
}

bool Js::from_clause(bool required) {
  if (!skip_space()) {
    return false;
  }
  if (!word_ahead("from")) {
    return !required || fail("`from` is missing");
  }
  at_ += 4;
  if (!skip_space() || (peek() != '"' && peek() != '\'')) {
    return fail("a module's name in quotes is missing");
  }
  string();
  if (!failed() && skip_space() && !blank_line_ && word_ahead("with")) {
    at_ += 4;
    return skip_space() && peek() == '{' && skip_balanced();
  }
  return !failed();
}

// A name, or one in quotes where modules allow that.
bool Js::module_name(bool may_be_quoted) {
  if (may_be_quoted && (peek() == '"' || peek() == '\'')) {
    string();
    return !failed();
  }
  Word word;
  return read_word(word) || fail("a name is missing");
}

// `as name`, if it stands here.
bool Js::renaming(bool may_be_quoted) {
  if (!skip_space() || !word_ahead("as")) {
    return !failed();
  }
  at_ += 2;
  return skip_space() && module_name(may_be_quoted);
}

// `{a, b as c, "d" as e}`; at_ stands on the brace.
bool Js::named_list() {
  ++at_;
  ++brackets_;
  while (!failed() && skip_space() && peek() != '}') {
    if (!module_name(true) || !renaming(true) || !skip_space()) {
      return false;
    }
    if (peek() != '}' && !take(",")) {
      return fail("`,` or `}` is missing");
    }
  }
  --brackets_;
  return !failed() && take("}");
}

// `* as a`, `{b, c}`
bool Js::import_names() {
  if (take("*")) {
    return skip_space() && (word_ahead("as") || fail("`as` is missing")) && renaming(false);
  }
  return (peek() == '{' && named_list()) || fail("a list of names is missing");
}

bool Js::import_statement() {
  if (!skip_space()) {
    return false;
  }
  if (peek() == '"' || peek() == '\'') {
    string();
    return end_statement();
  }
  bool more = true;
  if (peek() != '{' && peek() != '*') {
    Word word;
    if (!read_word(word) || is_reserved_word(word.text) || !skip_space()) {
      return fail("a name is missing");
    }
    more = take(",") && skip_space();
  }
  return (!more || import_names()) && from_clause(true) && end_statement();
}

bool Js::export_default() {
  at_ += 7;
  if (!skip_space()) {
    return false;
  }
  const bool declares = word_ahead("function") || word_ahead("class");
  assignment();
  return declares ? !failed() : end_statement();
}

bool Js::export_statement() {
  if (!skip_space()) {
    return false;
  }
  if (take("*")) {
    return renaming(true) && from_clause(true) && end_statement();
  }
  if (peek() == '{') {
    return named_list() && from_clause(false) && end_statement();
  }
  if (word_ahead("default")) {
    return export_default();
  }
  for (const std::string_view kind : {"const", "let", "var"}) {
    if (word_ahead(kind)) {
      at_ += static_cast<std::uint32_t>(kind.size());
      return declarations() && end_statement();
    }
  }
  if (word_ahead("async") || word_ahead("function") || word_ahead("class")) {
    primary();
    return !failed();
  }
  return fail("this can't be exported");
}

bool Js::declarations() {
  do {
    if (!skip_space()) {
      return false;
    }
    const Value target = primary();
    if (failed() || (target.shape != Shape::Name && target.shape != Shape::Pattern)) {
      return fail("a name is missing");
    }
    if (skip_space() && !optional_end() && peek() == '=' && peek(1) != '=') {
      ++at_;
      assignment();
    }
  } while (!failed() && skip_space() && !optional_end() && take(","));
  return !failed();
}

}  // namespace rb::rdr::grammar
