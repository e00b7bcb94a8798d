// follow.h — shows one execution, from a byte of its output to its end.
// In:     a client with the session's events; the output's descriptor (none for `wait`).
// Out:    output on standard output: escaped on a terminal, raw bytes elsewhere, JSON lines with
//         --json; a quiet clock on a terminal while the script says nothing.
// Signals: SIGINT and SIGQUIT are events while it lives; what they mean is the verb's affair.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "client/ctl/context.h"
#include "client/lib/escape.h"
#include "client/lib/events.h"
#include "client/lib/out.h"
#include "client/lib/output.h"

namespace rb::ctl {

enum class Show : std::uint8_t { Nothing, Terminal, Raw, Json };

// How standard output is to be written here.
[[nodiscard]] Show show_for(const Context& context);

struct Subject {
  std::string execution;
  std::string session;
  std::string block;
};

class Follow {
 public:
  Follow(Context& context, client::Client& daemon, Show show);

  // Events of the session, from a number or (0) from now on; before what they are to tell of.
  void subscribe(const std::string& session, bool output, std::uint64_t from = 0);
  // Shows the output and waits for the end. An Error when the daemon is gone for good, or when
  // leave() was called (Code::Closed, empty text).
  [[nodiscard]] Result<client::Ended> until_end(const Subject& subject, Fd output);
  // Shows what is there of an execution that is over.
  [[nodiscard]] Status show_all(const Subject& subject, Fd output, std::uint64_t length);
  // Ends until_end without an end.
  void leave();
  // The hash of the script as the start record has it; "" when it wasn't seen.
  [[nodiscard]] std::string script_sha256(const std::string& execution) const;

  // Clears the clock and ends a line that output left open: before any talk.
  void settle();
  void write_json(const std::string& line);

 private:
  void on_event(const client::EventLine& line);
  void show_piece(std::uint64_t offset, ByteView piece);
  void show_json(std::uint64_t offset, ByteView piece);
  void begin(const Subject& subject, Fd output);
  void end_output();
  void tick();

  Context& context_;
  client::Client& daemon_;
  Show show_;
  client::Out out_;
  client::TerminalEncoder encoder_;
  std::string held_;  // a character cut in two by a piece, for JSON
  Subject subject_;
  std::unique_ptr<client::OutputFollower> follower_;
  std::map<std::string, client::Ended> ended_;
  std::map<std::string, std::string> scripts_;
  Timer clock_;
  Nanos began_{};
  Nanos spoke_{};
  bool clock_shown_ = false;
  bool left_ = false;
};

}  // namespace rb::ctl
