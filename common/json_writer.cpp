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
  out += '\\';
  switch (c) {
    case '"':
    case '\\':
      out += static_cast<char>(c);
      return;
    case '\n':
      out += 'n';
      return;
    case '\t':
      out += 't';
      return;
    case '\r':
      out += 'r';
      return;
    default:
      break;
  }
  out += 'u';
  for (int shift = 12; shift >= 0; shift -= 4) {
    out += kDigits[c >> shift & 0xf];
  }
}

}  // namespace

// A comma belongs before a value or key unless it is the first of its object or array, or follows
// its key: told by the last byte, since no string ends in one of these unquoted.
void JsonWriter::separate() {
  if (!out_.empty() && out_.back() != '{' && out_.back() != '[' && out_.back() != ':') {
    out_ += ',';
  }
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  separate();
  if (is_utf8(value)) {
    quote(value);
  } else {
    quote(to_valid_utf8(value));
  }
  return *this;
}

JsonWriter& JsonWriter::bytes(ByteView value) {
  if (is_utf8(as_text(value))) {
    return text(as_text(value));
  }
  return begin_object().field("base64", to_base64(value)).end_object();
}

void JsonWriter::quote(std::string_view utf8) {
  out_ += '"';
  std::size_t kept = 0;  // everything before this offset is written
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t length = sequence_length(static_cast<std::uint8_t>(utf8[at]));
    const char32_t c = code_point(utf8.substr(at, length));
    if (escaped(c)) {
      out_.append(utf8, kept, at - kept);
      append_escape(out_, c);
      kept = at + length;
    }
    at += length;
  }
  out_.append(utf8, kept);
  out_ += '"';
}

JsonWriter& JsonWriter::signed_number(std::int64_t value) {
  separate();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::unsigned_number(std::uint64_t value) {
  separate();
  out_ += std::to_string(value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  separate();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  separate();
  out_ += "null";
  return *this;
}

}  // namespace rb
