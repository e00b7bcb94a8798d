// inline.h — what stands within a paragraph, heading or table cell.   [UNTRUSTED: reader]
// First a flat list of pieces, left to right; then emphasis and links pair them up; then they
// become nodes, and elements must nest with all the rest. In:     a job's text; the document's
// definitions. Out:    nodes beneath the job's node. Cost:   linear in the text: what fails once is
// remembered (code, HTML, emphasis, URLs). Errors: Context::refuse (MDX syntax, limits). Source:
// CommonMark 0.31 §6; GFM strikethrough, autolinks, footnotes; the MDX 3 grammar.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "daemon/reader/tree/blocks.h"
#include "daemon/reader/tree/context.h"
#include "daemon/reader/tree/html.h"
#include "daemon/reader/tree/scan.h"
#include "daemon/reader/tree/tag.h"

namespace rb::rdr::grammar {

enum class PieceKind : std::uint8_t {
  Text,   // characters as they stand
  Chars,  // characters an escape or reference stands for: value
  Code,   // value
  Break,
  Html,        // characters as they stand
  Autolink,    // detail: a Link; value: its text
  Footnote,    // detail: a Link
  Delimiters,  // detail: a Run
  LinkOpen,    // detail: a Group
  LinkClose,   // detail: the same
  Tag,         // detail: a Tag
  Expression   // detail: an Expression; value
};

struct Piece {
  PieceKind kind = PieceKind::Text;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t detail = kNone;
  std::string_view value;
};

// One emphasis, strong emphasis or strikethrough that a run of delimiters opens or closes.
struct Mark {
  Kind kind = Kind::Emphasis;
  std::uint32_t begin = 0;  // of the whole
  std::uint32_t end = 0;
  std::uint32_t inner = kNone;  // the next one that the same run opens, within this one
};

// A run of `*`, `_` or `~`. It closes from its left end and opens from its right end.
struct Run {
  char character = '*';
  bool can_open = false;
  bool can_close = false;
  std::uint32_t length = 0;  // as written
  std::uint32_t begin = 0;   // what is left of it
  std::uint32_t end = 0;
  std::uint32_t previous = kNone;  // neighbours among the runs that may still pair
  std::uint32_t next = kNone;
  std::uint32_t closes = 0;     // how many it closes
  std::uint32_t opens = kNone;  // the outermost Mark it opens
};

struct Bracket {
  std::uint32_t piece = 0;
  std::uint32_t inside = 0;  // index after the bracket
  bool image = false;
  bool bracket_after = false;         // another one was opened within
  std::uint32_t runs_before = kNone;  // the last run below it
};

// A link or image.
struct Group {
  bool image = false;
  bool reference = false;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t link = kNone;  // into Tree::links
};

class InlineParser {
 public:
  InlineParser(Context& context, const Blocks& blocks, InlineJob& job);
  void run();

 private:
  struct Open {
    NodeId node = kNone;
    bool element = false;
    std::uint32_t tag = kNone;  // Element
    std::uint32_t group = kNone;
  };

  // Left to right (inline.cpp).
  void scan();
  void take_special();
  void take_newline();
  void take_backslash();
  void take_reference();
  void take_code();
  void take_less_than();
  void take_html();
  void take_tag();
  void take_braces();
  void take_run();
  void set_sides(Run& run) const;
  void push_text(std::uint32_t end);
  Piece& push(PieceKind kind, std::uint32_t begin, std::uint32_t end);
  std::uint32_t last_run_of(std::uint32_t length);

  // Links (inline_link.cpp).
  void take_open_bracket(bool image);
  bool take_footnote();
  void take_close_bracket();
  bool resource(std::uint32_t at, Link& link, std::uint32_t& after);
  bool reference(const Bracket& bracket, Link& link, std::uint32_t& after);
  bool defined(std::string_view label, Link& link) const;
  bool image_footnote(const Bracket& bracket);
  void pop_bracket();
  void close_group(const Bracket& bracket, const Link& link, std::uint32_t after);
  void add_footnote(std::uint32_t begin, std::uint32_t end, std::string_view label, NodeId target);

  // Bare URLs (autolink.cpp).
  bool take_bare_link();
  std::uint32_t scan_bare_link(std::string_view& prefix);
  [[nodiscard]] std::uint32_t scan_addressed() const;
  [[nodiscard]] std::uint32_t scan_email(std::uint32_t from) const;
  std::uint32_t scan_www();
  std::uint32_t scan_protocol();
  std::uint32_t scan_domain(std::uint32_t at);
  std::uint32_t scan_path(std::uint32_t at);
  [[nodiscard]] std::uint32_t after_trail(std::uint32_t at) const;
  bool trail_ends(std::uint32_t at);

  // Pairing (inline_emphasis.cpp).
  void pair_runs(std::uint32_t below);
  [[nodiscard]] bool fits(const Run& opener, const Run& closer) const;
  [[nodiscard]] std::uint32_t rule_length(const Run& run) const;
  [[nodiscard]] std::uint32_t opener_for(std::uint32_t closer, std::uint32_t bottom) const;
  std::uint32_t pair_up(std::uint32_t opener, std::uint32_t closer);
  void pair(std::uint32_t opener, std::uint32_t closer);
  void unlink(std::uint32_t run);
  [[nodiscard]] std::uint32_t first_above(std::uint32_t below) const;

  // Nodes (inline_build.cpp).
  void build();
  void build_piece(const Piece& piece);
  void build_run(const Run& run);
  void add_text(std::uint32_t begin, std::uint32_t end, std::string_view value);
  void flush_text();
  void open_node(Kind kind, std::uint32_t begin, std::uint32_t end);
  void close_node();
  void open_group(std::uint32_t index);
  void close_group_node(std::uint32_t index);
  void build_tag(const Tag& tag);
  void close_tag(const Tag& tag);
  NodeId add(Kind kind, std::uint32_t begin, std::uint32_t end);
  [[nodiscard]] std::uint32_t offset_of_end(std::uint32_t end) const;
  [[nodiscard]] bool hidden() const { return !images_.empty(); }

  Context& context_;
  const Blocks& blocks_;
  InlineJob& job_;
  std::string_view chars_;
  std::uint32_t at_ = 0;
  std::uint32_t plain_ = 0;  // where characters begin that are in no piece yet
  std::vector<Piece> pieces_;
  std::vector<Run> runs_;
  std::vector<Mark> marks_;
  std::uint32_t last_run_ = kNone;  // the rightmost that may still pair
  std::vector<Bracket> brackets_;
  std::size_t text_brackets_ = 0;  // the first so many of them, images aside, open no link
  std::vector<Group> groups_;
  std::vector<Tag> tags_;
  HtmlMemory html_;
  std::unordered_map<std::uint32_t, std::uint32_t> code_runs_;  // length → last place
  bool code_runs_known_ = false;
  bool may_link_ = false;        // an `@`, `www.` or `://` is in the text
  std::uint32_t no_domain_ = 0;  // no domain starts before
  std::uint32_t no_trail_ = 0;   // up to here punctuation is known not to end a URL

  std::vector<Open> open_;
  std::vector<std::string> images_;  // alternative texts being collected
  std::string text_;                 // the text node being collected
  std::uint32_t text_begin_ = 0;
  std::uint32_t text_end_ = 0;
  bool text_open_ = false;
};

}  // namespace rb::rdr::grammar
