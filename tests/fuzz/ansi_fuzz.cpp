// Output of a script on a terminal: cut anywhere it reads the same, and nothing but text, colours,
// line ends and the block's own carriage returns comes out.
#include "client/lib/escape.h"
#include "tests/fuzz/fuzz.h"

namespace {

// The end of the colour sequence that starts at `at`; 0 when it is none.
std::size_t colour_end(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\x1b[") {
    return 0;
  }
  const std::size_t end = text.find_first_not_of("0123456789;:", at + 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

void check(std::string_view text, bool returns) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0x1B) {
      const std::size_t end = colour_end(text, i);
      rb::fuzz::must(end > 0);
      i = end - 1;
      continue;
    }
    rb::fuzz::must(byte >= 0x20 || byte == '\n' || byte == '\t' || (returns && byte == '\r'));
    rb::fuzz::must(byte != 0x7F);
  }
  rb::fuzz::must(rb::is_utf8(text));
  for (const char* hidden : {"\u202e", "\u2066", "\u200b", "\u2028", "\ufeff", "\u009b"}) {
    rb::fuzz::must(text.find(hidden) == std::string_view::npos);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) {
    return 0;
  }
  const bool colours = (data[0] & 1) != 0;
  const std::size_t cut = (std::size_t{data[1]} * 257U) % (size - 1);
  const rb::ByteView bytes(data + 2, size - 2);
  rb::client::TerminalEncoder whole(colours, "  ");
  std::string once = whole.encode(bytes);
  once += whole.finish();
  rb::client::TerminalEncoder pieces(colours, "  ");
  std::string twice = pieces.encode(bytes.first(std::min(cut, bytes.size())));
  twice += pieces.encode(bytes.subspan(std::min(cut, bytes.size())));
  twice += pieces.finish();
  rb::fuzz::must(once == twice);
  check(once, true);
  const std::string label = rb::client::label(rb::as_text(bytes));
  check(label, false);
  rb::fuzz::must(label.find('\n') == std::string::npos && label.find('\x1b') == std::string::npos);
  rb::fuzz::planted(colours && once.find("\x1b[38;5;") != std::string::npos);
  return 0;
}
