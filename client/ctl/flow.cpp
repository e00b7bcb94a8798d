#include "client/ctl/flow.h"

#include <algorithm>
#include <utility>

#include "client/lib/text.h"

namespace rb::ctl {
namespace {

bool is_white(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

constexpr std::pair<unsigned, const char*> kCodes[] = {
    {kBold, "1"}, {kDim, "2"},   {kItalic, "3"}, {kUnderline, "4"}, {kStrike, "9"},
    {kBad, "31"}, {kGood, "32"}, {kWarn, "33"},  {kLiteral, "36"}};

// Bytes of the longest head of `text` that takes at most `most` columns; at least one character.
std::size_t head_of(std::string_view text, std::size_t most) {
  std::size_t bytes = 0;
  std::size_t used = 0;
  while (bytes < text.size()) {
    std::size_t next = bytes + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) {
      ++next;
    }
    used += client::columns(text.substr(bytes, next - bytes));
    if (used > most && bytes > 0) {
      break;
    }
    bytes = next;
  }
  return bytes;
}

}  // namespace

std::string painted(std::string_view text, unsigned faces, bool colours) {
  if (!colours || faces == kPlain || text.empty()) {
    return std::string(text);
  }
  std::string codes;
  for (const auto& [face, code] : kCodes) {
    if ((faces & face) != 0) {
      codes += (codes.empty() ? "" : ";") + std::string(code);
    }
  }
  return "\x1b[" + codes + "m" + std::string(text) + "\x1b[0m";
}

void Flow::add(std::string_view text, unsigned faces) {
  while (!text.empty()) {
    if (is_white(text.front())) {
      open_ = false;
      text.remove_prefix(1);
      continue;
    }
    std::size_t end = 0;
    while (end < text.size() && !is_white(text[end])) {
      ++end;
    }
    if (!open_ || words_.empty()) {
      words_.push_back({{}, 0, std::exchange(break_, false)});
    }
    Word& word = words_.back();
    word.columns += client::columns(text.substr(0, end));
    word.pieces.push_back({std::string(text.substr(0, end)), faces});
    open_ = true;
    text.remove_prefix(end);
  }
}

void Flow::break_line() {
  open_ = false;
  break_ = true;
}

std::size_t Flow::natural_width() const {
  std::size_t widest = 0;
  std::size_t now = 0;
  for (const Word& word : words_) {
    now = now == 0 || word.first_on_line ? word.columns : now + 1 + word.columns;
    widest = std::max(widest, now);
  }
  return widest;
}

std::vector<Flow::Word> Flow::cut(const std::vector<Word>& words, std::size_t width) {
  std::vector<Word> out;
  for (const Word& word : words) {
    if (word.columns <= width) {
      out.push_back(word);
      continue;
    }
    Word part{{}, 0, word.first_on_line};
    for (const Piece& piece : word.pieces) {
      std::string_view rest = piece.text;
      while (!rest.empty()) {
        const std::size_t room = width - std::min(width, part.columns);
        const std::string_view head = rest.substr(0, head_of(rest, room));
        if (part.columns > 0 && client::columns(head) > room) {
          out.push_back(std::exchange(part, Word{{}, 0, true}));
          continue;
        }
        part.pieces.push_back({std::string(head), piece.faces});
        part.columns += client::columns(head);
        rest.remove_prefix(head.size());
      }
    }
    out.push_back(std::move(part));
  }
  return out;
}

std::string Flow::draw(const std::vector<const Word*>& line, bool colours) {
  std::string out;
  std::string run;
  unsigned faces = kPlain;
  const auto put = [&](std::string_view text, unsigned wanted) {
    if (wanted != faces) {
      out += painted(run, faces, colours);
      run.clear();
      faces = wanted;
    }
    run += text;
  };
  for (const Word* word : line) {
    if (word != line.front()) {
      put(" ", faces & word->pieces.front().faces);
    }
    for (const Piece& piece : word->pieces) {
      put(piece.text, piece.faces);
    }
  }
  return out + painted(run, faces, colours);
}

std::vector<std::string> Flow::lines(std::size_t width, bool colours, bool split) const {
  width = std::max<std::size_t>(width, 1);
  const std::vector<Word> words = split ? cut(words_, width) : words_;
  std::vector<std::string> out;
  std::vector<const Word*> line;
  std::size_t used = 0;
  for (const Word& word : words) {
    if (!line.empty() && (word.first_on_line || used + 1 + word.columns > width)) {
      out.push_back(draw(line, colours));
      line.clear();
    }
    used = line.empty() ? word.columns : used + 1 + word.columns;
    line.push_back(&word);
  }
  if (!line.empty()) {
    out.push_back(draw(line, colours));
  }
  return out;
}

}  // namespace rb::ctl
