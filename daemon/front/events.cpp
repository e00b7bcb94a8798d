// Events of a session for one connection: subscribing, catching up, following, hints.
#include "common/log.h"
#include "daemon/front/connection.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::fnt {
namespace {

constexpr std::size_t kHintsKept = 256;
constexpr int kStepsPerTurn = 4;  // of a catch-up, so that others are served in between

}  // namespace

void Connection::handle_subscribe(Message message, std::vector<Fd>&) {
  const auto from = message.getSubscribe();
  Verdict verdict = vet_subscribe(from);
  if (verdict.kind == Verdict::Kind::Forward && !changes_.take(boot_now())) {
    verdict = {Verdict::Kind::Refuse, front::Reason::LIMIT, "this connection subscribes too often"};
  }
  if (verdict.kind != Verdict::Kind::Forward) {
    refuse(kOfNoRequest, verdict.reason, verdict.text);
    return;
  }
  leave_session();
  wanted_ = Wanted{wire::text(from.getSession()), from.getFrom(), from.getOutput()};
  superseded_ = watch_under_way_;
  ask_to_watch();
}

void Connection::handle_unsubscribe(Message, std::vector<Fd>&) {
  wanted_.reset();
  leave_session();
}

// One watch of a connection is under way at most: a client that subscribes in a loop can't fill the
// broker's link.
void Connection::ask_to_watch() {
  if (watch_under_way_ || !wanted_) {
    return;
  }
  watch_under_way_ = true;
  superseded_ = false;
  host_.send(wire::build<broker::ToBroker>([&](auto root) {
               auto watch = root.initWatch();
               watch.setConnection(id_);
               watch.setSession(wire::text(wanted_->session));
             }),
             {});
}

void Connection::leave_session() {
  hints_.clear();
  if (!subscription_.session.empty()) {
    subscription_ = {};
    host_.send(wire::build<broker::ToBroker>([&](auto root) { root.setUnwatch(id_); }), {});
  }
}

void Connection::on_watching(const std::string& session, std::uint64_t last_line) {
  if (state_ == State::Over) {
    return;
  }
  if (!watch_under_way_) {
    host_.broken(error(Code::Invalid, "a watch is answered that nobody sent"));
    return;
  }
  watch_under_way_ = false;
  subscription_.session = session;
  if (!wanted_ || superseded_) {  // the client thought better of it meanwhile
    leave_session();
    ask_to_watch();
    return;
  }
  const Wanted wanted = *std::exchange(wanted_, std::nullopt);
  const Journal* journal = host_.journal(session);
  if (session.empty() || journal == nullptr) {
    subscription_ = {};
    refuse(kOfNoRequest, front::Reason::NO_SESSION, "there is no such session to follow");
    return;
  }
  const std::uint64_t from = wanted.from == 0 ? last_line + 1 : wanted.from;
  subscription_ = {session, from, wanted.output, journal->find(from)};
  pump();
}

void Connection::pump() {
  const Journal* journal = host_.journal(subscription_.session);
  if (subscription_.session.empty() || journal == nullptr) {
    return;
  }
  bool more = true;
  for (int i = 0; i < kStepsPerTurn && more; ++i) {
    if (!takes_more()) {
      return;  // on_drained() goes on
    }
    const Result<bool> step = journal->read_step(
        subscription_.cursor,
        [this](std::uint64_t number, std::string_view json) { return send_event(number, json); });
    if (!step) {
      host_.broken(within("journal of a session", step.failure()));
      return;
    }
    more = *step;
  }
  if (more) {
    pump_later();
  }
}

bool Connection::takes_more() const {
  return link_.is_open() && link_.waiting() <= limits::kAnswersWaitingBytes;
}

bool Connection::send_event(std::uint64_t number, std::string_view json) {
  if (number >= subscription_.from) {
    send(wire::build<front::ServerMessage>([&](auto root) {
      auto event = root.initEvent();
      event.setSession(wire::text(subscription_.session));
      event.setNumber(number);
      event.setJson(wire::data(as_bytes(json)));
    }));
  }
  return takes_more();
}

void Connection::pump_later() {
  if (pump_posted_) {
    return;
  }
  pump_posted_ = true;
  loop_.post([this, alive = std::weak_ptr<bool>(alive_)] {
    if (!alive.expired()) {
      pump_posted_ = false;
      pump();
    }
  });
}

void Connection::on_progress(const std::string& session, const std::string& execution,
                             std::uint64_t length) {
  if (!subscription_.output || subscription_.session != session) {
    return;
  }
  if (link_.waiting() > limits::kAnswersWaitingBytes) {
    if (hints_.size() < kHintsKept || hints_.contains(execution)) {
      hints_[execution] = length;  // losing one loses nothing: the file says it all
    }
    return;
  }
  send_progress(execution, length);
}

void Connection::send_progress(const std::string& execution, std::uint64_t length) {
  send(wire::build<front::ServerMessage>([&](auto root) {
    auto progress = root.initProgress();
    progress.setSession(wire::text(subscription_.session));
    progress.setExecution(wire::text(execution));
    progress.setLength(length);
  }));
}

void Connection::on_drained() {
  for (const auto& [execution, length] : std::exchange(hints_, {})) {
    send_progress(execution, length);
  }
  pump();
}

}  // namespace rb::fnt
