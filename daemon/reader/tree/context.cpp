#include "daemon/reader/tree/context.h"

#include <utility>

namespace rb::rdr::grammar {

void Context::refuse(std::uint32_t offset, std::string_view code, std::string text,
                     std::string advice) {
  if (refusal) {
    return;
  }
  const Position at = source.position(offset);
  Problem problem;
  problem.line = at.line;
  problem.column = at.column;
  problem.end_column = at.column + 1;
  problem.offset = at.offset;
  problem.code = code;
  problem.construct = "syntax";
  problem.text = std::move(text);
  problem.advice = std::move(advice);
  refusal = std::move(problem);
}

bool Context::go_on() {
  constexpr std::size_t kProblems = 20;  // each may have been looked for to the text's end
  constexpr std::string_view kLimit = "syntax-too-";
  if (!refusal || refusal->code.substr(0, kLimit.size()) == kLimit ||
      found.size() + 1 >= kProblems) {
    return false;
  }
  found.push_back(std::move(*refusal));
  refusal.reset();
  return true;
}

bool Context::spend(std::uint64_t characters, std::uint32_t offset) {
  if (characters > work) {
    refuse(offset, "syntax-too-complex",
           "this text can be read in too many ways to be decided in reasonable time",
           "put multi-line tags and braces on lines of their own");
    return false;
  }
  work -= characters;
  return true;
}

NodeId Context::add(NodeId parent, Kind kind, std::uint32_t begin, std::uint32_t end) {
  const auto id = static_cast<NodeId>(tree.nodes.size());
  if (id >= limits.nodes) {
    refuse(begin, "syntax-too-large", "the document has too many parts", "split the runbook");
    return parent == kNone ? 0 : parent;
  }
  Node made;
  made.kind = kind;
  made.parent = parent;
  made.span.start.offset = begin;
  made.span.end.offset = end;
  tree.nodes.push_back(made);
  if (parent != kNone) {
    Node& above = tree.nodes[parent];
    if (above.first_child == kNone) {
      above.first_child = id;
    } else {
      tree.nodes[above.last_child].next = id;
    }
    above.last_child = id;
  }
  return id;
}

std::string_view Context::keep(std::string_view made) {
  if (made.find('\0') == std::string_view::npos) {
    return tree.keep(made);
  }
  std::string clean;
  for (const char c : made) {
    if (c == '\0') {
      clean += "\xef\xbf\xbd";
    } else {
      clean += c;
    }
  }
  return tree.keep(clean);
}

}  // namespace rb::rdr::grammar
