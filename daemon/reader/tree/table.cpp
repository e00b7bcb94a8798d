// GFM tables: a header line, a delimiter line, rows.
#include <utility>

#include "daemon/reader/tree/blocks.h"
#include "daemon/reader/tree/scan.h"

namespace rb::rdr::grammar {
namespace {

constexpr std::uint32_t kCodeIndent = 4;

// `--`, `:--`, `--:`, `:-:`
bool read_alignment(std::string_view cell, Align& align) {
  const bool left = !cell.empty() && cell.front() == ':';
  cell.remove_prefix(left ? 1 : 0);
  const bool right = !cell.empty() && cell.back() == ':';
  cell.remove_suffix(right ? 1 : 0);
  align = right ? Align::Right : Align::None;
  if (left) {
    align = right ? Align::Center : Align::Left;
  }
  return !cell.empty() && cell.find_first_not_of('-') == std::string_view::npos;
}

// `|:--|--:|`; false: the line is no delimiter line. One pipe or colon must stand in it.
bool read_delimiters(std::string_view row, std::vector<Align>& columns) {
  if (row.find_first_of("|:") == std::string_view::npos ||
      row.find_first_not_of("|:- \t") != std::string_view::npos) {
    return false;
  }
  for (const Cell& cell : split_row(row)) {
    Align align = Align::None;
    if (!read_alignment(row.substr(cell.begin, cell.end - cell.begin), align)) {
      return false;
    }
    columns.push_back(align);
  }
  return true;
}

// Without the blanks around it.
Cell trimmed(std::string_view row, std::uint32_t begin, std::uint32_t end) {
  while (end > begin && (row[end - 1] == ' ' || row[end - 1] == '\t')) {
    --end;
  }
  begin = skip_blanks(row, begin);
  return {begin > end ? end : begin, end};
}

}  // namespace

std::vector<Cell> split_row(std::string_view row) {
  std::vector<Cell> cells;
  const auto size = static_cast<std::uint32_t>(row.size());
  std::uint32_t at = skip_blanks(row, 0);
  at += at < size && row[at] == '|' ? 1 : 0;
  std::uint32_t begin = at;
  for (; at < size; ++at) {
    const bool escape = row[at] == '\\' && at + 1 < size;
    if (escape && (row[at + 1] == '\\' || row[at + 1] == '|')) {
      ++at;
    } else if (row[at] == '|') {
      cells.push_back(trimmed(row, begin, at));
      begin = at + 1;
    }
  }
  if (skip_blanks(row, begin) < size || cells.empty()) {
    cells.push_back(trimmed(row, begin, size));
  }
  return cells;
}

// A header below other text begins a block, and MDX looks for a statement first.
bool BlockParser::start_esm_above(std::uint32_t line) {
  const std::uint32_t here = std::exchange(line_, line);
  if (start_esm(Cursor(context_.source, line), containers_.size())) {
    return true;
  }
  line_ = here;
  return false;
}

// The line is a delimiter line for the paragraph's last line: that becomes a table's header.
bool BlockParser::start_table(const Cursor& cursor) {
  const std::string_view row = cursor.rest();
  if (row[0] != '|' && row[0] != '-' && row[0] != ':') {
    return false;
  }
  std::vector<Align> columns;
  const bool first = leaf_.text.segments().size() == 1;
  if (leaf_.last_lazy || (first && leaf_.no_header) || !read_delimiters(row, columns)) {
    return false;
  }
  const Segment head = leaf_.text.segments().back();
  const std::string_view line = leaf_.text.chars().substr(head.index);
  const std::uint32_t blanks = skip_blanks(line, 0);
  if (!first && !context_.mdx() && blanks >= kCodeIndent) {
    return false;
  }
  if (split_row(line).size() != columns.size() || trim_blanks(line) == "|") {
    return false;
  }
  const std::uint32_t begin = leaf_.text.offset(head.index + blanks);
  const std::uint32_t end = leaf_.text.offset(leaf_.text.size());
  leaf_.text.drop_last_line();
  if (!leaf_.text.empty()) {
    close_leaf();
  }
  leaf_ = {};
  if (!first && context_.mdx() && start_esm_above(head.line)) {
    return true;
  }
  leaf_.kind = LeafKind::Table;
  leaf_.columns = std::move(columns);
  leaf_.node = add(Kind::Table, begin, cursor.end);
  add_row(begin, end);
  return true;
}

void BlockParser::add_row(const Cursor& whole) {
  Cursor cursor = whole;
  cursor.skip_blanks();
  context_.node(leaf_.node).span.end.offset = cursor.end;
  add_row(cursor.at, cursor.end);
}

void BlockParser::add_row(std::uint32_t begin, std::uint32_t end) {
  const std::string_view row = context_.source.text().substr(begin, end - begin);
  const NodeId node = context_.add(leaf_.node, Kind::TableRow, begin, end);
  context_.node(node).number = leaf_.rows++;
  std::size_t column = 0;
  for (const Cell& cell : split_row(row)) {
    const NodeId made = context_.add(node, Kind::TableCell, begin + cell.begin, begin + cell.end);
    context_.node(made).align = column < leaf_.columns.size() ? leaf_.columns[column] : Align::None;
    ++column;
    if (cell.begin < cell.end) {
      InlineJob job;
      job.node = made;
      job.in_table = true;
      job.text.append(context_.source, begin + cell.begin, begin + cell.end);
      blocks_.jobs.push_back(std::move(job));
    }
  }
}

}  // namespace rb::rdr::grammar
