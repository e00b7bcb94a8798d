#include "daemon/reader/tree/blocks.h"

#include <algorithm>

#include "daemon/reader/tree/entity.h"
#include "daemon/reader/tree/scan.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

constexpr std::uint32_t kCodeIndent = 4;
constexpr std::uint32_t kLongestNumber = 9;

// The digits of an ordered list's marker; the result is how many, 0 for too many.
std::uint32_t read_number(std::string_view text, std::uint32_t& number) {
  std::uint32_t length = 0;
  for (; length < text.size() && is_ascii_digit(static_cast<unsigned char>(text[length]));
       ++length) {
    if (length == kLongestNumber) {
      return 0;
    }
    number = number * 10 + static_cast<std::uint32_t>(text[length] - '0');
  }
  return length;
}

}  // namespace

void BlockParser::run(std::uint32_t first_line) {
  containers_.push_back({});
  for (line_ = first_line; line_ < context_.source.line_count(); ++line_) {
    take_line();
    if (context_.refused() && !pass_over_block()) {
      return;
    }
  }
  if (!broken_) {
    close_to(1);
  }
}

// A tag or braces that can't be read: goes on behind the next blank line, to find what else is
// wrong. What is said from there on about tags that close and don't fit would only be a
// consequence.
bool BlockParser::pass_over_block() {
  const std::string_view code = context_.refusal->code;
  const bool of_tags = code == "syntax-unexpected-closing-tag" ||
                       code == "syntax-closing-tag-mismatch" || code == "syntax-unclosed-element";
  if (of_tags && broken_) {
    context_.refusal.reset();
    return false;
  }
  // What isn't closed is looked for to the text's end each time.
  constexpr std::uint64_t kLooks = 4;
  if (of_tags || fed_ > kLooks * context_.source.size() || !context_.go_on()) {
    return false;
  }
  broken_ = true;
  leaf_ = {};
  while (line_ + 1 < context_.source.line_count() && !Cursor(context_.source, line_ + 1).blank()) {
    ++line_;
  }
  return true;
}

// A blank line within an element of a list item makes the item loose as one beside it does.
void BlockParser::note_blank_before() {
  if (line_ != blank_line_ + 1 || containers_.back().kind != ContainerKind::Element) {
    return;
  }
  auto above = containers_.rbegin();
  while (above->kind == ContainerKind::Element) {
    ++above;
  }
  if (above->kind != ContainerKind::Item) {
    return;
  }
  Node& item = context_.node(above->node);
  item.spread = item.spread || item.span.start.offset < context_.source.line(blank_line_).begin;
}

NodeId BlockParser::add(Kind kind, std::uint32_t begin, std::uint32_t end) {
  note_blank_before();
  containers_.back().holds = true;
  return context_.add(top(), kind, begin, end);
}

void BlockParser::push(ContainerKind kind, NodeId node) {
  Container made;
  made.kind = kind;
  made.node = node;
  quotes_ += kind == ContainerKind::Quote ? 1 : 0;
  containers_.push_back(std::move(made));
}

// MDX refuses what is nested too deeply; in Markdown, which has no errors, it is text.
bool BlockParser::room_deeper(std::uint32_t offset) {
  if (containers_.size() < context_.limits.nesting) {
    return true;
  }
  if (context_.mdx()) {
    context_.refuse(offset, "syntax-too-deep", "lists, quotes and elements are nested too deeply");
  }
  return false;
}

bool BlockParser::matches(const Container& container, Cursor& cursor) const {
  const ContainerKind kind = container.kind;
  if (kind == ContainerKind::Element || kind == ContainerKind::List ||
      kind == ContainerKind::Root) {
    return true;
  }
  switch (kind) {
    case ContainerKind::Root:
    case ContainerKind::List:
    case ContainerKind::Element:
      return true;
    case ContainerKind::Quote: {
      Cursor ahead = cursor;
      ahead.skip_blanks();
      if (ahead.peek() != '>' || (!context_.mdx() && cursor.indent(kCodeIndent) >= kCodeIndent)) {
        return false;
      }
      ahead.skip_bytes(1);
      ahead.skip_columns(1);
      cursor = ahead;
      return true;
    }
    case ContainerKind::Item:
      // Looked at no further than this item's own columns: items within items don't multiply.
      if ((!container.holds && cursor.blank()) ||
          (cursor.indent(container.size) < container.size && !cursor.blank())) {
        return false;
      }
      cursor.skip_columns(container.size);
      return true;
    case ContainerKind::Footnote:
      if (cursor.indent(kCodeIndent) < kCodeIndent && !cursor.blank()) {
        return false;
      }
      cursor.skip_columns(kCodeIndent);
      return true;
  }
  return false;
}

