// GFM tables: a header line, a delimiter line, rows.
#include "daemon/reader/tree/blocks.h"
#include "daemon/reader/tree/scan.h"

namespace rb::rdr::grammar {
namespace {

constexpr std::uint32_t kCodeIndent = 4;

// `|:--|--:|`; false: the line is no delimiter line. One pipe or colon must stand in it.
bool read_delimiters(std::string_view row, std::vector<Align>& columns) {
  if (row.find_first_of("|:") == std::string_view::npos ||
      row.find_first_not_of("|:- \t") != std::string_view::npos) {
    return false;
  }
  for (const Cell& cell : split_row(row)) {
    std::string_view text = row.substr(cell.begin, cell.end - cell.begin);
    const bool left = !text.empty() && text.front() == ':';
    text.remove_prefix(left ? 1 : 0);
    const bool right = !text.empty() && text.back() == ':';
    text.remove_suffix(right ? 1 : 0);
    if (text.empty() || text.find_first_not_of('-') != std::string_view::npos) {
      return false;
    }
    columns.push_back(left && right ? Align::Center
                      : left        ? Align::Left
                      : right       ? Align::Right
                                    : Align::None);
  }
  return true;
}

}  // namespace

std::vector<Cell> split_row(std::string_view row) {
  std::vector<Cell> cells;
  const auto size = static_cast<std::uint32_t>(row.size());
  std::uint32_t at = skip_blanks(row, 0);
  if (at < size && row[at] == '|') {
    ++at;
  }
  std::uint32_t begin = at;
  const auto add = [&](std::uint32_t end) {
    Cell cell{skip_blanks(row, begin), end};
    while (cell.end > cell.begin && (row[cell.end - 1] == ' ' || row[cell.end - 1] == '\t')) {
      --cell.end;
    }
    cell.begin = cell.begin > cell.end ? cell.end : cell.begin;
    cells.push_back(cell);
  };
  for (; at < size; ++at) {
    if (row[at] == '\\' && at + 1 < size && (row[at + 1] == '\\' || row[at + 1] == '|')) {
      ++at;
    } else if (row[at] == '|') {
      add(at);
      begin = at + 1;
    }
  }
  if (skip_blanks(row, begin) < size || cells.empty()) {
    add(size);
  }
  return cells;
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
  if (split_row(line).size() != columns.size() || line.substr(blanks) == "|") {
    return false;
  }
  const std::uint32_t begin = leaf_.text.offset(head.index + blanks);
  const std::uint32_t end = leaf_.text.offset(leaf_.text.size());
  leaf_.text.drop_last_line();
  if (!leaf_.text.empty()) {
    close_leaf();
  }
  leaf_ = {};
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
