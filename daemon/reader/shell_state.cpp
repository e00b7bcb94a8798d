#include "daemon/reader/shell_state.h"

#include <algorithm>

#include "daemon/reader/shell_lexer.h"

namespace rb::rdr {
namespace {

std::uint32_t line_of(std::string_view script, std::size_t offset) {
  const auto end = script.begin() + static_cast<std::ptrdiff_t>(std::min(offset, script.size()));
  return 1 + static_cast<std::uint32_t>(std::count(script.begin(), end, '\n'));
}

// The script as the shell gets it, values taken out.
struct Flat {
  std::string text;
  std::vector<std::size_t> cuts;
  std::vector<std::size_t> from;  // for each piece: where it starts in `text`
};

Flat flatten(std::string_view script, const std::vector<Piece>& trace) {
  Flat out;
  for (const Piece& piece : trace) {
    out.from.push_back(out.text.size());
    if (piece.kind == PieceKind::Literal) {
      out.text += script.substr(piece.offset, piece.length);
    } else if (piece.kind == PieceKind::Insertion) {
      out.cuts.push_back(out.text.size());
    }
  }
  return out;
}

// The line of the script on which an offset of the flat text stands.
std::uint32_t script_line(std::string_view script, const std::vector<Piece>& trace,
                          const Flat& flat, std::size_t offset) {
  for (std::size_t i = trace.size(); i-- > 0;) {
    if (trace[i].kind == PieceKind::Literal && flat.from[i] <= offset) {
      return line_of(script, trace[i].offset + (offset - flat.from[i]));
    }
  }
  return 1;
}

void harmless_only(std::vector<Piece>& trace, const std::string& why) {
  for (Piece& piece : trace) {
    if (piece.kind == PieceKind::Insertion) {
      piece.place = Place::HarmlessOnly;
      piece.why = why;
    }
  }
}

}  // namespace

Placing place_insertions(std::string_view script, std::vector<Piece>& trace, Shell shell) {
  if (shell == Shell::None) {
    harmless_only(trace, "only bash and sh scripts take other values");
    return {};
  }
  const Flat flat = flatten(script, trace);
  if (flat.cuts.empty()) {
    return {};
  }
  ShellLexer lexer(flat.text, flat.cuts, shell);
  lexer.run();
  const std::uint32_t stopped = script_line(script, trace, flat, lexer.stopped_at());
  if (!lexer.failed().empty()) {
    return {lexer.failed(), stopped};
  }
  if (!lexer.lost().empty()) {
    harmless_only(trace, "the script isn't understood from its line " + std::to_string(stopped) +
                             " on: " + lexer.lost());
    return {};
  }
  std::size_t index = 0;
  for (Piece& piece : trace) {
    if (piece.kind != PieceKind::Insertion) {
      continue;
    }
    const Decision& decision = lexer.decisions()[index];
    const std::string& why = lexer.flow().why(index);
    piece.place = why.empty() ? decision.place : Place::HarmlessOnly;
    piece.why = why;
    piece.word_start = decision.word_start;
    piece.not_value = decision.not_value;
    ++index;
  }
  return {};
}

}  // namespace rb::rdr
