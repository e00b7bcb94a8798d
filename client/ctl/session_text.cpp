#include "client/ctl/session_text.h"

#include "client/lib/escape.h"
#include "client/lib/paths.h"
#include "client/lib/text.h"
#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using client::SessionInfo;

void add_session(JsonWriter& out, const SessionInfo& session) {
  out.begin_object().field("id", session.id).field("who", session.who).field("why", session.why);
  out.field("status", session.status).field("current", session.current);
  out.field("started_at", wall_text(session.started_at_ms));
  if (session.ended_at_ms != 0) {
    out.field("ended_at", wall_text(session.ended_at_ms));
  } else {
    out.key("ended_at").null();
  }
  out.field("has_environment", session.has_environment).field("last_event", session.last_event);
  out.field("folder", session.folder).field("head", to_hex(session.head)).end_object();
}

}  // namespace

std::string session_json(const SessionInfo& session) {
  JsonWriter out;
  add_session(out, session);
  return out.take();
}

std::string sessions_json(const std::vector<SessionInfo>& list) {
  JsonWriter out;
  out.begin_object().key("sessions").begin_array();
  for (const SessionInfo& session : list) {
    add_session(out, session);
  }
  return out.end_array().end_object().take() + "\n";
}

std::string session_text(const SessionInfo& session) {
  std::string out = client::label(session.id) + "  " + client::label(session.status) +
                    (session.current ? "  current" : "") + "\n";
  out += "  who      " + client::label(session.who) + "\n";
  out += "  why      " + client::label(session.why) + "\n";
  out += "  since    " + client::time_text(session.started_at_ms, wall_now_ms()) + "\n";
  out += "  events   " + std::to_string(session.last_event) + "\n";
  out += "  record   " + client::label(client::tilde(session.folder)) + "\n";
  if (!session.has_environment && session.ended_at_ms == 0) {
    out +=
        "  it has no environment since the daemon was started anew; the next run gives it "
        "this shell's\n";
  }
  return out;
}

std::string sessions_text(const std::vector<SessionInfo>& list) {
  client::Table table({"SESSION", "STATUS", "WHO", "SINCE", "WHY"});
  for (const SessionInfo& session : list) {
    table.add({client::label(session.id) + (session.current ? " *" : ""),
               client::label(session.status), client::label(session.who),
               client::time_text(session.started_at_ms, wall_now_ms()),
               client::label(session.why)});
  }
  return table.text();
}

std::string ended_text(const SessionInfo& session) {
  return "session " + client::label(session.id) + " ended\n  record  " +
         client::label(client::tilde(session.folder)) + "\n  head    " + to_hex(session.head) +
         "\n";
}

}  // namespace rb::ctl
