// Sessions: start, end, notes, environment.
#include <sys/stat.h>
#include <unistd.h>

#include "broker/broker.h"
#include "broker/requests.h"
#include "broker/service.h"
#include "common/folder.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using front::Reason;

constexpr std::size_t kWhoBytes = 4096;
constexpr std::size_t kNoteBytes = 64 * 1024;

Result<Environment> open_environment(const Broker& broker, front::Sealed::Reader from) {
  const ByteView box(from.getBox().begin(), from.getBox().size());
  if (box.size() > limits::kEnvironmentBytes + 64 * 1024) {
    return error(Code::TooLarge, "the environment is over 1 MiB");
  }
  std::optional<Bytes> plain = seal::open_box(box, broker.box);
  if (!plain) {
    return error(Code::Refused, "the environment isn't sealed to this broker");
  }
  Result<Environment> out = Environment::from_wire(*plain);
  seal::wipe(*plain);
  return out;
}

// The session's folders and its journal; durable, so that what follows has a place.
Status make_session(Broker& broker, Session& session) {
  if (::mkdirat(broker.places.sessions(), session.id.c_str(), 0700) < 0) {
    return errno_error("make the session's folder");
  }
  if (Status opened = open_folders(broker, session); !opened) {
    return opened;
  }
  const Result<Digest> head = broker.head_to_follow();
  if (!head) {
    return head.failure();
  }
  Result<std::unique_ptr<Journal>> journal =
      Journal::create(broker.loop, session.folder.get(), *head);
  if (!journal) {
    return journal.failure();
  }
  session.journal = std::move(*journal);
  return ::fsync(broker.places.sessions()) < 0 ? Status(errno_error("sync the sessions' folder"))
                                               : done();
}

void write_names(const Environment& environment, JsonWriter& line) {
  line.field("cwd", environment.cwd());
  line.key("variables_refused").begin_array();
  for (const std::string& name : environment.refused()) {
    line.text(name);
  }
  line.end_array();
}

}  // namespace

Status open_folders(const Broker& broker, Session& session) {
  Result<Fd> folder = open_beneath(broker.places.sessions(), session.id, O_RDONLY | O_DIRECTORY);
  if (!folder) {
    return folder.failure();
  }
  session.folder = std::move(*folder);
  struct Inner {
    const char* name;
    Fd Session::*member;
  };
  for (const Inner& inner :
       {Inner{"executions", &Session::executions_folder}, Inner{"runs", &Session::runs_folder}}) {
    Result<Fd> fd = make_folder(session.folder.get(), inner.name);
    if (!fd) {
      return fd.failure();
    }
    session.*inner.member = std::move(*fd);
  }
  return done();
}

void handle_start_session(Broker& broker, const CallPtr& call, Operation operation) {
  const auto from = operation.getStartSession();
  const std::string who = to_valid_utf8(wire::text(from.getWho()));
  const std::string why = to_valid_utf8(wire::text(from.getWhy()));
  if (who.empty() || why.empty() || who.size() > kWhoBytes || why.size() > kWhoBytes) {
    refuse(broker, call, Reason::MALFORMED, "a session needs a name and a reason");
    return;
  }
  Result<Environment> environment = open_environment(broker, from.getEnvironment());
  if (!environment) {
    refuse(broker, call, Reason::MALFORMED, environment.failure().text());
    return;
  }
  // Two clients that find no session and begin one at once shall share it.
  if (const SessionPtr current = broker.sessions.current(); from.getImplicit() && current) {
    finish(broker, call, {Receipt::Kind::Session, current->id, "", 0, {}});
    return;
  }
  const SessionPtr session = std::make_shared<Session>();
  session->started_ms = wall_now_ms();
  // Names sort by their start, also within a second.
  for (int tries = 0; tries < 1000 && session->id <= broker.newest; ++tries) {
    session->id = new_session_id(session->started_ms);
  }
  session->who = who;
  session->why = why;
  session->implicit = from.getImplicit();
  session->environment = std::move(*environment);
  session->last_used = boot_now();
  Status made = make_session(broker, *session);
  if (made) {
    made = broker.ledger.append(session_record(*session));
  }
  if (!made) {
    refuse(broker, call, Reason::STORAGE, "not recordable: " + made.failure().text());
    return;
  }
  call->session = session;
  const std::string followed = session->journal->head().hex();
  broker.add_session(session);
  JsonWriter line = session->journal->begin("session-started", &call->actor);
  line.field("session", session->id).field("who", who).field("why", why);
  line.field("implicit", session->implicit).field("version", RUNBOOKD_VERSION);
  line.field("broker_start", to_hex(broker.start_id));
  write_names(*session->environment, line);
  service::anchor(session->id, "starts", followed, 0);
  broker.newest = session->id;
  record_and_finish(broker, call, std::move(line),
                    {Receipt::Kind::Session, session->id, "", 0, {}});
  broker.note_newest(*session, session->journal->head());
}

void handle_note(Broker& broker, const CallPtr& call, Operation operation) {
  const std::string text = wire::text(operation.getNote());
  if (text.empty() || text.size() > kNoteBytes) {
    refuse(broker, call, Reason::MALFORMED, "a note has from 1 byte to 64 KiB");
    return;
  }
  JsonWriter line = call->session->journal->begin("note", &call->actor);
  line.field("text", text);
  record_and_finish(broker, call, std::move(line),
                    {Receipt::Kind::Done, call->session->id, "", 0, {}});
  broker.views.touch(call->session, 0);
}

void handle_environment(Broker& broker, const CallPtr& call, Operation operation) {
  call->noted = true;  // an environment dies with the broker: the next one needs it again
  const bool replace = operation.isReplaceEnvironment();
  Result<Environment> environment = open_environment(
      broker, replace ? operation.getReplaceEnvironment() : operation.getEnvironment());
  if (!environment) {
    refuse(broker, call, Reason::MALFORMED, environment.failure().text());
    return;
  }
  if (!replace && call->session->environment) {
    // Somebody was faster; the session has one environment, and this isn't a change of it.
    finish(broker, call, {Receipt::Kind::Done, call->session->id, "", 0, {}});
    return;
  }
  call->session->environment = std::move(*environment);
  JsonWriter line = call->session->journal->begin("environment-given", &call->actor);
  line.field("replaced", replace);
  write_names(*call->session->environment, line);
  record_and_finish(broker, call, std::move(line),
                    {Receipt::Kind::Done, call->session->id, "", 0, {}});
}

void handle_end_session(Broker& broker, const CallPtr& call, Operation) {
  broker.end_session(call->session, call);
}

}  // namespace rb::brk
