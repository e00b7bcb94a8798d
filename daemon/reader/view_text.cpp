#include "daemon/reader/view_text.h"

#include <algorithm>

#include "common/bytes.h"

namespace rb::rdr {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 20 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '_';
  });
}

// Bytes at `at` that a reader must not get as they are; 0 when the byte there may stay.
// C1 is C2 80..9F; direction marks and line separators are E2 80 8E/8F/A8..AE and E2 81 A6..A9.
std::size_t forbidden_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) {
    return at + offset < text.size() ? static_cast<std::uint8_t>(text[at + offset])
                                     : std::uint8_t{0};
  };
  const std::uint8_t first = byte(0);
  const std::uint8_t second = byte(1);
  const std::uint8_t third = byte(2);
  if (first < 0x20 || first == 0x7f) {
    return 1;
  }
  if (first == 0xc2 && second >= 0x80 && second <= 0x9f) {
    return 2;
  }
  const bool marks =
      second == 0x80 && (third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae));
  const bool isolates = second == 0x81 && third >= 0xa6 && third <= 0xa9;
  return first == 0xe2 && (marks || isolates) ? 3 : 0;
}

// U+2400 to U+241F picture C0, U+2421 pictures DEL.
std::string picture_of(std::uint8_t control) {
  const int low = control == 0x7f ? 0x21 : control;
  return std::string("\xe2\x90") + static_cast<char>(0x80 + low);
}

// `keep`: controls that stay.
std::string with_pictures(std::string_view raw, std::string_view keep) {
  const std::string text = to_valid_utf8(raw);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = forbidden_length(text, at);
    if (length == 0 || (length == 1 && keep.find(text[at]) != std::string_view::npos)) {
      out += text[at++];
    } else {
      out +=
          length == 1 ? picture_of(static_cast<std::uint8_t>(text[at])) : std::string(kReplacement);
      at += length;
    }
  }
  return out;
}

// Length of a colour sequence (ESC [ digits and semicolons m) at `at`; 0 when none starts there.
std::size_t colour_length(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\x1b[") {
    return 0;
  }
  const std::size_t end = text.find_first_not_of("0123456789;:", at + 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 - at : 0;
}

std::size_t longest_backticks(std::string_view text) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

// At most `most` bytes, cut between two characters.
std::string_view cut(std::string_view utf8, std::size_t most) {
  if (utf8.size() <= most) {
    return utf8;
  }
  while (most > 0 && (static_cast<std::uint8_t>(utf8[most]) & 0xc0) == 0x80) {
    --most;
  }
  return utf8.substr(0, most);
}

}  // namespace

std::string one_line(std::string_view text) {
  return with_pictures(text, "");
}

std::string lines_of_text(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t colour = colour_length(text, at); colour > 0) {
      at += colour;
    } else if (text[at] == '\r') {
      plain += '\n';
      at += text.substr(at, 2) == "\r\n" ? 2 : 1;
    } else {
      plain += text[at++];
    }
  }
  return with_pictures(plain, "\n\t");
}

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kAlways = "\\`*_[]<>&~|$@";
  constexpr std::string_view kFirst = "-+=#";
  const std::string line = one_line(text);
  std::string out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    const bool first = out.empty();
    if (first && c == ' ') {
      continue;  // four of them would make code
    }
    // "1." or "1)" at the start would make a list.
    const bool list = (c == '.' || c == ')') && !first &&
                      out.find_first_not_of("0123456789") == std::string::npos;
    if (kAlways.find(c) != std::string_view::npos ||
        (first && kFirst.find(c) != std::string_view::npos) || list ||
        line.compare(at, 3, "://") == 0) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string code_span(std::string_view text, std::size_t most) {
  if (text.empty()) {
    return "*(empty)*";
  }
  const std::string whole = one_line(text);
  const std::string_view shown = cut(whole, most);
  const std::string ticks(longest_backticks(shown) + 1, '`');
  // Markdown takes one space off each end: given where the text has ticks or spaces there.
  const bool pad =
      shown.front() == '`' || shown.back() == '`' || shown.front() == ' ' || shown.back() == ' ';
  std::string out = ticks + (pad ? " " : "") + std::string(shown) + (pad ? " " : "") + ticks;
  if (shown.size() < whole.size()) {
    out += " … (" + counted(text.size(), "byte") + ")";
  }
  return out;
}

std::string fenced(std::string_view text, std::string_view language) {
  std::string body = lines_of_text(text);
  if (!body.empty() && body.back() != '\n') {
    body += '\n';
  }
  const std::string fence(std::max<std::size_t>(3, longest_backticks(body) + 1), '`');
  return fence + std::string(is_word(language) ? language : "text") + "\n" + body + fence + "\n";
}

std::string value_bytes(const Json& value) {
  if (!value.is(Json::Kind::Object)) {
    return value.text();
  }
  const std::optional<Bytes> bytes = from_base64(value.text_at("base64"));
  return bytes ? std::string(as_text(*bytes)) : std::string();
}

std::string duration_text(std::uint64_t ms) {
  if (ms < 1000) {
    return std::to_string(ms) + " ms";
  }
  const std::uint64_t seconds = ms / 1000;
  if (seconds < 60) {
    return std::to_string(seconds) + "." + std::to_string(ms % 1000 / 100) + " s";
  }
  if (seconds < 3600) {
    return std::to_string(seconds / 60) + " m " + std::to_string(seconds % 60) + " s";
  }
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds % 3600 / 60) + " m";
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return grouped(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

std::string time_text(std::string_view at) {
  if (at.size() == 24 && at[10] == 'T' && at[23] == 'Z') {
    return std::string(at.substr(0, 10)) + " " + std::string(at.substr(11, 8)) + " UTC";
  }
  return one_line(at);
}

}  // namespace rb::rdr
