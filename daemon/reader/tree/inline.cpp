#include "daemon/reader/tree/inline.h"

#include <algorithm>
#include <array>
#include <utility>

#include "daemon/reader/tree/entity.h"
#include "daemon/reader/tree/js.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {

InlineParser::InlineParser(Context& context, const Blocks& blocks, InlineJob& job)
    : context_(context), blocks_(blocks), job_(job), chars_(job.text.chars()) {
  for (std::size_t i = 0; i < chars_.size() && !may_link_; ++i) {
    const char c = chars_[i];
    const char next = i + 1 < chars_.size() ? chars_[i + 1] : '\0';
    may_link_ = c == '@' || (c == ':' && next == '/') || ((c == 'w' || c == 'W') && next == '.');
  }
}

void InlineParser::run() {
  scan();
  if (context_.refused()) {
    return;
  }
  pair_runs(kNone);
  build();
}

Piece& InlineParser::push(PieceKind kind, std::uint32_t begin, std::uint32_t end) {
  Piece piece;
  piece.kind = kind;
  piece.begin = begin;
  piece.end = end;
  pieces_.push_back(piece);
  return pieces_.back();
}

// Characters since the last piece become one.
void InlineParser::push_text(std::uint32_t end) {
  if (end > plain_) {
    push(PieceKind::Text, plain_, end);
  }
  plain_ = at_;
}

namespace {

struct Specials {
  std::array<bool, 256> of{};
  constexpr explicit Specials(std::string_view characters) {
    for (const char c : characters) {
      of[static_cast<unsigned char>(c)] = true;
    }
  }
};
// What may start something; `{` does in MDX alone.
constexpr Specials kMarkdown("\n\\&`*_~[]!<");
constexpr Specials kMdx("\n\\&`*_~[]!<{");

}  // namespace

void InlineParser::scan() {
  const auto& special = context_.mdx() ? kMdx.of : kMarkdown.of;
  while (at_ < chars_.size() && !context_.refused()) {
    if (may_link_ && take_bare_link()) {
      continue;
    }
    if (special[static_cast<unsigned char>(chars_[at_])]) {
      take_special();
    } else {
      ++at_;
    }
  }
  std::uint32_t end = at_;
  while (end > plain_ && (chars_[end - 1] == ' ' || chars_[end - 1] == '\t')) {
    --end;
  }
  push_text(end);
}

void InlineParser::take_special() {
  switch (chars_[at_]) {
    case '\n':
      return take_newline();
    case '\\':
      return take_backslash();
    case '&':
      return take_reference();
    case '`':
      return take_code();
    case '[':
      return take_open_bracket(false);
    case ']':
      return take_close_bracket();
    case '!':
      return take_open_bracket(true);
    case '<':
      return take_less_than();
    case '{':
      return take_braces();
    default:
      return take_run();
  }
}

// Blanks around a line's end are dropped; two spaces before it break the line.
void InlineParser::take_newline() {
  const std::uint32_t newline = at_;
  std::uint32_t end = newline;
  bool tabs = false;
  while (end > plain_ && (chars_[end - 1] == ' ' || chars_[end - 1] == '\t')) {
    tabs = tabs || chars_[end - 1] == '\t';
    --end;
  }
  push_text(end);
  if (newline - end >= 2 && !tabs) {
    push(PieceKind::Break, end, newline + 1);
  } else {
    push(PieceKind::Text, newline, newline + 1);
  }
  at_ = plain_ = skip_blanks(chars_, newline + 1);
}

void InlineParser::take_backslash() {
  const std::uint32_t begin = at_;
  const char next = begin + 1 < chars_.size() ? chars_[begin + 1] : '\0';
  if (next == '\n') {
    push_text(begin);
    push(PieceKind::Break, begin, begin + 2);
    at_ = plain_ = skip_blanks(chars_, begin + 2);
    return;
  }
  if (!is_ascii_punctuation(static_cast<unsigned char>(next))) {
    ++at_;
    return;
  }
  push_text(begin);
  push(PieceKind::Chars, begin, begin + 2).value = chars_.substr(begin + 1, 1);
  at_ = plain_ = begin + 2;
}

void InlineParser::take_reference() {
  std::string made;
  const auto taken =
      static_cast<std::uint32_t>(decode_reference(chars_, at_, References::Markdown, made));
  if (taken == 0) {
    ++at_;
    return;
  }
  push_text(at_);
  push(PieceKind::Chars, at_, at_ + taken).value = context_.keep(made);
  at_ = plain_ = at_ + taken;
}

// The last place where a run of exactly that many back-ticks starts, 0: none but perhaps there.
std::uint32_t InlineParser::last_run_of(std::uint32_t length) {
  if (!code_runs_known_) {
    code_runs_known_ = true;
    for (std::uint32_t i = 0; i < chars_.size();) {
      if (chars_[i] != '`') {
        ++i;
        continue;
      }
      const std::uint32_t begin = i;
      while (i < chars_.size() && chars_[i] == '`') {
        ++i;
      }
      code_runs_[i - begin] = begin;
    }
  }
  const auto found = code_runs_.find(length);
  return found == code_runs_.end() ? 0 : found->second;
}

