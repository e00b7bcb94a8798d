// Leaves: headings, code, HTML, paragraphs, and the definitions at a paragraph's start.
#include <algorithm>

#include "daemon/reader/tree/blocks.h"
#include "daemon/reader/tree/entity.h"
#include "daemon/reader/tree/html.h"
#include "daemon/reader/tree/scan.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

constexpr std::uint32_t kCodeIndent = 4;

// An ATX heading's content: the closing run of # and the blanks around it removed.
Range heading_content(std::string_view line, std::uint32_t depth) {
  Range content{skip_blanks(line, depth), static_cast<std::uint32_t>(line.size())};
  const auto drop = [&](auto test) {
    while (content.end > content.begin && test(line[content.end - 1])) {
      --content.end;
    }
  };
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  drop(blank);
  const std::uint32_t trimmed = content.end;
  drop([](char c) { return c == '#'; });
  if (content.end != content.begin && content.end < trimmed && !blank(line[content.end - 1])) {
    content.end = trimmed;
  }
  drop(blank);
  return content;
}

}  // namespace

// A block other than a paragraph starts in this line: opens it, and all of a one-line block.
bool BlockParser::start_leaf(const Cursor& whole, std::size_t kept, Start how) {
  const std::uint32_t indent = whole.indent();
  if (!context_.mdx() && indent >= kCodeIndent) {
    if (how == Start::Fresh) {
      start_indented(whole, kept);
    }
    return how == Start::Fresh;
  }
  Cursor cursor = whole;
  cursor.skip_blanks();
  const std::string_view rest = cursor.rest();
  switch (rest[0]) {
    case '#':
      return start_heading(cursor, kept);
    case '`':
    case '~':
      return start_fence(cursor, indent, kept);
    case '*':
    case '-':
    case '_':
      if (!is_thematic_break(rest)) {
        return false;
      }
      close_to(kept);
      add(Kind::ThematicBreak, cursor.at, cursor.end);
      return true;
    case '<':
      return context_.mdx() ? start_flow(cursor, kept, how) : start_html(whole, cursor, kept, how);
    case '{':
      return context_.mdx() && start_flow(cursor, kept, how);
    case 'i':
    case 'e':
      return context_.mdx() && how == Start::Fresh && start_esm(whole, kept);
    default:
      return false;
  }
}

bool BlockParser::start_heading(const Cursor& cursor, std::size_t kept) {
  const std::string_view rest = cursor.rest();
  const std::uint32_t depth = heading_depth(rest);
  if (depth == 0) {
    return false;
  }
  close_to(kept);
  const NodeId node = add(Kind::Heading, cursor.at, cursor.end);
  context_.node(node).number = depth;
  const Range content = heading_content(rest, depth);
  if (content.begin < content.end) {
    InlineJob job;
    job.node = node;
    job.text.append(context_.source, cursor.at + content.begin, cursor.at + content.end);
    blocks_.jobs.push_back(std::move(job));
  }
  return true;
}

bool BlockParser::start_fence(const Cursor& cursor, std::uint32_t indent, std::size_t kept) {
  const std::string_view rest = cursor.rest();
  const std::uint32_t length = fence_length(rest);
  if (length == 0) {
    return false;
  }
  close_to(kept);
  leaf_ = {};
  leaf_.kind = LeafKind::Fence;
  leaf_.node = add(Kind::Code, cursor.at, cursor.end);
  const std::string_view written = trim_blanks(rest.substr(length));
  const std::string info = decode_string(written);
  const std::size_t word = std::min(written.find_first_of(" \t"), written.size());
  Code code;
  code.fenced = true;
  code.fence = rest[0];
  code.fence_length = length;
  code.fence_indent = indent;
  code.info = context_.keep(info);
  code.language = context_.keep(decode_string(written.substr(0, word)));
  code.meta = context_.keep(decode_string(trim_blanks(written.substr(word))));
  context_.node(leaf_.node).detail = static_cast<std::uint32_t>(context_.tree.codes.size());
  context_.tree.codes.push_back(code);
  return true;
}

