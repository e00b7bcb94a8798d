// view_text.h — bytes of a record as text of a view.   [reader, view mode]
// Everything that comes from a journal or an output is hostile: each function makes text that can't
// break out of the place its name says, and that no terminal obeys when the file is printed.
// Controls become the pictures Unicode has for them, direction marks and C1 become U+FFFD.
// Source: docs/FORMATS.md §run.md, §session.log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/json_reader.h"

namespace rb::rdr {

// One line: newlines too become pictures.
[[nodiscard]] std::string one_line(std::string_view text);
// Lines: CR LF and lone CR end a line, tabs stay, colour sequences are left out.
[[nodiscard]] std::string lines_of_text(std::string_view text);

// Text of a Markdown paragraph or heading, on one line, with nothing in it that Markdown or HTML
// would understand.
[[nodiscard]] std::string markdown_text(std::string_view text);
// A code span; *(empty)* for nothing; cut after `most` bytes, saying so.
[[nodiscard]] std::string code_span(std::string_view text, std::size_t most = 1000);
// A fenced block whose fence is longer than any run of backticks inside. `language` counts only
// where it is a plain word. Ends in a newline.
[[nodiscard]] std::string fenced(std::string_view text, std::string_view language);

// The bytes of a value that is text or {"base64":"..."}; "" for anything else.
[[nodiscard]] std::string value_bytes(const Json& value);

// "350 ms", "1.2 s", "4 m 12 s", "3 h 5 m"
[[nodiscard]] std::string duration_text(std::uint64_t ms);
// "1,234,567"
[[nodiscard]] std::string grouped(std::uint64_t number);
// "1 byte", "1,234 bytes": a count and its noun.
[[nodiscard]] std::string counted(std::uint64_t number, std::string_view noun);
// "2026-11-30 16:20:33 UTC" of the journal's spelling; what is spelled otherwise comes out as is.
[[nodiscard]] std::string time_text(std::string_view at);

}  // namespace rb::rdr