namespace {

// Line endings read as spaces; one blank at both ends is padding unless there is nothing else.
std::string code_value(std::string_view inside, bool in_table) {
  std::string value;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const bool escaped_pipe =
        in_table && inside[i] == '\\' && i + 1 < inside.size() && inside[i + 1] == '|';
    i += escaped_pipe ? 1 : 0;
    value += inside[i] == '\n' ? ' ' : inside[i];
  }
  const bool padded = value.size() >= 2 && value.front() == ' ' && value.back() == ' ' &&
                      value.find_first_not_of(' ') != std::string::npos;
  return padded ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

void InlineParser::take_code() {
  const std::uint32_t begin = at_;
  std::uint32_t open = begin;
  while (open < chars_.size() && chars_[open] == '`') {
    ++open;
  }
  const std::uint32_t length = open - begin;
  at_ = open;
  if (last_run_of(length) <= begin) {
    return;
  }
  std::uint32_t i = open;
  while (true) {
    const std::size_t found = chars_.find('`', i);
    if (found == std::string_view::npos) {
      return;
    }
    const auto close = static_cast<std::uint32_t>(found);
    i = close;
    while (i < chars_.size() && chars_[i] == '`') {
      ++i;
    }
    if (i - close == length) {
      at_ = begin;
      push_text(begin);
      const std::string value = code_value(chars_.substr(open, close - open), job_.in_table);
      push(PieceKind::Code, begin, i).value = context_.keep(value);
      at_ = plain_ = i;
      return;
    }
  }
}

void InlineParser::take_less_than() {
  if (context_.mdx()) {
    take_tag();
  } else {
    take_html();
  }
}

void InlineParser::take_html() {
  bool email = false;
  std::uint32_t after = scan_autolink(chars_, at_, email);
  if (after != kNowhere) {
    push_text(at_);
    const std::string_view inside = chars_.substr(at_ + 1, after - at_ - 2);
    Link link;
    link.url = context_.keep((email ? "mailto:" : "") + std::string(inside));
    link.bare = true;
    Piece& piece = push(PieceKind::Autolink, at_, after);
    piece.value = inside;
    piece.detail = static_cast<std::uint32_t>(context_.tree.links.size());
    context_.tree.links.push_back(link);
    at_ = plain_ = after;
    return;
  }
  after = scan_html(chars_, at_, html_);
  if (after == kNowhere) {
    ++at_;
    return;
  }
  push_text(at_);
  push(PieceKind::Html, at_, after);
  at_ = plain_ = after;
}

void InlineParser::take_tag() {
  Stream stream{job_.text, nullptr, Ended::No};
  Tag tag;
  const TagScan found = scan_tag(stream, at_, context_, tag);
  if (found == TagScan::Refused) {
    return;
  }
  if (found == TagScan::No) {
    ++at_;
    return;
  }
  push_text(at_);
  push(PieceKind::Tag, at_, tag.after).detail = static_cast<std::uint32_t>(tags_.size());
  at_ = plain_ = tag.after;
  tags_.push_back(std::move(tag));
}

void InlineParser::take_braces() {
  Stream stream{job_.text, nullptr, Ended::No};
  const JsResult read = parse_braces(stream, at_, context_, Braces::Expression);
  if (!read.ok) {
    return;
  }
  push_text(at_);
  Piece& piece = push(PieceKind::Expression, at_, read.after);
  piece.detail = static_cast<std::uint32_t>(context_.tree.expressions.size());
  piece.value = context_.keep(chars_.substr(at_ + 1, read.after - at_ - 2));
  context_.tree.expressions.push_back({read.literal, read.empty, read.partial});
  at_ = plain_ = read.after;
}

namespace {

enum class Side { Blank, Punctuation, Other };

Side side_of(CodePoint point) {
  if (point.size == 0 || is_space(point.value)) {
    return Side::Blank;
  }
  return is_punctuation(point.value) ? Side::Punctuation : Side::Other;
}

}  // namespace

// Which sides of a run may face text (CommonMark's flanking).
void InlineParser::set_sides(Run& run) const {
  const Side before = side_of(decode_before(chars_, run.begin));
  const Side after = side_of(decode_at(chars_, run.end));
  bool left = after == Side::Other || (after == Side::Punctuation && before != Side::Other);
  bool right = before == Side::Other || (before == Side::Punctuation && after != Side::Other);
  if (context_.mdx() && run.character != '~') {
    // MDX's reference implementation lets a run open before, and close behind, a tilde.
    left = left || (run.end < chars_.size() && chars_[run.end] == '~');
    right = right || (run.begin > 0 && chars_[run.begin - 1] == '~');
  }
  const bool word = run.character == '_';  // doesn't open or close within a word
  run.can_open = left && (!word || !right || before != Side::Other);
  run.can_close = right && (!word || !left || after != Side::Other);
}

void InlineParser::take_run() {
  const std::uint32_t begin = at_;
  const char c = chars_[begin];
  std::uint32_t end = begin;
  while (end < chars_.size() && chars_[end] == c) {
    ++end;
  }
  at_ = end;
  if (c == '~' && end - begin > 2) {
    return;
  }
  Run run;
  run.character = c;
  run.begin = begin;
  run.end = end;
  run.length = end - begin;
  set_sides(run);
  if (!run.can_open && !run.can_close) {
    return;
  }
  at_ = begin;
  push_text(begin);
  at_ = plain_ = end;
  run.previous = last_run_;
  const auto index = static_cast<std::uint32_t>(runs_.size());
  if (last_run_ != kNone) {
    runs_[last_run_].next = index;
  }
  last_run_ = index;
  push(PieceKind::Delimiters, begin, end).detail = index;
  runs_.push_back(run);
}

}  // namespace rb::rdr::grammar
