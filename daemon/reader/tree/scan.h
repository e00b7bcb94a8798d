// scan.h — the small grammars shared by blocks and text: labels, destinations, titles, fences.
// [UNTRUSTED: reader]
// In:     text and the index where the thing should start.
// Out:    the index after it, or kNowhere.
// Cost:   each looks at what it takes, or stops at the first character that can't belong to it.
// Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rb::rdr::grammar {

inline constexpr std::uint32_t kNowhere = 0xffffffffU;
inline constexpr std::uint32_t kLongestLabel = 999;

struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::string_view of(std::string_view text) const {
    return text.substr(begin, end - begin);
  }
};

// `[label]`; `inside` is between the brackets.
[[nodiscard]] std::uint32_t scan_label(std::string_view text, std::uint32_t at, Range& inside);
// `[^label]` of a footnote: no blanks.
[[nodiscard]] std::uint32_t scan_footnote_label(std::string_view text, std::uint32_t at,
                                                Range& inside);
// `<url>` or `url`; parentheses balance, at most `nesting` deep.
[[nodiscard]] std::uint32_t scan_destination(std::string_view text, std::uint32_t at,
                                             std::uint32_t nesting, Range& inside);
// `"title"`, `'title'`, `(title)`.
[[nodiscard]] std::uint32_t scan_title(std::string_view text, std::uint32_t at, Range& inside);
// Blanks and line endings (a text holds LF alone).
[[nodiscard]] std::uint32_t skip_whitespace(std::string_view text, std::uint32_t at);
// Blanks.
[[nodiscard]] std::uint32_t skip_blanks(std::string_view text, std::uint32_t at);

struct DefinitionParts {
  Range label;
  Range destination;
  Range title;
  bool has_title = false;
};
// `[label]: destination "title"`; the result is the index of the line's LF or the text's end.
[[nodiscard]] std::uint32_t scan_definition(std::string_view text, std::uint32_t at,
                                            DefinitionParts& parts);

// An ATX heading's depth (0: none), a thematic break, a setext underline's depth (0: none).
[[nodiscard]] std::uint32_t heading_depth(std::string_view line);
[[nodiscard]] bool is_thematic_break(std::string_view line);
[[nodiscard]] std::uint32_t setext_depth(std::string_view line);
// How many fence characters open a code block here (0: none).
[[nodiscard]] std::uint32_t fence_length(std::string_view line);
// The line closes a fence of that character and length.
[[nodiscard]] bool closes_fence(std::string_view line, char fence, std::uint32_t length);

[[nodiscard]] std::string_view trim_blanks(std::string_view text);
// A paragraph's lines begin at their first character that is no blank.
[[nodiscard]] std::string without_indents(std::string_view text);

}  // namespace rb::rdr::grammar
