// model.h — what reading a runbook yields, as plain values.   [UNTRUSTED: reader]
// In:     filled by blocks, fences, inputs, template and shell_state; written out by to_wire.
// Units:  lines and columns from 1 in the file that `file` names; offsets in bytes.
// Errors: none; what is wrong with a runbook is a Finding, never a failure.
// Source: docs/RUNBOOKS.md; protocol/reader.capnp says the same for the wire.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rb::rdr {

enum class Severity : std::uint8_t { Refusal, Error, Warning };

// One thing that is wrong at one place.
struct Finding {
  Severity severity = Severity::Error;
  std::string file;  // "" is the runbook
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t end_column = 0;  // 0: unknown
  std::string code;              // stable, for machines
  std::string construct;         // refusals: which of vetting's kinds
  std::string text;
  std::string advice;
  std::string block;  // id, where it is known
};

struct InputDeclaration {
  std::string name;
  std::string type = "string";  // string int float bool enum list map
  std::string description;
  bool required = false;
  bool has_default = false;
  std::string default_value;
  std::vector<std::string> options;
  bool sensitive = false;
  std::string inputs_id;
  std::vector<std::string> rules;  // "required", "length 0 256", "regex ^a+$": for clients to check
};

enum class Place : std::uint8_t { Plain, DoubleQuoted, SingleQuoted, HereDocument, HarmlessOnly };

enum class PieceKind : std::uint8_t { Literal, Insertion, Dropped };

// A range of script bytes and what becomes of it. Pieces cover the script exactly, in order.
struct Piece {
  PieceKind kind = PieceKind::Literal;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
  // Of insertions:
  std::string input;   // a declared input's name
  std::string output;  // or "block.key"
  Place place = Place::HarmlessOnly;
  std::string why;          // HarmlessOnly: the place in words
  std::string not_value;    // this value is refused: it would end the here-document
  bool word_start = false;  // a value here must not begin with "-"
  std::uint32_t line = 1;   // within the script
};

struct Block {
  std::string id;
  std::string type;
  std::uint32_t line = 1;
  std::string kind;  // "inline" and "file" hold a script; "" has none (or an error: see why_not)
  std::string language;
  std::vector<std::string> flags;  // of a fence, as written; the first 64
  std::string title;
  bool runnable = false;
  std::string why_not;
  std::string script;  // kind file: left empty on the wire
  std::string path;
  std::vector<std::string> interpreter;
  std::string interpreter_for;
  std::vector<Piece> trace;
  std::vector<InputDeclaration> inputs;
  std::uint64_t timeout_ms = 0;
  bool use_pty = false;
  std::vector<std::string> inputs_ids;
};

}  // namespace rb::rdr
