#include "client/ctl/report.h"

#include <algorithm>

#include "client/ctl/flow.h"
#include "client/lib/escape.h"
#include "client/lib/text.h"

namespace rb::ctl {
namespace {

using client::Problem;
using client::Severity;
using client::Style;

constexpr std::size_t kExcerptColumns = 100;
constexpr std::size_t kMargin = 20;  // shown before the caret of a long line

// Bytes that the first `count` characters take.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  while (count > 0 && at < text.size()) {
    do {
      ++at;
    } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
    --count;
  }
  return at;
}

struct Window {
  std::string text;
  std::size_t before;  // columns before the caret
  std::size_t length;  // of the mark
};

// The part of the source line around the column, as it is shown.
Window window_of(const Problem& problem) {
  const std::string& line = problem.excerpt;
  const std::size_t start = bytes_of(line, problem.column == 0 ? 0 : problem.column - 1);
  const std::size_t cut =
      client::columns(line) > kExcerptColumns && start > kMargin ? start - kMargin : 0;
  std::size_t from = cut;  // never in the middle of a character
  while (from < line.size() && (static_cast<unsigned char>(line[from]) & 0xC0) == 0x80) {
    ++from;
  }
  const std::size_t marked =
      problem.end_column > problem.column ? problem.end_column - problem.column : 1;
  const std::string head =
      (cut > 0 ? "…" : "") + client::label(line.substr(from, start - std::min(start, from)));
  const std::size_t end = start + bytes_of(std::string_view(line).substr(start), marked);
  const std::string middle = client::label(line.substr(start, end - start));
  std::string text =
      client::shortened(head + middle + client::label(line.substr(end)), kExcerptColumns);
  const std::size_t room = kExcerptColumns - std::min(kExcerptColumns, client::columns(head));
  return {std::move(text), client::columns(head),
          std::max<std::size_t>(1, std::min(room, client::columns(middle)))};
}

// "R2-expression" → "expression": people need the name, --json keeps the rule.
std::string name_of_code(const std::string& code) {
  const std::size_t dash = code.find('-');
  const bool rule = dash != std::string::npos && dash > 1 && (code[0] == 'R' || code[0] == 'S') &&
                    code.find_first_not_of("0123456789", 1) == dash;
  return rule ? code.substr(dash + 1) : code;
}

}  // namespace

std::string problem_text(const Problem& problem, const std::string& file, bool colour) {
  const bool warning = problem.severity == Severity::Warning;
  const unsigned face = warning ? kWarn : kBad;
  const std::string name = problem.file.empty() ? file : problem.file;
  std::string out = client::label(name) + ":" + std::to_string(problem.line) + ":" +
                    std::to_string(std::max<std::uint32_t>(1, problem.column)) + ": ";
  out += painted(std::string(warning ? "warning" : "error") + "[" +
                     client::label(name_of_code(problem.code)) + "]",
                 face, colour) +
         ": " + client::label(problem.text) + "\n";
  const std::string advice = client::label(problem.advice);
  if (problem.excerpt.empty()) {
    return advice.empty() ? out : out + "      " + advice + "\n";
  }
  const Window window = window_of(problem);
  const std::string number = std::to_string(problem.line);
  const std::string gutter(std::max<std::size_t>(5, number.size()), ' ');
  out += gutter.substr(0, gutter.size() - number.size()) + number + " |   " + window.text + "\n";
  out += gutter + " |   " + std::string(window.before, ' ') +
         painted(std::string(window.length, '^'), face, colour);
  return out + (advice.empty() ? "" : " " + advice) + "\n";
}

std::string heading_text(const client::Opened& opened, const client::Terminal& terminal) {
  const client::RunbookInfo& info = opened.info;
  const std::string title = client::label(info.title.empty() ? info.name : info.title);
  std::string digest = to_hex(info.tree_digest).substr(0, 12);
  std::string out =
      terminal.talk(Style::Bold, client::padded(title, 40)) + "  " + client::label(info.shown_path);
  if (!digest.empty()) {
    out += "  " + terminal.talk(Style::Dim, digest);
  }
  if (!info.bound) {
    out +=
        "  " +
        terminal.talk(
            Style::Warn,
            "not bound: too large to be sealed, or home; scripts see the files that blocks name");
  }
  return out + (opened.is_new ? "  new" : "");
}

std::string block_summary(const client::BlockInfo& block) {
  if (!block.path.empty()) {
    return client::label(block.path);
  }
  std::string_view rest = as_text(block.script);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) {
      line.remove_prefix(1);
    }
    const bool says = !line.empty() && line.front() != '#' && line != "set -euo pipefail" &&
                      line != "set -e" && line != "set -eu";
    if (says) {
      return client::label(line);
    }
  }
  return "";
}

}  // namespace rb::ctl
