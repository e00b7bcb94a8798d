// prop.h — one property of an MDX element as a plain value.   [UNTRUSTED: reader]
// In:     a vetted tree, an element, a name.
// Out:    text where the value is text; a number or a flag where it is one of those.
//         A property that stands twice: the first counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/reader/tree/tree.h"

namespace rb::rdr {

enum class PropState : std::uint8_t { Absent, Text, NotText };

struct Prop {
  PropState state = PropState::Absent;
  std::string_view text;      // Text
  std::string_view verbatim;  // Text: every column its author wrote
  std::string_view number;    // a number, as written
  bool is_true = false;       // {true} written out; a bare property isn't
  std::uint32_t line = 1;     // where the value starts
  LiteralId literal = kNone;
};

[[nodiscard]] Prop prop_of(const Tree& tree, const Node& node, std::string_view name);
// A text, or each text of an array; anything else in it is left out.
[[nodiscard]] std::vector<std::string> texts_of(const Tree& tree, const Prop& prop);
// The bytes of an inline script.
[[nodiscard]] std::string script_text(const Tree& tree, const Node& node, const Prop& command);

}  // namespace rb::rdr
