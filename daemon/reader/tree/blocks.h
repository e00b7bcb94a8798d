// blocks.h — the block structure: containers line by line, leaves within them.
// [UNTRUSTED: reader]
// In:     a file's lines from the end of the front matter on.
// Out:    block nodes in the tree; a job for every text that holds inline content; definitions.
// Cost:   each line is looked at once for each container it lies in (at most Limits::nesting); what
//         MDX looks at twice is bounded by Context::spend.
// Errors: Context::refuse (MDX syntax, limits).
// Source: CommonMark 0.31 §4, §5; GFM tables, tasks, footnotes; the MDX 3 grammar.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/reader/tree/context.h"
#include "daemon/reader/tree/stream.h"
#include "daemon/reader/tree/tag.h"

namespace rb::rdr::grammar {

// A text whose inline content is read when all definitions are known.
struct InlineJob {
  NodeId node = kNone;
  Text text;
  bool in_table = false;
};

struct Blocks {
  std::vector<InlineJob> jobs;  // in document order
  std::unordered_map<std::string, NodeId> definitions;
  std::unordered_map<std::string, NodeId> footnotes;
};

enum class ContainerKind { Root, Quote, List, Item, Footnote, Element };

struct Container {
  ContainerKind kind = ContainerKind::Root;
  NodeId node = 0;
  std::uint32_t size = 0;  // Item: columns its lines are indented by
  char marker = '\0';      // List: bullet, or what follows the number
  bool holds = false;      // something stands in it
  std::string name;        // Element
};

enum class LeafKind { None, Paragraph, Fence, Indented, Html, Table };

struct Leaf {
  LeafKind kind = LeafKind::None;
  NodeId node = kNone;
  Text text;
  bool last_lazy = false;      // Paragraph: its last line came without its containers' markers
  bool no_header = false;      // Paragraph: its first line can't head a table
  int html = 0;                // Html: the start condition
  std::vector<Align> columns;  // Table
  std::uint32_t rows = 0;
};

class BlockParser {
 public:
  BlockParser(Context& context, Blocks& blocks) : context_(context), blocks_(blocks) {}

  // From a line (an index) to the end.
  void run(std::uint32_t first_line);

 private:
  enum class Start { Fresh, Interrupt };
  struct ListMarker {
    bool ordered = false;
    char marker = '\0';
    std::uint32_t number = 0;
    std::uint32_t begin = 0;   // offset
    std::uint32_t indent = 0;  // columns before it
    std::uint32_t length = 0;  // bytes
    std::uint32_t size = 0;    // columns of the item's content
    bool empty = false;        // nothing but blanks follows
  };
  struct FlowPiece {
    bool is_tag = false;
    Tag tag;
    std::uint32_t begin = 0;
    std::uint32_t after = 0;
    bool empty = false;
    LiteralId literal = kNone;
    LiteralId partial = kNone;
  };
  struct Marks {
    std::size_t attributes = 0;
    std::size_t literals = 0;
  };

  // Lines and containers (blocks.cpp).
  bool pass_over_block();
  void take_line();
  bool take_blank_line(Cursor& cursor);
  std::size_t match(Cursor& cursor, std::size_t depth) const;
  bool matches(const Container& container, Cursor& cursor) const;
  bool continue_leaf(Cursor& cursor);
  bool open_containers(Cursor& cursor, std::size_t& kept, bool all);
  bool open_quote(Cursor& cursor, std::size_t& kept);
  bool open_footnote(Cursor& cursor, std::size_t& kept);
  bool open_item(Cursor& cursor, std::size_t& kept, bool interrupts);
  bool scan_marker(const Cursor& cursor, ListMarker& found) const;
  void take_paragraph_line(const Cursor& cursor, std::size_t kept, bool lazy);
  void take_rest(Cursor& cursor, std::size_t kept, bool all, bool opened);
  void extend_quote(std::uint32_t end, std::size_t kept);
  void make_room(std::size_t& kept, bool for_item, char marker);
  void close_to(std::size_t kept);
  void push(ContainerKind kind, NodeId node);
  bool room_deeper(std::uint32_t offset);
  [[nodiscard]] NodeId top() const { return containers_.back().node; }
  NodeId add(Kind kind, std::uint32_t begin, std::uint32_t end);
  void note_blank_before();

  // Leaves (leaves.cpp).
  bool start_leaf(const Cursor& whole, std::size_t kept, Start how);
  bool start_heading(const Cursor& cursor, std::size_t kept);
  bool start_fence(const Cursor& cursor, std::uint32_t indent, std::size_t kept);
  bool start_html(const Cursor& whole, const Cursor& cursor, std::size_t kept, Start how);
  void start_indented(Cursor cursor, std::size_t kept);
  void start_paragraph(const Cursor& whole);
  bool continue_paragraph(const Cursor& whole);
  bool continue_fence(Cursor& cursor);
  bool continue_indented(Cursor& cursor);
  bool continue_html(const Cursor& cursor);
  void close_leaf();
  void close_paragraph();
  void close_code();
  void take_definitions(Text& text);
  void add_definition(const Text& text, std::uint32_t begin, std::uint32_t end);
  void take_task(Text& text);
  void close_setext(const Cursor& cursor, std::uint32_t depth);

  // Tables (table.cpp).
  bool start_table(const Cursor& cursor);
  bool start_esm_above(std::uint32_t line);
  void add_row(const Cursor& whole);
  void add_row(std::uint32_t begin, std::uint32_t end);

  // MDX between blocks (flow.cpp).
  bool start_flow(const Cursor& cursor, std::size_t kept, Start how);
  bool read_flow(Stream& stream, std::vector<FlowPiece>& pieces);
  bool start_esm(const Cursor& cursor, std::size_t kept);
  Ended feed(Text& text, std::uint32_t& next, std::size_t depth);
  void place(const Text& text, const FlowPiece& piece);
  void place_tag(const Text& text, const Tag& tag);
  void close_element(const Text& text, const Tag& tag);
  void consume_lines(const Text& text, std::uint32_t after);

  Context& context_;
  Blocks& blocks_;
  std::vector<Container> containers_;
  Leaf leaf_;
  std::uint32_t quotes_ = 0;  // among the containers
  bool broken_ = false;       // a block was passed over
  std::uint64_t fed_ = 0;     // bytes that constructs over several lines looked at
  std::uint32_t line_ = 0;
  std::uint32_t blank_line_ = kNone - 1;  // the last blank one between blocks
  // Lines before this one were read as a tag or value that then turned out to be a paragraph's:
  // they open no containers.
  std::uint32_t plain_before_ = 0;
};

// The cells of a table's row, blanks around them removed.
struct Cell {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};
[[nodiscard]] std::vector<Cell> split_row(std::string_view row);

}  // namespace rb::rdr::grammar
