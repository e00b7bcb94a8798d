// requests.h — every request, checked again and handed to its handler.   [TRUSTED: broker]
// In:     what a front forwards: it has vetted the form, and nothing it says is believed.
// Order:  row of the one table (role, state, descriptors) → MAC → counter → request id → handler.
// Out:    exactly one answer a request, now or later, by finish() or answer().
// Source: DESIGN §3, §4; attacks A5, A6, A28.
#pragma once

#include <memory>
#include <vector>

#include "broker/actor.h"
#include "broker/request_ids.h"
#include "broker/sessions.h"
#include "protocol/front.capnp.h"

namespace rb::brk {

struct Broker;
struct Connection;

// One request under way.
struct Call {
  Actor actor;
  std::uint32_t serial = 0;
  bool authentic = false;   // an act of its client: what becomes of it is recorded
  bool noted = false;       // the ledger holds what becomes of it, or needn't
  std::string request_key;  // of an act whose id was noted
  Digest content;           // what it asks for
  std::string request_hex;  // for the record
  std::string about;        // block, for the record of a refusal
  SessionPtr session;       // where the row wants one
  std::vector<Fd> fds;
};
using CallPtr = std::shared_ptr<Call>;

// Invalid where the front broke the protocol; a client's fault is answered instead.
[[nodiscard]] Status dispatch(Broker& broker, Connection& connection,
                              front::Request::Reader request, std::vector<Fd> fds);

// What becomes of a request, for the next broker: before the line that it leaves.
[[nodiscard]] Status note_in_ledger(Broker& broker, Call& call, const Receipt& receipt);
// Ends a state-changing request: notes what became of it and answers everybody who waits.
void finish(Broker& broker, const CallPtr& call, const Receipt& receipt);
void refuse(Broker& broker, const CallPtr& call, front::Reason reason, std::string text);
// For requests that only leave a line: appends it, syncs, then finishes.
void record_and_finish(Broker& broker, const CallPtr& call, JsonWriter line,
                       const Receipt& receipt);

// Handlers, one a message: handle_session.cpp, handle_run.cpp, handle_query.cpp, opening.cpp.
using Operation = front::Operation::Reader;
using Query = front::Query::Reader;
void handle_start_session(Broker& broker, const CallPtr& call, Operation operation);
void handle_end_session(Broker& broker, const CallPtr& call, Operation operation);
void handle_note(Broker& broker, const CallPtr& call, Operation operation);
void handle_environment(Broker& broker, const CallPtr& call, Operation operation);
void handle_open(Broker& broker, const CallPtr& call, Operation operation);
void handle_close_run(Broker& broker, const CallPtr& call, Operation operation);
void handle_start(Broker& broker, const CallPtr& call, Operation operation);
void handle_stop(Broker& broker, const CallPtr& call, Operation operation);
void handle_query(Broker& broker, const CallPtr& call, Query query);

}  // namespace rb::brk
