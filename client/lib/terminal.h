// terminal.h — what the two streams of a command line program are, and how talk is coloured.
// [frontends]
// Colour only helps what the text already says. NO_COLOR, CLICOLOR=0 and TERM=dumb switch it off,
// CLICOLOR_FORCE on; animation needs a terminal and is off with the colours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rb::client {

enum class Style : std::uint8_t { Plain, Bold, Dim, Good, Bad, Warn };

struct Terminal {
  bool in = false;   // standard input is a terminal: questions may be asked
  bool out = false;  // standard output is one: output is escaped
  bool err = false;
  bool colour_out = false;
  bool colour_err = false;
  unsigned width = 80;

  [[nodiscard]] static Terminal look();
  // `text` in that style, for standard error (talk) or standard output (tables).
  [[nodiscard]] std::string talk(Style style, std::string_view text) const;
  [[nodiscard]] std::string data(Style style, std::string_view text) const;
};

// Asks on the terminal, on standard error; false at end of file. A secret isn't echoed.
[[nodiscard]] bool ask_line(const std::string& question, bool secret, std::string& answer);

}  // namespace rb::client
