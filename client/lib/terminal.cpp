#include "client/lib/terminal.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "client/lib/escape.h"
#include "common/io.h"

namespace rb::client {
namespace {

bool set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] != '\0';
}

bool is(const char* variable, std::string_view wanted) {
  const char* value = std::getenv(variable);
  return value != nullptr && wanted == value;
}

bool coloured(bool terminal) {
  if (set("NO_COLOR")) {
    return false;
  }
  if (set("CLICOLOR_FORCE") && !is("CLICOLOR_FORCE", "0")) {
    return true;
  }
  return terminal && !is("TERM", "dumb") && !is("CLICOLOR", "0");
}

unsigned terminal_width() {
  winsize size{};
  for (const int fd : {STDERR_FILENO, STDOUT_FILENO}) {
    if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) {
      return size.ws_col;
    }
  }
  return 80;
}

std::string styled(bool colour, Style style, std::string_view text) {
  const char* code = "";
  switch (style) {
    case Style::Plain:
      return std::string(text);
    case Style::Bold:
      code = "1";
      break;
    case Style::Dim:
      code = "2";
      break;
    case Style::Good:
      code = "32";
      break;
    case Style::Bad:
      code = "31";
      break;
    case Style::Warn:
      code = "33";
      break;
  }
  return colour ? std::string("\x1b[") + code + "m" + std::string(text) + "\x1b[0m"
                : std::string(text);
}

// Switches echo off while it lives.
class Unechoed {
 public:
  explicit Unechoed(bool wanted) {
    if (wanted && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
      termios quiet = before_;
      quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
      changed_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet) == 0;
    }
  }
  Unechoed(const Unechoed&) = delete;
  Unechoed& operator=(const Unechoed&) = delete;
  Unechoed(Unechoed&&) = delete;
  Unechoed& operator=(Unechoed&&) = delete;
  ~Unechoed() {
    if (changed_) {
      (void)::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
      (void)write_all(STDERR_FILENO, as_bytes("\n"));
    }
  }

 private:
  termios before_{};
  bool changed_ = false;
};

}  // namespace

Terminal Terminal::look() {
  Terminal out;
  out.in = ::isatty(STDIN_FILENO) == 1;
  out.out = ::isatty(STDOUT_FILENO) == 1;
  out.err = ::isatty(STDERR_FILENO) == 1;
  out.colour_out = coloured(out.out);
  out.colour_err = coloured(out.err);
  out.width = terminal_width();
  return out;
}

std::string Terminal::talk(Style style, std::string_view text) const {
  return styled(colour_err, style, text);
}

std::string Terminal::data(Style style, std::string_view text) const {
  return styled(colour_out, style, text);
}

bool ask_line(const std::string& question, bool secret, std::string& answer) {
  const Unechoed quiet(secret);
  (void)write_all(STDERR_FILENO, as_bytes(question));
  answer.clear();
  for (;;) {
    char c = 0;
    const ssize_t got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    if (c == '\n') {
      return true;
    }
    answer += c;
  }
}

}  // namespace rb::client
