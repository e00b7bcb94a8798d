// info_string.h — the words after a Markdown fence.   [UNTRUSTED: reader]
// In:     the info string as the tree gives it (character references decoded, outer blanks gone).
// Out:    the first word is the language; bare words are flags, as written, known or not;
//         name=value words are attributes, inside braces or not, values quoted or not.
// Errors: none: a quote that never ends reaches to the end.
// Source: docs/RUNBOOKS.md §Fences.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rb::rdr {

struct InfoString {
  std::string language;
  std::vector<std::string> flags;
  std::vector<std::pair<std::string, std::string>> attributes;

  [[nodiscard]] bool has_flag(std::string_view flag) const;
};

[[nodiscard]] InfoString parse_info_string(std::string_view info);

// Words of a command line: blanks separate, quotes and backslashes as in a shell, nothing is
// expanded. False when a quote never ends.
[[nodiscard]] bool split_words(std::string_view line, std::vector<std::string>& words);

}  // namespace rb::rdr
