#include "client/ctl/context.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "client/lib/escape.h"
#include "common/io.h"

namespace rb::ctl {
namespace {

using client::Operation;
using client::Query;
using client::Reason;

void put(int fd, const std::string& text) {
  (void)write_all(fd, as_bytes(text));  // nobody is left to tell where this fails
}

}  // namespace

Context::Context() : terminal(client::Terminal::look()) {
  const char* wanted = std::getenv("RUNBOOKD_SESSION");
  session = wanted != nullptr ? wanted : "";
}

Loop& Context::loop() {
  if (!loop_) {
    loop_ = std::make_unique<Loop>();
  }
  return *loop_;
}

Result<std::unique_ptr<client::Client>> Context::connect(bool start) {
  return client::Client::connect(loop(), {"runbookctl", start});
}

client::Client* Context::daemon() {
  Result<std::unique_ptr<client::Client>> connected = connect(true);
  if (!connected) {
    (void)fail(connected.failure());
    return nullptr;
  }
  client_ = std::move(*connected);
  return client_.get();
}

client::Client* Context::running_daemon(int& status) {
  Result<std::unique_ptr<client::Client>> connected = connect(false);
  if (!connected) {
    status = connected.failure().code == Code::NotFound ? int{kYes} : fail(connected.failure());
    return nullptr;
  }
  client_ = std::move(*connected);
  return client_.get();
}

void Context::complain(const std::string& text) const {
  put(STDERR_FILENO, terminal.talk(client::Style::Bad, "runbookctl:") + " " + text + "\n");
}

void Context::hint(const std::string& text) const {
  if (!quiet) {
    put(STDERR_FILENO, text + "\n");
  }
}

void Context::talk(const std::string& text) const {
  if (!quiet && !json) {
    put(STDERR_FILENO, text + "\n");
  }
}

void Context::print(const std::string& text) const {
  put(STDOUT_FILENO, text);
}

int Context::fail(const Error& failure) const {
  return fail(failure.code == Code::Refused    ? kRefused
              : failure.code == Code::NotFound ? kUnknown
                                               : kFailure,
              client::label(failure.text()));
}

int Context::fail(const client::Refusal& refusal) const {
  complain(client::plain(refusal.text.empty() ? client::name_of(refusal.reason) : refusal.text));
  return exit_for(refusal.reason);
}

int Context::fail(Exit status, const std::string& text) const {
  complain(text);
  return status;
}

int exit_for(Reason reason) {
  switch (reason) {
    case Reason::NO_SESSION:
    case Reason::UNKNOWN:
    case Reason::AMBIGUOUS:
      return kUnknown;
    case Reason::MALFORMED:
    case Reason::BAD_MAC:
    case Reason::REPLAYED:
    case Reason::UNAVAILABLE:
      return kFailure;
    case Reason::NONE:
    case Reason::NOT_PERMITTED:
    case Reason::WRONG_DIGEST:
    case Reason::WRONG_STATE:
    case Reason::MISSING_INPUT:
    case Reason::BAD_INPUT:
    case Reason::NOT_RUNNABLE:
    case Reason::REFUSED_PROFILE:
    case Reason::UNVETTED:
    case Reason::LIMIT:
    case Reason::NO_ENVIRONMENT:
    case Reason::STORAGE:
    case Reason::NEEDS_CONFIRMATION:
      return kRefused;
  }
  return kRefused;
}

std::string login_name() {
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr && entry->pw_name != nullptr ? entry->pw_name
                                                       : std::to_string(::getuid());
}

Operation start_session(const std::string& who, const std::string& why, bool implicit) {
  Operation out;
  out.fill = [=](rb::front::Operation::Builder into, const client::Greeting& greeting) {
    auto start = into.initStartSession();
    start.setWho(who);
    start.setWhy(why);
    start.setImplicit(implicit);
    client::fill_environment(start.initEnvironment(), greeting);
  };
  return out;
}

Result<client::Answer> act_in_session(Context& context, client::Client& daemon,
                                      const std::function<Operation()>& make) {
  Result<client::Answer> first = daemon.act(make());
  const auto* refusal = first ? std::get_if<client::Refusal>(&first->value) : nullptr;
  if (refusal == nullptr || refusal->reason != Reason::NO_SESSION || !context.session.empty()) {
    return first;
  }
  Result<client::Answer> started = daemon.act(start_session(login_name(), "runbookctl run", true));
  refusal = started ? std::get_if<client::Refusal>(&started->value) : nullptr;
  // A broker died over it and the next one knows the request, though not the box it came in.
  const bool done_before = refusal != nullptr && refusal->reason == Reason::REPLAYED;
  if (!started || (refusal != nullptr && !done_before)) {
    return started;
  }
  return daemon.act(make());
}

Query query_sessions() {
  return {"", [](rb::front::Query::Builder into) { into.setSessions(); }};
}
Query query_executions(const std::string& session) {
  return {session, [](rb::front::Query::Builder into) { into.setExecutions(); }};
}
Query query_runbooks(const std::string& session) {
  return {session, [](rb::front::Query::Builder into) { into.setRunbooks(); }};
}
Query query_runbook(const std::string& session, const std::string& name) {
  return {session, [name](rb::front::Query::Builder into) { into.setRunbook(name); }};
}
Query query_output(const std::string& session, const std::string& execution) {
  return {session, [execution](rb::front::Query::Builder into) { into.setOutput(execution); }};
}

Got<client::SessionInfo> find_session(Context& context, client::Client& daemon) {
  Got<client::SessionInfo> out;
  auto sessions = expect<client::Sessions>(context, daemon.ask(query_sessions()));
  if (!sessions) {
    out.status = sessions.status;
    return out;
  }
  unsigned fits = 0;
  for (client::SessionInfo& one : sessions->list) {
    const bool fit = context.session.empty()
                         ? one.current
                         : one.id.compare(0, context.session.size(), context.session) == 0;
    if (fit) {
      ++fits;
      out.value = std::move(one);
    }
  }
  if (fits == 1) {
    return out;
  }
  out.value.reset();
  if (context.session.empty()) {
    out.status = context.fail(kUnknown, "no session runs; `runbookctl run PATH` starts one");
  } else {
    out.status = context.fail(
        kUnknown, (fits == 0 ? "no session begins with " : "several sessions begin with ") +
                      client::label(context.session));
  }
  return out;
}

}  // namespace rb::ctl
