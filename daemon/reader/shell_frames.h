// shell_frames.h — the explicit stack of the shell lexer: what is open, and what is known of it.
// [UNTRUSTED: reader]
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemon/reader/shell_flow.h"

namespace rb::rdr {

enum class FrameKind : std::uint8_t {
  Top,
  Group,         // ( ... )
  Substitution,  // $( ... ), <( ... )
  Brace,         // { ... ; }
  If,
  Loop,  // while, until, for, select
  Case,
  // The kinds above hold commands; those below don't.
  Array,              // NAME=( ... )
  Test,               // [[ ... ]]
  DoubleQuote,        // "..."
  Parameter,          // ${ ... }
  Arithmetic,         // $(( ... ))
  ArithmeticCommand,  // (( ... ))
  Document            // the body of a here-document
};

// A word as far as it has been read.
struct Word {
  bool open = false;
  bool plain = true;     // nothing quoted, expanded or inserted: can be a keyword
  bool known = true;     // `literal` is all of it
  bool started = false;  // a character stands before whatever comes next
  bool valued = false;   // a value stands in it
  std::string literal;   // without quotes
  std::string tail;      // known characters since the last slash or unknown part
  bool tail_known = true;
  bool assignment = false;
  std::string variable;
  ItemId first = 0;
  ItemId value_first = 0;
};

struct Argument {
  std::string literal;  // what is known of it, from its start
  bool known = true;
  ItemRange items;
};

// What the next word is for.
enum class Expect : std::uint8_t {
  Nothing,
  RedirectTarget,
  HereString,
  Delimiter,
  DelimiterStripped,  // <<-
  FunctionName,
  ForName,
  ForIn,
  ForWords,
  CaseWord,
  CaseIn
};

enum class Position : std::uint8_t { Start, Arguments, AfterCompound };

struct Command {
  Position position = Position::Start;
  Expect expect = Expect::Nothing;
  bool assigned = false;  // NAME=value stood first: no keyword can follow
  bool compound = false;
  bool defines_function = false;
  std::string name;  // "" while there is none, or when it isn't known
  bool name_known = false;
  bool declaration = false;
  ItemId first = 0;
  ItemId arguments_first = 0;
  std::vector<Argument> arguments;
  std::vector<ItemRange> inputs;  // here-documents and here-strings
  std::string code_input;         // why what it reads is code, "" if it isn't
  Word word;
};

struct Pipeline {
  ItemId first = 0;
  bool open = false;  // a stage stands before this one
};

enum class CasePart : std::uint8_t { Pattern, Body };

struct Frame {
  FrameKind kind = FrameKind::Top;
  ItemId first = 0;
  Command command;
  Pipeline pipeline;
  std::string code_input;  // something within reads code from its standard input
  CasePart part = CasePart::Pattern;
  bool pattern_begun = false;
  std::string loop_variable;
  std::uint32_t depth = 0;      // Arithmetic: parentheses within
  bool quoted = false;          // Parameter: within double quotes
  bool process = false;         // Substitution: <( ), not $( )
  bool fed = false;             // Substitution: >( )
  bool evaluates = false;       // Test: holds an arithmetic operator
  std::size_t outer_limit = 0;  // Document: where reading went to before
  std::size_t resume = 0;       // Document: after its end mark
  std::string document;         // Document: the variable its body is
};

[[nodiscard]] inline bool holds_commands(FrameKind kind) {
  return kind <= FrameKind::Case;
}
// Frames whose words belong to them.
[[nodiscard]] inline bool holds_words(FrameKind kind) {
  return kind <= FrameKind::Test || kind == FrameKind::Document;
}

}  // namespace rb::rdr
