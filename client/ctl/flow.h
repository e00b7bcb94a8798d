// flow.h — running text with faces, broken into lines of a width.   [runbookctl]
// In:     text that is safe for a terminal already (client/lib/escape.h).
// Out:    lines without line ends; each ends with its faces reset. A word that is longer than the
//         width stands on a line of its own: whoever copies it gets it whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rb::ctl {

// Bits; nothing but these is ever sent. Source: ECMA-48 SGR.
enum Face : unsigned {
  kPlain = 0,
  kBold = 1U << 0,
  kDim = 1U << 1,
  kItalic = 1U << 2,
  kUnderline = 1U << 3,
  kStrike = 1U << 4,
  kLiteral = 1U << 5,  // what is typed or read letter by letter: code, keys
  kGood = 1U << 6,
  kWarn = 1U << 7,
  kBad = 1U << 8
};

// `text` in these faces, and back to none; unchanged without colours.
[[nodiscard]] std::string painted(std::string_view text, unsigned faces, bool colours);

class Flow {
 public:
  // White space parts words, and is otherwise nothing: Markdown has it so.
  void add(std::string_view text, unsigned faces);
  void break_line();  // the next word starts a line

  // Columns of the longest line when nothing is broken but at break_line().
  [[nodiscard]] std::size_t natural_width() const;
  // `split`: longer words are cut, as a table's column needs it.
  [[nodiscard]] std::vector<std::string> lines(std::size_t width, bool colours,
                                               bool split = false) const;

 private:
  struct Piece {
    std::string text;
    unsigned faces;
  };
  struct Word {
    std::vector<Piece> pieces;
    std::size_t columns = 0;
    bool first_on_line = false;
  };

  [[nodiscard]] static std::vector<Word> cut(const std::vector<Word>& words, std::size_t width);
  [[nodiscard]] static std::string draw(const std::vector<const Word*>& line, bool colours);

  std::vector<Word> words_;
  bool open_ = false;   // the last word may go on
  bool break_ = false;  // the next word is the first on its line
};

}  // namespace rb::ctl
