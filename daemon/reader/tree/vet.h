// vet.h — decides whether a runbook is declarative: what it refuses is never shown or registered.
// [UNTRUSTED: reader]
// In:     a tree, or what could be read of one. MDX: rules R1-R11 and S1-S4. Markdown: nothing is
//         refused; links whose URL could run code are marked `unsafe`.
// Out:    every problem in document order: of an element first its name, then its attributes, then
//         what lies in it. None: vetted.
// Errors: none.
// Source: docs/RUNBOOKS.md §What a runbook may hold.
#pragma once

#include <string_view>
#include <vector>

#include "daemon/reader/tree/tree.h"

namespace rb::rdr {

// Marks unsafe links in the tree; changes nothing else.
[[nodiscard]] std::vector<Problem> vet(Tree& tree);

// A component this product knows ("Command"), and an HTML element a runbook may write.
[[nodiscard]] bool is_known_block(std::string_view name);
[[nodiscard]] bool is_allowed_element(std::string_view name);
// An attribute frontends may draw on an allowed element.
[[nodiscard]] bool is_allowed_attribute(std::string_view element, std::string_view attribute);
// The known block that was probably meant, or "".
[[nodiscard]] std::string_view likely_block(std::string_view name);

// The text spells a javascript: URL, as a browser would read it.
[[nodiscard]] bool is_script_url(std::string_view url);
// The same for any part between semicolons: animated attributes hold lists of URLs.
[[nodiscard]] bool holds_script_url(std::string_view value);
// Relative, or of a scheme that a frontend may follow.
[[nodiscard]] bool is_followable_url(std::string_view url);

}  // namespace rb::rdr
