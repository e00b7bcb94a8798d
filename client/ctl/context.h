// context.h — what a verb works with: the terminals, the session asked for, the daemon.
// In:     filled by main from the common options (--session, --json, --quiet) and the environment.
// Out:    every failure is said once, on standard error, where it is turned into an exit status.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/ctl/command.h"
#include "client/lib/client.h"
#include "client/lib/terminal.h"
#include "common/loop.h"

namespace rb::ctl {

class Context {
 public:
  Context();

  client::Terminal terminal;
  bool json = false;
  bool quiet = false;   // no talk but errors
  std::string session;  // as asked for; "" is the current one

  [[nodiscard]] Loop& loop();
  // The daemon, started where none runs; nullptr after the failure was said.
  [[nodiscard]] client::Client* daemon();
  // The daemon if one runs; nullptr without a word when none does. `status` becomes kFailure where
  // one runs and can't be reached.
  [[nodiscard]] client::Client* running_daemon(int& status);

  // One line on standard error. `hint` and `talk` are silent with --quiet, `talk` with --json too.
  void complain(const std::string& text) const;
  void hint(const std::string& text) const;
  void talk(const std::string& text) const;
  // One line, or several, on standard output.
  void print(const std::string& text) const;

  // Says the failure and gives the exit status for it.
  int fail(const Error& failure) const;
  int fail(const client::Refusal& refusal) const;
  int fail(Exit status, const std::string& text) const;

 private:
  [[nodiscard]] Result<std::unique_ptr<client::Client>> connect(bool start);

  std::unique_ptr<Loop> loop_;
  std::unique_ptr<client::Client> client_;
};

[[nodiscard]] int exit_for(client::Reason reason);

// The wanted kind of answer, or the exit status after the failure was said.
template <typename T>
struct Got {
  std::optional<T> value;
  std::vector<Fd> fds;
  int status = kYes;

  explicit operator bool() const { return value.has_value(); }
  T& operator*() { return *value; }
  T* operator->() { return &*value; }
};

template <typename T>
Got<T> expect(const Context& context, Result<client::Answer> answer) {
  Got<T> out;
  if (!answer) {
    out.status = context.fail(answer.failure());
  } else if (T* value = std::get_if<T>(&answer->value)) {
    out.value = std::move(*value);
    out.fds = std::move(answer->fds);
  } else if (const auto* refusal = std::get_if<client::Refusal>(&answer->value)) {
    out.status = context.fail(*refusal);
  } else {
    out.status = context.fail(kFailure, "the daemon answered something else than was asked");
  }
  return out;
}

// Acts in the session; where there is none yet and none was asked for, starts one as the login
// name with the reason "runbookctl run" and acts again. `make` may be called twice.
[[nodiscard]] Result<client::Answer> act_in_session(Context& context, client::Client& daemon,
                                                    const std::function<client::Operation()>& make);

[[nodiscard]] client::Operation start_session(const std::string& who, const std::string& why,
                                              bool implicit);
[[nodiscard]] std::string login_name();

// Queries of one word.
[[nodiscard]] client::Query query_sessions();
[[nodiscard]] client::Query query_executions(const std::string& session);
[[nodiscard]] client::Query query_runbooks(const std::string& session);
[[nodiscard]] client::Query query_runbook(const std::string& session, const std::string& name);
[[nodiscard]] client::Query query_output(const std::string& session, const std::string& execution);

// The session asked for (id or unique prefix), else the current one.
[[nodiscard]] Got<client::SessionInfo> find_session(Context& context, client::Client& daemon);

}  // namespace rb::ctl
