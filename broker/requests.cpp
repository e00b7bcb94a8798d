#include "broker/requests.h"

#include <algorithm>
#include <array>

#include "broker/answers.h"
#include "broker/broker.h"
#include "common/log.h"
#include "protocol/digests.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using front::Reason;

enum class Needs : std::uint8_t { Nothing, OpenSession };

// The one table of what changes state. Role, state and descriptors are conditions of a row; a
// message without a row doesn't exist.
struct Row {
  front::Operation::Which message;
  bool agents;  // nothing until a policy rule permits it
  Needs needs;
  std::size_t most_fds;
  void (*handle)(Broker&, const CallPtr&, Operation);
};
constexpr std::array<Row, 9> kTable = {{
    {front::Operation::START_SESSION, false, Needs::Nothing, 0, handle_start_session},
    {front::Operation::END_SESSION, false, Needs::OpenSession, 0, handle_end_session},
    {front::Operation::NOTE, false, Needs::OpenSession, 0, handle_note},
    {front::Operation::OPEN, false, Needs::OpenSession, 1, handle_open},
    {front::Operation::CLOSE_RUN, false, Needs::OpenSession, 0, handle_close_run},
    {front::Operation::START, false, Needs::OpenSession, limits::kDescriptorsPerClientMessage,
     handle_start},
    {front::Operation::STOP, false, Needs::OpenSession, 0, handle_stop},
    {front::Operation::ENVIRONMENT, false, Needs::OpenSession, 0, handle_environment},
    {front::Operation::REPLACE_ENVIRONMENT, false, Needs::OpenSession, 0, handle_environment},
}};

// What was refused is recorded too, once it is known who asked: a front could have made up the
// rest.
void record_refusal(Broker& broker, const Call& call, const Refusal& refusal) {
  // Nothing stands behind a session's end: what came too late is the current one's.
  const SessionPtr session =
      call.session && call.session->open() ? call.session : broker.sessions.current();
  const bool asks_again = refusal.reason == Reason::NO_ENVIRONMENT;  // clients give it unasked
  if (!session || !session->journal || !call.authentic || asks_again) {
    return;
  }
  JsonWriter line = session->journal->begin("refused", &call.actor);
  line.field("request", call.request_hex).field("block", call.about);
  line.field("reason", reason_name(refusal.reason)).field("text", refusal.text);
  if (session->journal->append(std::move(line))) {
    session->journal->commit({});
  }
}

const Row* find_row(Operation operation) {
  const auto row = std::find_if(kTable.begin(), kTable.end(),
                                [&](const Row& one) { return one.message == operation.which(); });
  return row == kTable.end() ? nullptr : &*row;
}

// Form, role, session, id: in this order, each with its refusal. Runs the handler when all is well.
Status act(Broker& broker, const CallPtr& call, Operation operation) {
  const Row* row = find_row(operation);
  const ByteView client(operation.getClientId().begin(), operation.getClientId().size());
  const ByteView request(operation.getRequestId().begin(), operation.getRequestId().size());
  if (row == nullptr || client.size() != 16 || request.size() != 16 ||
      call->fds.size() > row->most_fds) {
    return error(Code::Invalid, "malformed");
  }
  call->request_hex = to_hex(request);
  if (!row->agents && call->actor.role != Role::Operator) {
    refuse(broker, call, Reason::NOT_PERMITTED,
           "agents may change nothing until a policy rule lets them: ask an operator");
    return done();
  }
  const std::string key = RequestIds::key(call->actor.role, client, request);
  std::optional<Receipt> before;
  const RequestIds::Waiter waiter{call->actor.connection, call->serial};
  call->content = operation_digest(operation, static_cast<front::Role>(call->actor.role));
  switch (broker.ids.note(key, call->content, waiter, wall_now_ms(), before)) {
    case RequestIds::Seen::OtherContent:
      refuse(broker, call, Reason::REPLAYED, "this request id was used for another request");
      return done();
    case RequestIds::Seen::Answered:
      send_receipt(broker, waiter, *before);
      return done();
    case RequestIds::Seen::UnderWay:
      return done();  // the first answer will reach this one too
    case RequestIds::Seen::Never:
      break;
  }
  call->request_key = key;
  if (row->needs == Needs::OpenSession) {
    Sessions::Found found = broker.sessions.find(wire::text(operation.getSession()));
    call->session = found.session;
    if (!found.session) {
      refuse(broker, call, found.refusal.reason, found.refusal.text);
      return done();
    }
    if (!found.session->open() || found.session->ending) {
      refuse(broker, call, Reason::WRONG_STATE, "the session is over");
      return done();
    }
    found.session->last_used = boot_now();
  }
  row->handle(broker, call, operation);
  return done();
}

