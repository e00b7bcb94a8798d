// From pieces to nodes.
#include <algorithm>
#include <utility>

#include "daemon/reader/tree/inline.h"
#include "daemon/reader/tree/scan.h"

namespace rb::rdr::grammar {

std::uint32_t InlineParser::offset_of_end(std::uint32_t end) const {
  if (end == 0) {
    return job_.text.offset(0);
  }
  // A line's ending is one character here and may be two in the file.
  return chars_[end - 1] == '\n' ? context_.source.line(job_.text.segment(end - 1).line).next
                                 : job_.text.offset(end - 1) + 1;
}

NodeId InlineParser::add(Kind kind, std::uint32_t begin, std::uint32_t end) {
  return context_.add(open_.back().node, kind, job_.text.offset(begin), offset_of_end(end));
}

void InlineParser::build() {
  open_.push_back({job_.node, false, kNone, kNone});
  for (const Piece& piece : pieces_) {
    if (context_.refused()) {
      return;
    }
    build_piece(piece);
  }
  flush_text();
  if (open_.size() > 1 && open_.back().element) {
    const Tag& tag = tags_[open_.back().tag];
    context_.refuse(job_.text.offset(tag.begin), "syntax-unclosed-element",
                    "<" + tag.name + "> is not closed in the paragraph it stands in",
                    "write </" + tag.name + ">, or <" + tag.name + " />, or \\< for a plain <");
  }
}

void InlineParser::build_piece(const Piece& piece) {
  switch (piece.kind) {
    case PieceKind::Text:
      return add_text(piece.begin, piece.end, chars_.substr(piece.begin, piece.end - piece.begin));
    case PieceKind::Chars:
      return add_text(piece.begin, piece.end, piece.value);
    case PieceKind::Delimiters:
      return build_run(runs_[piece.detail]);
    case PieceKind::LinkOpen:
      return open_group(piece.detail);
    case PieceKind::LinkClose:
      return close_group_node(piece.detail);
    case PieceKind::Tag:
      return build_tag(tags_[piece.detail]);
    case PieceKind::Code:
    case PieceKind::Break:
    case PieceKind::Html:
    case PieceKind::Autolink:
    case PieceKind::Footnote:
    case PieceKind::Expression:
      break;
  }
  if (hidden()) {
    images_.back() += piece.kind == PieceKind::Html
                          ? chars_.substr(piece.begin, piece.end - piece.begin)
                          : piece.value;
    return;
  }
  flush_text();
  constexpr Kind kKinds[] = {Kind::Text,
                             Kind::Text,
                             Kind::InlineCode,
                             Kind::Break,
                             Kind::Html,
                             Kind::Link,
                             Kind::FootnoteReference,
                             Kind::Text,
                             Kind::Text,
                             Kind::Text,
                             Kind::Text,
                             Kind::MdxTextExpression};
  const NodeId node = add(kKinds[static_cast<std::size_t>(piece.kind)], piece.begin, piece.end);
  Node& made = context_.node(node);
  made.detail = piece.detail;
  if (piece.kind == PieceKind::Html) {
    made.value =
        context_.keep(without_indents(chars_.substr(piece.begin, piece.end - piece.begin)));
  } else if (piece.kind == PieceKind::Autolink) {
    const std::string_view shown = context_.keep(piece.value);
    const std::uint32_t begin = job_.text.offset(piece.begin);
    const bool angled = chars_[piece.begin] == '<';
    const NodeId text =
        context_.add(node, Kind::Text, begin + (angled ? 1 : 0),
                     begin + (angled ? 1 : 0) + static_cast<std::uint32_t>(shown.size()));
    context_.node(text).value = shown;
  } else {
    made.value = piece.value;
  }
}

void InlineParser::add_text(std::uint32_t begin, std::uint32_t end, std::string_view value) {
  if (begin == end) {
    return;
  }
  if (hidden()) {
    images_.back() += value;
    return;
  }
  if (!text_open_) {
    text_open_ = true;
    text_begin_ = begin;
    text_.clear();
  }
  text_ += value;
  text_end_ = end;
}

void InlineParser::flush_text() {
  if (!text_open_) {
    return;
  }
  text_open_ = false;
  const NodeId node = add(Kind::Text, text_begin_, text_end_);
  context_.node(node).value = context_.keep(text_);
}

// What is nested too deeply goes into the node above; in MDX it is refused.
void InlineParser::open_node(Kind kind, std::uint32_t begin, std::uint32_t end) {
  flush_text();
  Open made;
  made.node = open_.back().node;
  if (open_.size() >= context_.limits.nesting) {
    if (context_.mdx()) {
      context_.refuse(job_.text.offset(begin), "syntax-too-deep", "this is nested too deeply");
    }
  } else if (!hidden()) {
    made.node = add(kind, begin, end);
  }
  open_.push_back(made);
}

void InlineParser::close_node() {
  flush_text();
  const Open& last = open_.back();
  if (last.element) {
    const Tag& tag = tags_[last.tag];
    context_.refuse(job_.text.offset(tag.begin), "syntax-unclosed-element",
                    "<" + tag.name + "> is not closed where the emphasis or link around it ends",
                    "write </" + tag.name + "> before that");
    return;
  }
  open_.pop_back();
}

void InlineParser::build_run(const Run& run) {
  for (std::uint32_t i = 0; i < run.closes && !context_.refused(); ++i) {
    close_node();
  }
  add_text(run.begin, run.end, chars_.substr(run.begin, run.end - run.begin));
  for (std::uint32_t at = run.opens; at != kNone && !context_.refused(); at = marks_[at].inner) {
    open_node(marks_[at].kind, marks_[at].begin, marks_[at].end);
  }
}

void InlineParser::open_group(std::uint32_t index) {
  const Group& group = groups_[index];
  const Kind kind = group.image ? (group.reference ? Kind::ImageReference : Kind::Image)
                                : (group.reference ? Kind::LinkReference : Kind::Link);
  open_node(kind, group.begin, group.end);
  open_.back().group = index;
  if (group.image) {
    images_.emplace_back();
  }
}

void InlineParser::close_group_node(std::uint32_t index) {
  flush_text();
  std::string alt;
  const bool image = groups_[index].image;
  const NodeId node = open_.back().node;
  close_node();
  if (context_.refused()) {
    return;
  }
  if (image) {
    alt = std::move(images_.back());
    images_.pop_back();
  }
  if (hidden()) {
    images_.back() += alt;
    return;
  }
  if (node == open_.back().node) {
    add_text(groups_[index].begin, groups_[index].end, alt);
    return;
  }
  const std::uint32_t link = groups_[index].link;
  context_.tree.links[link].alt = context_.keep(alt);
  context_.node(node).detail = link;
}

void InlineParser::build_tag(const Tag& tag) {
  if (tag.closing) {
    close_tag(tag);
    return;
  }
  open_node(Kind::MdxJsxTextElement, tag.begin, tag.after);
  if (context_.refused()) {
    return;
  }
  if (!hidden()) {
    context_.node(open_.back().node).detail =
        static_cast<std::uint32_t>(context_.tree.elements.size());
    context_.tree.elements.push_back(
        {context_.keep(tag.name), tag.first_attribute, tag.attribute_count, tag.self_closing});
  }
  if (tag.self_closing) {
    open_.pop_back();
  } else {
    open_.back().element = true;
    open_.back().tag = static_cast<std::uint32_t>(&tag - tags_.data());
  }
}

void InlineParser::close_tag(const Tag& tag) {
  flush_text();
  const Open& last = open_.back();
  const std::uint32_t begin = job_.text.offset(tag.begin);
  if (!last.element) {
    context_.refuse(begin, "syntax-unexpected-closing-tag",
                    "</" + tag.name + "> closes nothing that was opened here",
                    "open and close an element in the same paragraph, emphasis or link");
    return;
  }
  const Tag& opening = tags_[last.tag];
  if (opening.name != tag.name) {
    context_.refuse(begin, "syntax-closing-tag-mismatch",
                    "</" + tag.name + "> stands where </" + opening.name + "> is expected",
                    "close elements in the order in which they were opened");
    return;
  }
  if (!hidden()) {
    context_.node(last.node).span.end.offset = offset_of_end(tag.after);
  }
  open_.pop_back();
}

}  // namespace rb::rdr::grammar