// How many of the first `depth` containers go on in this line; the cursor stands after their marks.
std::size_t BlockParser::match(Cursor& cursor, std::size_t depth) const {
  std::size_t matched = 0;
  while (matched < depth && matches(containers_[matched], cursor)) {
    ++matched;
  }
  return matched;
}

// A blank line closes no list item or element that holds something: nothing to look at in the
// containers, so that many of them and many blank lines don't multiply.
bool BlockParser::take_blank_line(Cursor& cursor) {
  const Container& last = containers_.back();
  if (quotes_ > 0 || (last.kind == ContainerKind::Item && !last.holds) || !cursor.blank()) {
    return false;
  }
  if (leaf_.kind == LeafKind::Fence && cursor.at == cursor.end) {
    return continue_fence(cursor);
  }
  if (leaf_.kind == LeafKind::None || leaf_.kind == LeafKind::Paragraph ||
      leaf_.kind == LeafKind::Table) {
    close_leaf();
    blank_line_ = line_;
    return true;
  }
  return false;
}

void BlockParser::take_line() {
  Cursor cursor(context_.source, line_);
  if (take_blank_line(cursor)) {
    return;
  }
  std::size_t kept = match(cursor, containers_.size());
  const bool all = kept == containers_.size();
  if (all && continue_leaf(cursor)) {
    return;
  }
  const bool opened = open_containers(cursor, kept, all);
  if (!context_.refused()) {
    take_rest(cursor, kept, all, opened);
  }
}

// Code and HTML take their lines whatever these hold. False: the leaf is over, or isn't one of
// these.
bool BlockParser::continue_leaf(Cursor& cursor) {
  switch (leaf_.kind) {
    case LeafKind::Fence:
      return continue_fence(cursor);
    case LeafKind::Indented:
      return continue_indented(cursor);
    case LeafKind::Html:
      return continue_html(cursor);
    case LeafKind::None:
    case LeafKind::Paragraph:
    case LeafKind::Table:
      return false;
  }
  return false;
}

// Opens what new containers the line starts; true if there was one.
bool BlockParser::open_containers(Cursor& cursor, std::size_t& kept, bool all) {
  bool opened = false;
  bool interrupts = false;
  while (!context_.refused() && !cursor.blank() && line_ >= plain_before_) {
    if (cursor.indent() >= kCodeIndent && !context_.mdx()) {
      break;
    }
    // What may not interrupt a paragraph may not in MDX's reference implementation stand in a new
    // container of that line either.
    interrupts =
        (interrupts && context_.mdx()) || (all && !opened && leaf_.kind == LeafKind::Paragraph);
    if (!open_quote(cursor, kept) && !open_footnote(cursor, kept) &&
        !open_item(cursor, kept, interrupts)) {
      break;
    }
    opened = true;
  }
  return opened;
}

// Closes what the line doesn't continue. A list stays open only for a further item of its kind.
void BlockParser::make_room(std::size_t& kept, bool for_item, char marker) {
  const Container& last = containers_[kept - 1];
  if (last.kind == ContainerKind::List && !(for_item && last.marker == marker)) {
    --kept;
  }
  close_to(kept);
}

bool BlockParser::open_quote(Cursor& cursor, std::size_t& kept) {
  Cursor ahead = cursor;
  ahead.skip_blanks();
  if (ahead.peek() != '>' || !room_deeper(ahead.at)) {
    return false;
  }
  make_room(kept, false, '\0');
  push(ContainerKind::Quote, add(Kind::Blockquote, ahead.at, ahead.at + 1));
  ahead.skip_bytes(1);
  ahead.skip_columns(1);
  cursor = ahead;
  kept = containers_.size();
  return true;
}

bool BlockParser::open_footnote(Cursor& cursor, std::size_t& kept) {
  Cursor ahead = cursor;
  ahead.skip_blanks();
  if (ahead.peek() != '[') {
    return false;
  }
  Range label;
  const std::string_view rest = ahead.rest();
  const std::uint32_t after = scan_footnote_label(rest, 0, label);
  if (after == kNowhere || after >= rest.size() || rest[after] != ':' || !room_deeper(ahead.at)) {
    return false;
  }
  make_room(kept, false, '\0');
  const NodeId node = add(Kind::FootnoteDefinition, ahead.at, ahead.at + after + 1);
  const std::string identifier = normalize_label(label.of(rest));
  Link made;
  made.label = context_.keep(decode_string(label.of(rest)));
  made.identifier = context_.keep(identifier);
  context_.node(node).detail = static_cast<std::uint32_t>(context_.tree.links.size());
  context_.tree.links.push_back(made);
  blocks_.footnotes.emplace(identifier, node);
  push(ContainerKind::Footnote, node);
  ahead.skip_bytes(after + 1);
  ahead.skip_blanks();
  cursor = ahead;
  kept = containers_.size();
  return true;
}

