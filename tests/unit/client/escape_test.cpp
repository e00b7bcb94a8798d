#include "client/lib/escape.h"

#include <doctest/doctest.h>

#include <random>

using rb::as_bytes;
using rb::client::label;
using rb::client::plain;
using rb::client::TerminalEncoder;

namespace {

std::string encoded(std::string_view text, bool colours = true, const char* indent = "") {
  TerminalEncoder encoder(colours, indent);
  std::string out = encoder.encode(as_bytes(text));
  return out + encoder.finish();
}

// Everything but colours, line ends, returns and tabs is printable.
bool harmless(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0x1B) {
      std::size_t j = i + 1;
      if (j >= text.size() || text[j++] != '[') {
        return false;
      }
      while (j < text.size() &&
             std::string_view("0123456789;:").find(text[j]) != std::string::npos) {
        ++j;
      }
      if (j >= text.size() || text[j] != 'm') {
        return false;
      }
      i = j;
    } else if ((byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F) {
      return false;
    }
  }
  return rb::is_utf8(text);
}

}  // namespace

TEST_CASE("escape: plain text passes as it is") {
  CHECK(encoded("hello, wörld ✓ 漢\n") == "hello, wörld ✓ 漢\n");
  CHECK(encoded("a\tb\n") == "a\tb\n");
}

TEST_CASE("escape: colours pass, and are reset at the end") {
  CHECK(encoded("\x1b[31mred") == "\x1b[31mred\x1b[0m");
  CHECK(encoded("\x1b[31mred\x1b[0m\n") == "\x1b[31mred\x1b[0m\n");
  CHECK(encoded("\x1b[1;38;5;208mx\x1b[m") == "\x1b[1;38;5;208mx\x1b[m");
  CHECK(encoded("\x1b[38:2::1:2:3mx\x1b[m") == "\x1b[38:2::1:2:3mx\x1b[m");
}

TEST_CASE("escape: without colours they are dropped and nothing else") {
  CHECK(encoded("\x1b[31mred\x1b[0m\x1b[2J", false) == "red^[[2J");
}

TEST_CASE("escape: what a terminal would act on becomes visible") {
  CHECK(encoded("\x1b]0;title\x07") == "^[]0;title^G");
  CHECK(encoded("\x1b]52;c;cGF5bG9hZA==\x1b\\") == "^[]52;c;cGF5bG9hZA==^[\\");
  CHECK(encoded("\x1b[2J\x1b[H") == "^[[2J^[[H");
  CHECK(encoded("\x1b[?1049h") == "^[[?1049h");
  CHECK(encoded("\x1b[6n\x1b[c") == "^[[6n^[[c");
  CHECK(encoded("\x1bPq\x1b\\") == "^[Pq^[\\");
  CHECK(encoded("\x1b[201~") == "^[[201~");
  CHECK(encoded("\x9b"
                "2J") ==
        "\xEF\xBF\xBD"
        "2J");
  CHECK(encoded("\xc2\x9b"
                "2J") == "\\u009b2J");
  CHECK(encoded("a\bb\x7f\x05") == "a^Hb^?^E");
  CHECK(encoded("\x1b") == "^[");
  CHECK(encoded("\x1b[31") == "^[[31");
}

TEST_CASE("escape: concealed text isn't a colour") {
  CHECK(encoded("\x1b[8msecret") == "^[[8msecret");
  CHECK(encoded("\x1b[31;8msecret") == "^[[31;8msecret");
  CHECK(encoded("\x1b[38;5;8mgrey\x1b[m") == "\x1b[38;5;8mgrey\x1b[m");
}

TEST_CASE("escape: characters that hide or turn text are spelled out") {
  CHECK(encoded("a\u202Eb") == "a\\u202eb");
  CHECK(encoded("a\u200Bb\u2028c") == "a\\u200bb\\u2028c");
  CHECK(encoded("\U000E0041") == "\\U000e0041");
}

TEST_CASE("escape: malformed bytes become replacement characters") {
  CHECK(encoded("a\xffz") == "a\xEF\xBF\xBDz");
  CHECK(encoded("\xe2\x82") == "\xEF\xBF\xBD");
  CHECK(encoded("\xe2\x82x") == "\xEF\xBF\xBDx");
  CHECK(encoded("\xed\xa0\x80") == "\xEF\xBF\xBD");
}

TEST_CASE("escape: a carriage return stays within the block's own line and margin") {
  CHECK(encoded("10%\r20%\n", true, "  ") == "  10%\r  20%\n");
  CHECK(encoded("one\r\ntwo\r\n", true, "  ") == "  one\n  two\n");
  CHECK(encoded("x\r\r\n", true, "  ") == "  x\n");
}

TEST_CASE("escape: cutting the bytes anywhere changes nothing") {
  const std::string text =
      "a\x1b[31mé\x1b[0m\r\nb\x1b]0;t\x07\r漢\xff\x1b[1;8mz\xe2\x82\x1b[9999999999999999999m\n";
  const std::string whole = encoded(text, true, "> ");
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    TerminalEncoder encoder(true, "> ");
    std::string out = encoder.encode(as_bytes(text.substr(0, cut)));
    out += encoder.encode(as_bytes(text.substr(cut)));
    CHECK(out + encoder.finish() == whole);
  }
}

TEST_CASE("escape: whatever the bytes are, nothing but text and colours comes out") {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 64; ++i) {
      const unsigned pick = random() % 8;
      text += pick == 0   ? "\x1b["
              : pick == 1 ? std::string(1, "0123456789;:mHJ"[random() % 15])
                          : std::string(1, static_cast<char>(random() % 256));
    }
    CHECK(harmless(encoded(text, true, "  ")));
    CHECK(harmless(label(text)));
    CHECK(label(text).find('\n') == std::string::npos);
  }
}

TEST_CASE("escape: a label is one line, a plain text may be several") {
  CHECK(label("a\nb\tc\x1b[31m") == "a^Jb^Ic^[[31m");
  CHECK(plain("a\nb\r\x1b[31m") == "a\nb^M^[[31m");
}
