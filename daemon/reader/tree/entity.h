// entity.h — character references and backslash escapes.   [UNTRUSTED: reader]
// In:     text that holds `&amp;`, `&#38;`, `&#x26;`.
// Out:    the characters they stand for, as UTF-8. References need their semicolon.
// Errors: none: what isn't a reference stays as written.
#pragma once

#include <string>
#include <string_view>

namespace rb::rdr::grammar {

// Markdown text and attribute values differ in what odd numbers stand for: `&#1;` is U+FFFD in
// Markdown and U+0001 in an attribute, where 128..159 are read as Windows-1252.
enum class References { Markdown, Attribute };

// How many bytes the reference at text[at] == '&' takes (0: it is none); appends what it means.
[[nodiscard]] std::size_t decode_reference(std::string_view text, std::size_t at, References rules,
                                           std::string& out);

// All references of a text.
[[nodiscard]] std::string decode_references(std::string_view text, References rules);

// Markdown strings (destinations, titles, info strings): references and backslash escapes.
[[nodiscard]] std::string decode_string(std::string_view text);

}  // namespace rb::rdr::grammar
