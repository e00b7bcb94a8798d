// tag.h — one JSX tag: its name, its attributes, where it ends.   [UNTRUSTED: reader]
// In:     a stream, the index of the `<`.
// Out:    a Tag; its attributes are the last ones of Tree::attributes.
//         TagScan::No: the `<` starts no tag (a blank or a line ending follows it).
// Cost:   one pass over the tag.
// Errors: Context::refuse, once: in MDX a `<` that starts a tag and isn't one is a syntax error.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/reader/tree/context.h"
#include "daemon/reader/tree/stream.h"

namespace rb::rdr::grammar {

struct Tag {
  bool closing = false;
  bool self_closing = false;
  std::string name;  // "" for a fragment
  std::uint32_t begin = 0;
  std::uint32_t after = 0;  // index after the `>`
  std::uint32_t first_attribute = 0;
  std::uint32_t attribute_count = 0;
};

enum class TagScan { No, Yes, Refused };

[[nodiscard]] TagScan scan_tag(Stream& stream, std::uint32_t at, Context& context, Tag& tag);

}  // namespace rb::rdr::grammar
