// html.h — where raw HTML starts and ends in Markdown; it is never drawn as markup.
// [UNTRUSTED: reader]
// In:     a line (blocks) or a paragraph's text (inline).
// Cost:   blocks: one look at each line. Inline: linear over a text through HtmlMemory.
// Errors: none.
// Source: CommonMark 0.31 §4.6, §6.6.
#pragma once

#include <cstdint>
#include <string_view>

namespace rb::rdr::grammar {

// Which of the seven start conditions a line meets, 0: none. `line` starts at the `<`.
[[nodiscard]] int html_block_kind(std::string_view line, bool interrupts_paragraph);
// The line holds the end of a block of kind 1 to 5. Kinds 6 and 7 end before a blank line.
[[nodiscard]] bool ends_html_block(std::string_view line, int kind);

// What a text is known not to hold from some place on, so that no search is repeated.
struct HtmlMemory {
  std::uint32_t comment = 0xffffffffU;      // no `-->` from here
  std::uint32_t instruction = 0xffffffffU;  // no `?>`
  std::uint32_t character_data = 0xffffffffU;
  std::uint32_t declaration = 0xffffffffU;
  std::uint32_t quotes[2] = {0xffffffffU, 0xffffffffU};
};

// The index after the tag, comment, … that starts at text[at] == '<'; scan's kNowhere: it is none.
[[nodiscard]] std::uint32_t scan_html(std::string_view text, std::uint32_t at, HtmlMemory& memory);

// `<https://…>` or `<name@host>`: the index after it.
[[nodiscard]] std::uint32_t scan_autolink(std::string_view text, std::uint32_t at, bool& email);

}  // namespace rb::rdr::grammar