// Reads `-`, `+`, `*`, `1.`, `1)` and the blanks behind it.
bool BlockParser::scan_marker(const Cursor& cursor, ListMarker& found) const {
  Cursor ahead = cursor;
  found.indent = ahead.indent();
  ahead.skip_blanks();
  found.begin = ahead.at;
  const std::string_view rest = ahead.rest();
  const std::uint32_t digits = read_number(rest, found.number);
  if (digits >= rest.size()) {
    return false;
  }
  found.ordered = digits > 0;
  found.marker = rest[digits];
  found.length = digits + 1;
  const std::string_view markers = found.ordered ? ".)" : "-+*";
  if (markers.find(found.marker) == std::string_view::npos ||
      (!found.ordered && is_thematic_break(rest))) {
    return false;
  }
  ahead.skip_bytes(found.length);
  found.empty = ahead.blank();
  const std::uint32_t blanks = ahead.indent();
  if (blanks == 0 && !found.empty) {
    return false;
  }
  const bool one = found.empty || (blanks > kCodeIndent && !context_.mdx());
  found.size = found.indent + found.length + (one ? 1 : blanks);
  return true;
}

bool BlockParser::open_item(Cursor& cursor, std::size_t& kept, bool interrupts) {
  ListMarker found;
  if (!scan_marker(cursor, found)) {
    return false;
  }
  const bool weak = found.empty || (found.ordered && found.number != 1);
  if ((interrupts && weak) || !room_deeper(found.begin)) {
    return false;
  }
  make_room(kept, true, found.marker);
  if (containers_.back().kind != ContainerKind::List) {
    const NodeId list = add(Kind::List, found.begin, found.begin + 1);
    context_.node(list).ordered = found.ordered;
    context_.node(list).number = found.number;
    push(ContainerKind::List, list);
    containers_.back().marker = found.marker;
  }
  push(ContainerKind::Item, add(Kind::ListItem, found.begin, found.begin + 1));
  containers_.back().size = found.size;
  context_.node(top()).span.end.offset = found.begin + found.length;
  cursor.skip_blanks();
  cursor.skip_bytes(found.length);
  cursor.skip_columns(found.size - found.indent - found.length);
  kept = containers_.size();
  return true;
}

// A further line of the paragraph that is open, unless it starts something else. Lazy: it comes
// without the marks of the paragraph's containers.
void BlockParser::take_paragraph_line(const Cursor& cursor, std::size_t kept, bool lazy) {
  if (!lazy && continue_paragraph(cursor)) {
    return;
  }
  if (!start_leaf(cursor, kept, Start::Interrupt) && !context_.refused()) {
    leaf_.text.append(cursor);
    leaf_.last_lazy = lazy;
  }
}

// A quote goes on in a line that holds its mark alone.
void BlockParser::extend_quote(std::uint32_t end, std::size_t kept) {
  for (std::size_t i = kept; quotes_ > 0 && i-- > 0;) {
    if (containers_[i].kind == ContainerKind::Quote) {
      context_.node(containers_[i].node).span.end.offset = end;
      return;
    }
  }
}

// What stands in the line after its containers.
void BlockParser::take_rest(Cursor& cursor, std::size_t kept, bool all, bool opened) {
  if (cursor.blank()) {
    if (!opened) {
      close_to(kept);
      extend_quote(cursor.at, kept);
      blank_line_ = line_;
    }
    return;
  }
  const std::size_t blocks = kept - (containers_[kept - 1].kind == ContainerKind::List ? 1U : 0U);
  if (leaf_.kind == LeafKind::Paragraph && !opened) {
    take_paragraph_line(cursor, blocks, !all);
    return;
  }
  const bool table = leaf_.kind == LeafKind::Table && !opened;
  if (!table || !all) {
    close_to(blocks);
  }
  if (context_.refused() || start_leaf(cursor, blocks, Start::Fresh) || context_.refused()) {
    return;
  }
  if (table && all) {
    add_row(cursor);
    return;
  }
  start_paragraph(cursor);
  // MDX's reference implementation reads the line that leaves a table's container as a row first.
  leaf_.no_header = table && context_.mdx();
}

// Closes the leaf and all containers beyond the first `kept`.
void BlockParser::close_to(std::size_t kept) {
  close_leaf();
  while (containers_.size() > kept && !context_.refused()) {
    const Container& last = containers_.back();
    Node& node = context_.node(last.node);
    if (last.kind == ContainerKind::Element) {
      context_.refuse(node.span.start.offset, "syntax-unclosed-element",
                      "<" + last.name + "> is not closed where its surroundings end",
                      "write </" + last.name + "> there, or <" + last.name + " /> here");
      return;
    }
    if (node.last_child != kNone) {
      node.span.end.offset =
          std::max(node.span.end.offset, context_.node(node.last_child).span.end.offset);
    }
    quotes_ -= last.kind == ContainerKind::Quote ? 1 : 0;
    containers_.pop_back();
  }
}

}  // namespace rb::rdr::grammar
