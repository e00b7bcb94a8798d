// Links, images, footnote references.
#include <algorithm>
#include <utility>

#include "daemon/reader/tree/entity.h"
#include "daemon/reader/tree/inline.h"
#include "daemon/reader/tree/scan.h"
#include "daemon/reader/tree/unicode.h"

namespace rb::rdr::grammar {
namespace {

constexpr std::uint32_t kParentheses = 32;  // nested in a destination
constexpr std::size_t kLongestLabelBytes = std::size_t{4} * kLongestLabel;

}  // namespace

void InlineParser::take_open_bracket(bool image) {
  const std::uint32_t begin = at_;
  if (image && (begin + 1 >= chars_.size() || chars_[begin + 1] != '[')) {
    ++at_;
    return;
  }
  if (!image && take_footnote()) {
    return;
  }
  if (!brackets_.empty()) {
    brackets_.back().bracket_after = true;
  }
  push_text(begin);
  at_ = plain_ = begin + (image ? 2 : 1);
  Bracket bracket;
  bracket.piece = static_cast<std::uint32_t>(pieces_.size());
  bracket.inside = at_;
  bracket.image = image;
  bracket.runs_before = last_run_;
  brackets_.push_back(bracket);
  push(PieceKind::Text, begin, at_);
}

void InlineParser::add_footnote(std::uint32_t begin, std::uint32_t end, std::string_view label,
                                NodeId target) {
  Link link;
  link.label = context_.keep(decode_string(label));
  link.identifier = context_.keep(normalize_label(label));
  link.definition = target;
  push(PieceKind::Footnote, begin, end).detail =
      static_cast<std::uint32_t>(context_.tree.links.size());
  context_.tree.links.push_back(link);
}

bool InlineParser::take_footnote() {
  Range label;
  if (blocks_.footnotes.empty()) {
    return false;
  }
  const std::uint32_t after = scan_footnote_label(chars_, at_, label);
  if (after == kNowhere) {
    return false;
  }
  const auto found = blocks_.footnotes.find(normalize_label(label.of(chars_)));
  if (found == blocks_.footnotes.end()) {
    return false;
  }
  push_text(at_);
  add_footnote(at_, after, label.of(chars_), found->second);
  at_ = plain_ = after;
  return true;
}

// `(destination "title")`; `at` is the index of the parenthesis.
bool InlineParser::resource(std::uint32_t at, Link& link, std::uint32_t& after) {
  std::uint32_t i = skip_whitespace(chars_, at + 1);
  Range destination;
  Range title;
  if (i < chars_.size() && chars_[i] != ')') {
    i = scan_destination(chars_, i, kParentheses, destination);
    if (i == kNowhere) {
      return false;
    }
    const std::uint32_t blank_end = skip_whitespace(chars_, i);
    if (blank_end > i) {
      const std::uint32_t title_end = scan_title(chars_, blank_end, title);
      i = title_end == kNowhere ? blank_end : skip_whitespace(chars_, title_end);
    }
  }
  if (i >= chars_.size() || chars_[i] != ')') {
    return false;
  }
  link.url = context_.keep(decode_string(destination.of(chars_)));
  link.title = context_.keep(decode_string(without_indents(title.of(chars_))));
  after = i + 1;
  return true;
}

bool InlineParser::defined(std::string_view label, Link& link) const {
  const std::string identifier = normalize_label(label);
  const auto found = blocks_.definitions.find(identifier);
  if (found == blocks_.definitions.end()) {
    return false;
  }
  const Link& definition = context_.tree.links[context_.node(found->second).detail];
  link.url = definition.url;
  link.title = definition.title;
  link.identifier = definition.identifier;
  link.label = context_.keep(decode_string(label));
  link.definition = found->second;
  return true;
}

// `[text][label]`, `[label][]`, `[label]`; at_ is the index of the closing bracket.
bool InlineParser::reference(const Bracket& bracket, Link& link, std::uint32_t& after) {
  if (blocks_.definitions.empty()) {
    return false;
  }
  const std::string_view own = chars_.substr(bracket.inside, at_ - bracket.inside);
  const bool usable = !bracket.bracket_after && own.size() <= kLongestLabelBytes;
  after = at_ + 1;
  if (after >= chars_.size() || chars_[after] != '[') {
    return usable && defined(own, link);
  }
  Range label;
  const std::uint32_t end = scan_label(chars_, after, label);
  if (end != kNowhere && defined(label.of(chars_), link)) {
    after = end;
    return true;
  }
  if (after + 1 < chars_.size() && chars_[after + 1] == ']') {
    after += 2;
    return usable && defined(own, link);
  }
  return false;
}

// `![^label]` isn't an image but may be a footnote behind an exclamation mark.
bool InlineParser::image_footnote(const Bracket& bracket) {
  const std::string_view own = chars_.substr(bracket.inside, at_ - bracket.inside);
  if (!bracket.image || own.empty() || own[0] != '^' || own.size() > kLongestLabelBytes) {
    return false;
  }
  const auto found = blocks_.footnotes.find(normalize_label(own.substr(1)));
  if (found == blocks_.footnotes.end()) {
    return false;
  }
  const std::uint32_t end = at_ + 1;
  pieces_.resize(bracket.piece);
  push(PieceKind::Text, bracket.inside - 2, bracket.inside - 1);
  add_footnote(bracket.inside - 1, end, own.substr(1), found->second);
  at_ = plain_ = end;
  return true;
}

void InlineParser::take_close_bracket() {
  if (brackets_.empty()) {
    ++at_;
    return;
  }
  const Bracket bracket = brackets_.back();
  Link link;
  std::uint32_t after = 0;
  const std::uint32_t next = at_ + 1;
  const bool parenthesis = next < chars_.size() && chars_[next] == '(';
  const bool active = bracket.image || brackets_.size() > text_brackets_;
  const bool matched =
      active && ((parenthesis && resource(next, link, after)) || reference(bracket, link, after));
  if (matched) {
    close_group(bracket, link, after);
    return;
  }
  pop_bracket();
  push_text(at_);
  if (!image_footnote(bracket)) {
    ++at_;
  }
}

void InlineParser::close_group(const Bracket& bracket, const Link& link, std::uint32_t after) {
  push_text(at_);
  Group group;
  group.image = bracket.image;
  group.reference = link.definition != kNone;
  group.link = static_cast<std::uint32_t>(context_.tree.links.size());
  context_.tree.links.push_back(link);
  const auto index = static_cast<std::uint32_t>(groups_.size());
  Piece& open = pieces_[bracket.piece];
  open.kind = PieceKind::LinkOpen;
  open.detail = index;
  group.begin = open.begin;
  group.end = after;
  push(PieceKind::LinkClose, at_, after).detail = index;
  groups_.push_back(group);
  at_ = plain_ = after;
  pair_runs(bracket.runs_before);
  pop_bracket();
  if (!bracket.image) {
    text_brackets_ = brackets_.size();  // no link within a link: the brackets around are text now
  }
}

void InlineParser::pop_bracket() {
  brackets_.pop_back();
  text_brackets_ = std::min(text_brackets_, brackets_.size());
}

}  // namespace rb::rdr::grammar
