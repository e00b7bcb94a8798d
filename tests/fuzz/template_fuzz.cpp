// A script as a template, and what a value may become at each of its places.
#include "daemon/reader/interpreter.h"
#include "daemon/reader/shell_state.h"
#include "daemon/reader/template.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) {
    return 0;
  }
  const std::string_view script(reinterpret_cast<const char*>(data + 1), size - 1);
  rb::rdr::Template parsed = rb::rdr::parse_template(script);
  if (!parsed.why_not.empty()) {
    return 0;
  }
  const auto covered = [&] {
    std::uint32_t at = 0;
    for (const rb::rdr::Piece& piece : parsed.pieces) {
      rb::fuzz::must(piece.offset == at);
      at += piece.length;
    }
    return at == script.size();
  };
  rb::fuzz::must(covered());
  const auto shell = static_cast<rb::rdr::Shell>(data[0] % 3);
  const rb::rdr::Placing placing = rb::rdr::place_insertions(script, parsed.pieces, shell);
  rb::fuzz::must(covered());
  std::size_t references = 0;
  for (const rb::rdr::Piece& piece : parsed.pieces) {
    const bool insertion = piece.kind == rb::rdr::PieceKind::Insertion;
    const bool reference = insertion && piece.place != rb::rdr::Place::HarmlessOnly;
    rb::fuzz::must(!reference || shell != rb::rdr::Shell::None);
    references += reference ? 1 : 0;
  }
  rb::fuzz::planted(placing.why_not.empty() && references >= 1);
  return 0;
}
