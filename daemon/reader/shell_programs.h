// shell_programs.h — programs and words of a shell that take a value for more than data.
// [UNTRUSTED: reader]
// The list is what we know; what a program off it means is said there too.
// Source: docs/RUNBOOKS.md §Values; DESIGN §6; attack A18.
#pragma once

#include <string>
#include <string_view>

namespace rb::rdr {

struct ProgramTraits {
  bool code_arguments = false;  // its arguments are, hold or name code
  bool code_input = false;      // its standard input is code
  bool runs_others = false;     // named among another program's arguments it means the same there
};

// By the base name, with a version's digits or without: python3.11 is python.
[[nodiscard]] ProgramTraits traits_of(std::string_view program);

// export, declare, typeset, local, readonly: words NAME=value assign.
[[nodiscard]] bool is_declaration(std::string_view program);
// Builtins whose plain arguments are names of variables.
[[nodiscard]] bool takes_names(std::string_view program);

// The part of a path after its last slash.
[[nodiscard]] std::string base_of(std::string_view path);

}  // namespace rb::rdr
