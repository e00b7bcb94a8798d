// answers.h — what the broker knows, as answers on the wire.   [TRUSTED: broker]
// An answer is always made from the present state and a receipt, so the first answer to a request
// and the one to its repetition are one thing.
// Source: protocol/front.capnp.
#pragma once

#include <functional>

#include "broker/request_ids.h"
#include "broker/sessions.h"
#include "protocol/front.capnp.h"

namespace rb::brk {

struct Broker;

// Sends an answer to one connection; `fill` sets the union's member.
void send_answer(Broker& broker, RequestIds::Waiter to,
                 const std::function<void(front::Answer::Builder)>& fill, std::vector<Fd> fds = {});
void send_receipt(Broker& broker, RequestIds::Waiter to, const Receipt& receipt);

void fill_session(const Broker& broker, const Session& from, front::SessionInfo::Builder into);
void fill_run(const Broker& broker, const Session& session, const Run& from,
              front::RunInfo::Builder into);
void fill_execution(const Execution& from, front::ExecutionInfo::Builder into);
void fill_runbook(const Broker& broker, Session& session, const Runbook& from,
                  front::RunbookInfo::Builder into);
// The runbook's document for a client, to draw.
[[nodiscard]] std::vector<Fd> document_of(const Runbook& runbook);
// The output file for a client, and its length; no descriptor where there is no read-only view.
[[nodiscard]] std::vector<Fd> output_file(const Broker& broker, const Execution& execution);

// "noSession", ...: stable words for the record.
[[nodiscard]] const char* reason_name(front::Reason reason);

}  // namespace rb::brk
