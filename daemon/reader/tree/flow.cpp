// MDX between blocks: tags, values in braces, import and export.
#include <algorithm>

#include "daemon/reader/tree/blocks.h"
#include "daemon/reader/tree/js.h"
#include "daemon/reader/tree/scan.h"

namespace rb::rdr::grammar {

// Appends the next line of the containers a construct stands in.
Ended BlockParser::feed(Text& text, std::uint32_t& next, std::size_t depth) {
  if (next >= context_.source.line_count()) {
    return Ended::EndOfText;
  }
  Cursor cursor(context_.source, next);
  if (match(cursor, depth) < depth) {
    return Ended::Container;
  }
  text.append(cursor);
  fed_ += cursor.end - cursor.at;
  ++next;
  return Ended::No;
}

// Tags and braces up to the end of a line, no two braces side by side. False: other text follows
// them, it is a paragraph.
bool BlockParser::read_flow(Stream& stream, std::vector<FlowPiece>& pieces) {
  std::uint32_t at = 0;
  while (!stream.at_line_end(at)) {
    const char c = stream.text.chars()[at];
    FlowPiece piece;
    piece.begin = at;
    if (c == '<') {
      piece.is_tag = true;
      if (scan_tag(stream, at, context_, piece.tag) != TagScan::Yes) {
        return false;
      }
      piece.after = piece.tag.after;
    } else if (c == '{' && (pieces.empty() || pieces.back().is_tag)) {
      const JsResult read = parse_braces(stream, at, context_, Braces::Expression);
      if (!read.ok) {
        return false;
      }
      piece.after = read.after;
      piece.empty = read.empty;
      piece.literal = read.literal;
      piece.partial = read.partial;
    } else {
      return false;
    }
    at = skip_blanks(stream.text.chars(), piece.after);
    pieces.push_back(std::move(piece));
  }
  return true;
}

bool BlockParser::start_flow(const Cursor& cursor, std::size_t kept, Start how) {
  Text text;
  text.append(cursor);
  std::uint32_t next = line_ + 1;
  // A line that might interrupt a paragraph still stands in all of its containers.
  const std::size_t depth = how == Start::Interrupt ? containers_.size() : kept;
  Stream stream{text, [&] { return feed(text, next, depth); }, Ended::No};
  const Marks marks{context_.tree.attributes.size(), context_.tree.literals.size()};
  containers_[depth - 1].holds = true;  // a blank line doesn't end the item now
  std::vector<FlowPiece> pieces;
  const bool read = read_flow(stream, pieces);
  if (context_.refused()) {
    return true;
  }
  if (!read) {
    context_.tree.attributes.resize(marks.attributes);
    context_.tree.literals.resize(marks.literals);
    plain_before_ = std::max(plain_before_, next);
    return !context_.spend(text.size(), cursor.at);
  }
  close_to(kept);
  for (const FlowPiece& piece : pieces) {
    if (!context_.refused()) {
      place(text, piece);
    }
  }
  consume_lines(text, pieces.back().after);
  return true;
}

// The lines that a construct took beyond the first.
void BlockParser::consume_lines(const Text& text, std::uint32_t after) {
  line_ = std::max(line_, text.segment(after == 0 ? 0 : after - 1).line);
}

void BlockParser::place(const Text& text, const FlowPiece& piece) {
  if (piece.is_tag) {
    place_tag(text, piece.tag);
    return;
  }
  const NodeId node =
      add(Kind::MdxFlowExpression, text.offset(piece.begin), text.offset(piece.after - 1) + 1);
  context_.node(node).detail = static_cast<std::uint32_t>(context_.tree.expressions.size());
  context_.node(node).value =
      context_.keep(text.chars().substr(piece.begin + 1, piece.after - piece.begin - 2));
  context_.tree.expressions.push_back({piece.literal, piece.empty, piece.partial});
}

void BlockParser::place_tag(const Text& text, const Tag& tag) {
  if (tag.closing) {
    close_element(text, tag);
    return;
  }
  const std::uint32_t begin = text.offset(tag.begin);
  if (!tag.self_closing && !room_deeper(begin)) {
    return;
  }
  const NodeId node = add(Kind::MdxJsxFlowElement, begin, text.offset(tag.after - 1) + 1);
  context_.node(node).detail = static_cast<std::uint32_t>(context_.tree.elements.size());
  context_.tree.elements.push_back(
      {context_.keep(tag.name), tag.first_attribute, tag.attribute_count, tag.self_closing});
  if (!tag.self_closing) {
    push(ContainerKind::Element, node);
    containers_.back().name = tag.name;
  }
}

void BlockParser::close_element(const Text& text, const Tag& tag) {
  const std::uint32_t begin = text.offset(tag.begin);
  const Container& last = containers_.back();
  if (last.kind != ContainerKind::Element) {
    context_.refuse(begin, "syntax-unexpected-closing-tag",
                    "</" + tag.name + "> closes nothing that was opened here",
                    "open and close an element in the same list item or quote");
    return;
  }
  if (last.name != tag.name) {
    context_.refuse(begin, "syntax-closing-tag-mismatch",
                    "</" + tag.name + "> stands where </" + last.name + "> is expected",
                    "close elements in the order in which they were opened");
    return;
  }
  note_blank_before();
  context_.node(last.node).span.end.offset = text.offset(tag.after - 1) + 1;
  containers_.pop_back();
}

bool BlockParser::start_esm(const Cursor& cursor, std::size_t kept) {
  const std::string_view rest = cursor.rest();
  const std::uint32_t first =
      context_.source.line(line_).begin + (line_ == 0 ? context_.source.mark_bytes() : 0);
  const std::string_view word = rest.substr(0, 7);
  if (cursor.at != first || (word != "import " && word != "export ")) {
    return false;
  }
  Text text;
  text.append(cursor);
  std::uint32_t next = line_ + 1;
  Stream stream{text, [&] { return feed(text, next, kept); }, Ended::No};
  const Marks marks{context_.tree.attributes.size(), context_.tree.literals.size()};
  const JsResult read = parse_esm(stream, context_);
  context_.tree.literals.resize(marks.literals);
  if (!read.ok) {
    return true;
  }
  close_to(kept);
  const NodeId node = add(Kind::MdxjsEsm, text.offset(0), text.offset(read.after - 1) + 1);
  context_.node(node).value = context_.keep(text.chars().substr(0, read.after));
  consume_lines(text, read.after);
  return true;
}

}  // namespace rb::rdr::grammar