bool BlockParser::continue_fence(Cursor& cursor) {
  Node& node = context_.node(leaf_.node);
  Code& code = context_.tree.codes[node.detail];
  const std::uint32_t indent = cursor.indent();
  Cursor ahead = cursor;
  ahead.skip_blanks();
  if ((indent < kCodeIndent || context_.mdx()) &&
      closes_fence(ahead.rest(), code.fence, code.fence_length)) {
    code.closed = true;
    node.span.end.offset = ahead.end;
    close_leaf();
    return true;
  }
  cursor.skip_columns(std::min(indent, code.fence_indent));
  leaf_.text.append(cursor);
  node.span.end.offset = cursor.end;
  return true;
}

void BlockParser::start_indented(Cursor cursor, std::size_t kept) {
  close_to(kept);
  leaf_ = {};
  leaf_.kind = LeafKind::Indented;
  leaf_.node = add(Kind::Code, cursor.at, cursor.end);
  cursor.skip_columns(kCodeIndent);
  context_.node(leaf_.node).detail = static_cast<std::uint32_t>(context_.tree.codes.size());
  context_.tree.codes.push_back({});
  leaf_.text.append(cursor);
}

bool BlockParser::continue_indented(Cursor& cursor) {
  const bool blank = cursor.blank();
  if (!blank && cursor.indent() < kCodeIndent) {
    return false;
  }
  cursor.skip_columns(kCodeIndent);
  leaf_.text.append(cursor);
  return true;
}

// Gives a code node its content and the way back to the file.
void BlockParser::close_code() {
  Node& node = context_.node(leaf_.node);
  Code& code = context_.tree.codes[node.detail];
  Text& text = leaf_.text;
  if (leaf_.kind == LeafKind::Indented) {
    const auto blank_end = [&] {
      const std::string_view last = text.chars().substr(text.segments().back().index);
      return last.find_first_not_of(" \t") == std::string_view::npos;
    };
    while (text.segments().size() > 1 && blank_end()) {
      text.drop_last_line();
    }
    node.span.end.offset = text.offset(text.size());
  }
  node.value = context_.keep(text.chars());
  code.body = static_cast<std::uint32_t>(context_.tree.line_maps.size());
  code.body_lines = static_cast<std::uint32_t>(text.segments().size());
  for (const Segment& segment : text.segments()) {
    context_.tree.line_maps.push_back({segment.line + 1, 0, segment.source});
  }
  if (!text.empty()) {
    code.content_line = text.segments().front().line + 1;
    code.content_begin = context_.source.line(text.segments().front().line).begin;
    code.content_end = context_.source.line(text.segments().back().line).next;
  }
}

bool BlockParser::start_html(const Cursor& whole, const Cursor& cursor, std::size_t kept,
                             Start how) {
  const int kind = html_block_kind(cursor.rest(), how == Start::Interrupt);
  if (kind == 0) {
    return false;
  }
  close_to(kept);
  leaf_ = {};
  leaf_.kind = LeafKind::Html;
  leaf_.html = kind;
  leaf_.node = add(Kind::Html, whole.at, whole.end);
  leaf_.text.append(whole);
  if (ends_html_block(cursor.rest(), kind)) {
    close_leaf();
  }
  return true;
}

bool BlockParser::continue_html(const Cursor& cursor) {
  if (leaf_.html >= 6 && cursor.blank()) {
    return false;
  }
  leaf_.text.append(cursor);
  context_.node(leaf_.node).span.end.offset = cursor.end;
  if (ends_html_block(cursor.rest(), leaf_.html)) {
    close_leaf();
  }
  return true;
}

void BlockParser::start_paragraph(const Cursor& whole) {
  Cursor cursor = whole;
  cursor.skip_blanks();
  leaf_ = {};
  leaf_.kind = LeafKind::Paragraph;
  leaf_.text.append(cursor);
  note_blank_before();
  containers_.back().holds = true;
}

// The line turns the paragraph above into a heading or into a table's header.
bool BlockParser::continue_paragraph(const Cursor& whole) {
  if (whole.indent() >= kCodeIndent && !context_.mdx()) {
    return false;
  }
  Cursor cursor = whole;
  cursor.skip_blanks();
  const std::uint32_t depth = setext_depth(cursor.rest());
  if (depth == 0) {
    return start_table(cursor);
  }
  if (start_table(cursor)) {
    return true;
  }
  take_definitions(leaf_.text);
  if (leaf_.text.empty()) {
    // Only definitions stood there: the line is no underline.
    leaf_ = {};
    if (!start_leaf(whole, containers_.size(), Start::Fresh)) {
      start_paragraph(whole);
    }
    return true;
  }
  close_setext(cursor, depth);
  return true;
}

