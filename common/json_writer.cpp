#include "common/json_writer.h"

namespace rb {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

// Bytes of a UTF-8 sequence, told by its first byte; the text is well-formed.
std::size_t sequence_length(std::uint8_t first) {
  if (first < 0x80) {
    return 1;
  }
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

char32_t code_point(std::string_view sequence) {
  constexpr std::uint8_t kLead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  char32_t out = static_cast<std::uint8_t>(sequence[0]) & kLead[sequence.size()];
  for (const char next : sequence.substr(1)) {
    out = out << 6 | (static_cast<std::uint8_t>(next) & 0x3f);
  }
  return out;
}

// Controls (C0, DEL, C1), the line separators of JavaScript, and marks that turn the reading
// direction: what a terminal or a page would obey instead of showing it.
bool escaped(char32_t c) {
  return c < 0x20 || c == '"' || c == '\\' || (c >= 0x7f && c <= 0x9f) || c == 0x200e ||
         c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void append_escape(std::string& out, char32_t c) {
  constexpr std::string_view kShort = "\"\\\n\r\t";
  constexpr std::string_view kLetters = "\"\\nrt";
  const std::size_t at = c < 0x80 ? kShort.find(static_cast<char>(c)) : std::string_view::npos;
  out += '\\';
  if (at != std::string_view::npos) {
    out += kLetters[at];
    return;
  }
  out += 'u';
  for (int shift = 12; shift >= 0; shift -= 4) {
    out += kDigits[c >> shift & 0xf];
  }
}

std::string quoted(std::string_view utf8) {
  std::string out = "\"";
  std::size_t kept = 0;  // everything before this offset is written
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t length = sequence_length(static_cast<std::uint8_t>(utf8[at]));
    const char32_t c = code_point(utf8.substr(at, length));
    if (escaped(c)) {
      out.append(utf8, kept, at - kept);
      append_escape(out, c);
      kept = at + length;
    }
    at += length;
  }
  return out.append(utf8, kept) + '"';
}

}  // namespace

// A comma belongs before a value or key unless it is the first of its object or array, or follows
// its key: told by the last byte, since no string ends in one of these unquoted.
JsonWriter& JsonWriter::put(std::string_view json) {
  if (!out_.empty() && out_.back() != '{' && out_.back() != '[' && out_.back() != ':') {
    out_ += ',';
  }
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  return put(is_utf8(value) ? quoted(value) : quoted(to_valid_utf8(value)));
}

JsonWriter& JsonWriter::bytes(ByteView value) {
  if (is_utf8(as_text(value))) {
    return put(quoted(as_text(value)));
  }
  return begin_object().field("base64", to_base64(value)).end_object();
}

}  // namespace rb
