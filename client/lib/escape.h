// escape.h — what a terminal is given: text and colours, and nothing it could act on.   [frontends]
// In:     bytes of a script or texts of the daemon, hostile alike, in pieces cut anywhere.
// Out:    UTF-8. Colours pass where allowed (an allow-list of SGR; concealed text isn't on it); a
//         carriage return goes back to the block's own left edge; every other control character,
//         sequence, direction mark and malformed byte becomes visible text.
// Source: DESIGN §8 (one encoder a sink); threats: terminal escapes in output.
#pragma once

#include <string>
#include <string_view>

#include "common/bytes.h"

namespace rb::client {

class TerminalEncoder {
 public:
  // `colours` false drops the allowed colours and still shows everything else.
  TerminalEncoder(bool colours, std::string indent)
      : colours_(colours), indent_(std::move(indent)) {}

  [[nodiscard]] std::string encode(ByteView bytes);
  // What was held back, and the colours reset. The encoder starts anew.
  [[nodiscard]] std::string finish();
  // Nothing stands on the present line.
  [[nodiscard]] bool at_line_start() const { return line_start_; }

 private:
  enum class State : unsigned char { Ground, Escape, Parameters };
  void take(unsigned char byte, std::string& out);
  void take_ground(unsigned char byte, std::string& out);
  void take_parameter(unsigned char byte, std::string& out);
  void take_utf8(unsigned char byte, std::string& out);
  void put(std::string_view visible, std::string& out);
  void settle_return(std::string& out);
  void colour(std::string& out);

  bool colours_;
  std::string indent_;
  State state_ = State::Ground;
  std::string held_;       // parameters of a colour sequence, so far
  std::string character_;  // bytes of one character, so far
  bool line_start_ = true;
  bool returned_ = false;  // a carriage return that may yet be half of a line end
  bool coloured_ = false;
};

// A text for one line of ours: nothing passes but printable characters.
[[nodiscard]] std::string label(std::string_view text);
// A text of several lines: newlines and tabs pass as well.
[[nodiscard]] std::string plain(std::string_view text);

}  // namespace rb::client