void BlockParser::close_setext(const Cursor& cursor, std::uint32_t depth) {
  InlineJob job;
  job.text = std::move(leaf_.text);
  leaf_ = {};
  job.node = add(Kind::Heading, job.text.offset(0), cursor.end);
  context_.node(job.node).number = depth;
  blocks_.jobs.push_back(std::move(job));
}

void BlockParser::close_leaf() {
  switch (leaf_.kind) {
    case LeafKind::None:
      return;
    case LeafKind::Paragraph:
      close_paragraph();
      break;
    case LeafKind::Fence:
    case LeafKind::Indented:
      close_code();
      break;
    case LeafKind::Html:
      context_.node(leaf_.node).value = context_.keep(leaf_.text.chars());
      break;
    case LeafKind::Table:
      break;
  }
  leaf_ = {};
}

void BlockParser::close_paragraph() {
  Text text = std::move(leaf_.text);
  leaf_ = {};
  take_definitions(text);
  if (text.empty()) {
    return;
  }
  const std::uint32_t end = text.offset(text.size());
  take_task(text);
  InlineJob job;
  job.node = add(Kind::Paragraph, text.offset(0), end);
  job.text = std::move(text);
  blocks_.jobs.push_back(std::move(job));
}

// `[x] ` at the very start of a list item.
void BlockParser::take_task(Text& text) {
  const std::string_view chars = text.chars();
  Node& item = context_.node(top());
  if (containers_.back().kind != ContainerKind::Item || item.first_child != kNone ||
      chars.size() < 4 || chars[0] != '[' || chars[2] != ']') {
    return;
  }
  const char mark = chars[1];
  const bool yes = mark == 'x' || mark == 'X';
  const bool no = mark == ' ' || mark == '\t' || mark == '\n';
  const bool blank_after = chars[3] == ' ' || chars[3] == '\t' || chars[3] == '\n';
  if ((!yes && !no) || !blank_after || skip_whitespace(chars, 3) >= chars.size()) {
    return;
  }
  item.checked = yes ? Checked::Yes : Checked::No;
  // What follows begins at its first character that is no blank, also in the next line.
  const std::uint32_t blank_end = skip_blanks(chars, 4);
  const bool line_over = chars[3] != '\n' && chars[blank_end] == '\n';
  if (line_over) {
    text.drop_front(skip_blanks(chars, blank_end + 1));
  } else {
    text.drop_front(chars[3] == '\n' ? blank_end : 4);
  }
}

void BlockParser::take_definitions(Text& text) {
  const std::string_view chars = text.chars();
  std::uint32_t taken = 0;
  while (taken < chars.size()) {
    const std::uint32_t begin = skip_blanks(chars, taken);
    DefinitionParts parts;
    const std::uint32_t end = begin < chars.size() && chars[begin] == '['
                                  ? scan_definition(chars, begin, parts)
                                  : kNowhere;
    if (end == kNowhere) {
      break;
    }
    add_definition(text, begin, end);
    taken = end + 1;
  }
  if (taken >= chars.size() && taken > 0) {
    text.clear();
  } else if (taken > 0) {
    text.drop_front(skip_blanks(chars, taken));
  }
}

void BlockParser::add_definition(const Text& text, std::uint32_t begin, std::uint32_t end) {
  const std::string_view chars = text.chars();
  DefinitionParts parts;
  static_cast<void>(scan_definition(chars, begin, parts));
  std::uint32_t last = end;
  while (last > begin && (chars[last - 1] == ' ' || chars[last - 1] == '\t')) {
    --last;
  }
  const NodeId node = add(Kind::Definition, text.offset(begin), text.offset(last));
  const std::string identifier = normalize_label(parts.label.of(chars));
  Link made;
  made.label = context_.keep(decode_string(parts.label.of(chars)));
  made.identifier = context_.keep(identifier);
  made.url = context_.keep(decode_string(parts.destination.of(chars)));
  if (parts.has_title) {
    made.title = context_.keep(decode_string(without_indents(parts.title.of(chars))));
  }
  context_.node(node).detail = static_cast<std::uint32_t>(context_.tree.links.size());
  context_.tree.links.push_back(made);
  blocks_.definitions.emplace(identifier, node);
}

}  // namespace rb::rdr::grammar
