#include "client/lib/escape.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

namespace rb::client {
namespace {

constexpr std::size_t kLongestColour = 64;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes a character has by its first byte; 0 for one that can't be first.
std::size_t length_from(unsigned char first) {
  if (first < 0x80) {
    return 1;
  }
  if (first < 0xC2 || first > 0xF4) {
    return 0;
  }
  return first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
}

std::uint32_t code_point(std::string_view utf8) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
  if (utf8.size() == 1) {
    return at(0);
  }
  std::uint32_t value = at(0) & (0x7FU >> utf8.size());
  for (std::size_t i = 1; i < utf8.size(); ++i) {
    value = (value << 6) | (at(i) & 0x3FU);
  }
  return value;
}

// Characters that show nothing, turn the direction, or act: they are spelled out.
bool invisible(std::uint32_t point) {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  constexpr std::array<Range, 11> kRanges = {{{0x80, 0x9F},
                                              {0xAD, 0xAD},
                                              {0x061C, 0x061C},
                                              {0x180E, 0x180E},
                                              {0x200B, 0x200F},
                                              {0x2028, 0x202E},
                                              {0x2060, 0x206F},
                                              {0xFEFF, 0xFEFF},
                                              {0xFFF9, 0xFFFB},
                                              {0xE0000, 0xE007F},
                                              {0xF0000, 0x10FFFF}}};
  for (const Range& range : kRanges) {
    if (point >= range.first && point <= range.last) {
      return true;
    }
  }
  return false;
}

std::string spelled(std::uint32_t point) {
  std::array<char, 16> text{};
  (void)std::snprintf(text.data(), text.size(), point > 0xFFFF ? "\\U%08x" : "\\u%04x", point);
  return text.data();
}

std::string caret(unsigned char control) {
  return {'^', control == 0x7F ? '?' : static_cast<char>(control + 0x40)};
}

// One whole UTF-8 sequence as it is shown.
std::string shown(std::string_view utf8) {
  if (!is_utf8(utf8)) {
    return std::string(kReplacement);
  }
  const std::uint32_t point = code_point(utf8);
  return invisible(point) ? spelled(point) : std::string(utf8);
}

bool allowed(unsigned number) {
  return number <= 7 || number == 9 || (number >= 21 && number <= 49) || number == 53 ||
         number == 55 || number == 58 || number == 59 || (number >= 90 && number <= 97) ||
         (number >= 100 && number <= 107);
}

// The numbers between semicolons; nullopt where one isn't a small number. What follows a colon
// belongs to the number before it and is skipped.
std::optional<std::vector<unsigned>> numbers(std::string_view parameters) {
  std::vector<unsigned> out(1, 0);
  bool sub = false;
  for (const char c : parameters) {
    if (c == ';') {
      out.push_back(0);
      sub = false;
    } else if (c == ':') {
      sub = true;
    } else if (!sub) {
      out.back() = out.back() * 10 + static_cast<unsigned>(c - '0');
      if (out.back() > 999) {
        return std::nullopt;
      }
    }
  }
  return out;
}

bool only_colours(std::string_view parameters) {
  const auto list = numbers(parameters);
  if (!list) {
    return false;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const unsigned number = (*list)[i];
    if (!allowed(number)) {
      return false;
    }
    const bool takes_more = number == 38 || number == 48 || number == 58;
    if (takes_more && i + 1 < list->size()) {  // ;5;N or ;2;R;G;B
      i += (*list)[i + 1] == 5 ? 2 : (*list)[i + 1] == 2 ? 4 : 0;
    }
  }
  return true;
}

}  // namespace

std::string TerminalEncoder::encode(ByteView bytes) {
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 8 + 16);
  for (const std::uint8_t byte : bytes) {
    take(byte, out);
  }
  return out;
}

std::string TerminalEncoder::finish() {
  std::string out;
  if (!character_.empty()) {
    put(kReplacement, out);
    character_.clear();
  }
  if (state_ != State::Ground) {
    put(state_ == State::Escape ? "^[" : "^[[" + held_, out);
  }
  if (coloured_) {
    out += "\x1b[0m";
  }
  state_ = State::Ground;
  held_.clear();
  returned_ = false;
  coloured_ = false;
  return out;
}

void TerminalEncoder::take(unsigned char byte, std::string& out) {
  switch (state_) {
    case State::Ground:
      take_ground(byte, out);
      return;
    case State::Escape:
      if (byte == '[') {
        state_ = State::Parameters;
        held_.clear();
        return;
      }
      state_ = State::Ground;
      put("^[", out);
      take_ground(byte, out);
      return;
    case State::Parameters:
      take_parameter(byte, out);
      return;
  }
}

void TerminalEncoder::take_parameter(unsigned char byte, std::string& out) {
  const bool part = (byte >= '0' && byte <= '9') || byte == ';' || byte == ':';
  if (part && held_.size() < kLongestColour) {
    held_ += static_cast<char>(byte);
    return;
  }
  state_ = State::Ground;
  if (byte == 'm' && only_colours(held_)) {
    colour(out);
    return;
  }
  put("^[[" + held_, out);
  take_ground(byte, out);
}

void TerminalEncoder::colour(std::string& out) {
  if (!colours_) {
    return;
  }
  settle_return(out);
  out += "\x1b[" + held_ + "m";
  coloured_ = !(held_.empty() || held_ == "0");
}

void TerminalEncoder::take_ground(unsigned char byte, std::string& out) {
  if (!character_.empty() || byte >= 0x80) {
    take_utf8(byte, out);
    return;
  }
  if (byte == 0x1B) {
    state_ = State::Escape;
  } else if (byte == '\n') {
    returned_ = false;
    out += '\n';
    line_start_ = true;
  } else if (byte == '\r') {
    returned_ = true;
  } else if (byte == '\t') {
    put("\t", out);
  } else if (byte < 0x20 || byte == 0x7F) {
    put(caret(byte), out);
  } else {
    const char c = static_cast<char>(byte);
    put({&c, 1}, out);
  }
}

void TerminalEncoder::take_utf8(unsigned char byte, std::string& out) {
  const bool follows = (byte & 0xC0) == 0x80;
  if (!character_.empty() && !follows) {  // it ends too early
    character_.clear();
    put(kReplacement, out);
    take_ground(byte, out);
    return;
  }
  if (character_.empty() && length_from(byte) == 0) {
    put(kReplacement, out);
    return;
  }
  character_ += static_cast<char>(byte);
  if (character_.size() == length_from(static_cast<unsigned char>(character_[0]))) {
    const std::string whole = std::move(character_);
    character_.clear();
    put(shown(whole), out);
  }
}

void TerminalEncoder::settle_return(std::string& out) {
  if (returned_) {
    returned_ = false;
    out += '\r';
    line_start_ = true;
  }
}

void TerminalEncoder::put(std::string_view visible, std::string& out) {
  settle_return(out);
  if (line_start_) {
    out += indent_;
    line_start_ = false;
  }
  out += visible;
}

std::string label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += caret(static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return plain(out);
}

std::string plain(std::string_view text) {
  std::string out;
  std::string visible;
  for (const char c : text) {  // carriage returns are shown: these texts have no reason for one
    if (c == '\r') {
      visible += "^M";
    } else if (c == '\x1b') {
      visible += "^[";
    } else {
      visible += c;
    }
  }
  TerminalEncoder encoder(false, "");
  out = encoder.encode(as_bytes(visible));
  out += encoder.finish();
  return out;
}

}  // namespace rb::client
