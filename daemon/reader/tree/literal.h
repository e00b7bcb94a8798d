// literal.h — values an author may write between braces.   [UNTRUSTED: reader]
// A literal is a small tree of its own in Tree::literals, linked like the nodes. What isn't exactly
// one literal (a name, a call, an operator, a spread) has none: `Expression::literal` is kNone.
// Strings: `value` is what the reference implementation's tree gives (it drops continuation lines'
// indentation); `verbatim` keeps every column the author wrote. Scripts are always `verbatim`.
// Source: docs/RUNBOOKS.md §Literals.
#pragma once

#include <cstdint>
#include <string_view>

namespace rb::rdr {

using LiteralId = std::uint32_t;

enum class LiteralKind : std::uint8_t {
  Null,
  Boolean,    // value: "true" or "false"
  Number,     // value: as written, its sign in front: "-1", "0x10"
  BigInt,     // value: as written, with the final n
  String,     // value: the cooked characters, as UTF-8
  Template,   // value: the cooked characters; a template string without substitutions
  Regex,      // value: as written
  Array,      // elements are the children
  Object,     // members are the children; each has a key
  NotLiteral  // within a partial literal: a part that is none
};

struct Literal {
  LiteralKind kind = LiteralKind::Null;
  bool proto_key = false;  // the key spells __proto__ (rule R10); value is that of the member
  std::string_view value;
  std::string_view verbatim;  // String, Template: equals value where nothing was dropped
  std::string_view key;       // member of an object: its cooked name
  std::uint32_t first_child = 0xffffffffU;
  std::uint32_t next = 0xffffffffU;
  std::uint32_t offset = 0;  // bytes into the file: where it (its key, in an object) starts
};

}  // namespace rb::rdr
