// views.h — session.json, session.log, run.json, run.md: made by a reader from the journal.
// [TRUSTED: broker]
// Views are for people and programs; nothing is ever recovered from one. Made a while after an
// execution ended, and at once when a run or a session ends; one at a time.
// Source: DESIGN §2, §8.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "broker/reading.h"
#include "broker/sessions.h"

namespace rb::brk {

struct Broker;

class Views {
 public:
  explicit Views(Broker& broker);

  // The session's views and those of one run (0: none) are out of date.
  void touch(const SessionPtr& session, std::uint32_t run);
  // As touch, but now; `then` is called when they are made, or can't be.
  void make(const SessionPtr& session, std::uint32_t run, std::function<void()> then);

 private:
  struct Work {
    SessionPtr session;
    std::set<std::uint32_t> runs;
    std::vector<std::function<void()>> then;
  };
  struct Output {
    std::string folder;  // relative to the session's
    std::string name;
  };
  void next();
  void start(Work work);
  static void keep(const Session& session, const std::vector<Output>& outputs,
                   const Result<Packet>& answer);
  [[nodiscard]] static Result<Fd> temporary(const Session& session, const Output& output);
  void give_outputs(const Session& session, std::uint32_t run, std::vector<std::string>& names,
                    std::vector<Fd>& fds) const;

  Broker& broker_;
  std::map<std::string, Work> dirty_;  // by session
  std::deque<Work> due_;
  bool busy_ = false;
  Timer later_;
};

}  // namespace rb::brk