// Nobody but the client that was greeted can have made it, and it never worked before.
std::optional<Refusal> authentic(const Broker& broker, Connection& connection,
                                 front::Signed::Reader from) {
  const ByteView content(from.getContent().begin(), from.getContent().size());
  const seal::Authentic message{broker.start_id, connection.actor.connection, from.getCounter(),
                                content};
  if (!seal::verify(connection.key, message, {from.getMac().begin(), from.getMac().size()})) {
    return Refusal{Reason::BAD_MAC, "the request isn't authentic"};
  }
  if (from.getCounter() <= connection.counter) {
    return Refusal{Reason::REPLAYED, "the request was sent before"};
  }
  connection.counter = from.getCounter();
  return std::nullopt;
}

void handle_act(Broker& broker, Connection& connection, const CallPtr& call,
                front::Signed::Reader from) {
  if (const std::optional<Refusal> refused = authentic(broker, connection, from)) {
    log::warn("connection " + std::to_string(connection.actor.connection) + ": " + refused->text);
    refuse(broker, call, refused->reason, refused->text);
    return;
  }
  call->authentic = true;
  const ByteView content(from.getContent().begin(), from.getContent().size());
  const Status acted = wire::read<front::Operation>(
      content, limits::kClientNesting,
      [&](Operation operation) { return act(broker, call, operation); });
  if (!acted) {
    refuse(broker, call, Reason::MALFORMED, "the request is malformed");
  }
}

}  // namespace

Status dispatch(Broker& broker, Connection& connection, front::Request::Reader request,
                std::vector<Fd> fds) {
  const CallPtr call = std::make_shared<Call>();
  call->actor = connection.actor;
  call->serial = request.getSerial();
  call->fds = std::move(fds);
  if (request.isAct()) {
    handle_act(broker, connection, call, request.getAct());
    return done();
  }
  if (request.isAsk() && call->fds.empty()) {
    handle_query(broker, call, request.getAsk());
    return done();
  }
  return error(Code::Invalid, "a request that is none");
}

Status note_in_ledger(Broker& broker, Call& call, const Receipt& receipt) {
  if (std::exchange(call.noted, true)) {
    return done();
  }
  return broker.ledger.append(
      RequestIds::to_record(call.request_key, call.content, receipt, wall_now_ms()));
}

void finish(Broker& broker, const CallPtr& call, const Receipt& receipt) {
  if (receipt.kind == Receipt::Kind::Refused) {
    record_refusal(broker, *call, receipt.refusal);
  } else {
    (void)note_in_ledger(broker, *call, receipt);
  }
  std::vector<RequestIds::Waiter> waiting = broker.ids.settle(call->request_key, receipt);
  if (waiting.empty()) {
    waiting.push_back({call->actor.connection, call->serial});
  }
  for (const RequestIds::Waiter& waiter : waiting) {
    send_receipt(broker, waiter, receipt);
  }
}

void record_and_finish(Broker& broker, const CallPtr& call, JsonWriter line,
                       const Receipt& receipt) {
  (void)note_in_ledger(broker, *call, receipt);
  if (const auto written = call->session->journal->append(std::move(line)); !written) {
    refuse(broker, call, Reason::STORAGE, "not recordable: " + written.failure().text());
    return;
  }
  call->session->journal->commit([&broker, call, receipt](const Status& durable) {
    if (durable) {
      finish(broker, call, receipt);
    } else {
      refuse(broker, call, Reason::STORAGE, "not recordable: " + durable.failure().text());
    }
  });
}

void refuse(Broker& broker, const CallPtr& call, Reason reason, std::string text) {
  finish(broker, call,
         {Receipt::Kind::Refused,
          call->session ? call->session->id : "",
          "",
          0,
          {reason, std::move(text)}});
}

}  // namespace rb::brk
