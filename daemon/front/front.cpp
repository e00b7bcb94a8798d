#include "daemon/front/front.h"

#include <algorithm>
#include <array>

#include "common/log.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::fnt {
namespace {

// Packets the broker hasn't taken yet, past which requests are refused; PacketLink ends at 1,024.
constexpr std::size_t kPacketsWaiting = 512;
// The first hint goes out at once, later ones of one execution at most this often.
constexpr auto kHintsEvery = Millis(10);
constexpr Nanos kHintsEach = std::chrono::milliseconds(2);  // for each connection

}  // namespace

struct Front::Handlers {
  using Handler = Status (Front::*)(Message, std::vector<Fd>&);
  using BrokerRow = Row<broker::ToFront::Which, State, Handler>;
  static constexpr std::uint32_t kServing = permitted(State::Serving);
  static constexpr std::array kRows = {
      BrokerRow{broker::ToFront::ACCEPTED, kServing, false, 1, 1, &Front::handle_accepted},
      BrokerRow{broker::ToFront::ANSWER, kServing, false, 0, 2, &Front::handle_answer},
      BrokerRow{broker::ToFront::JOURNAL, kServing, false, 1, 1, &Front::handle_journal},
      BrokerRow{broker::ToFront::GREW, kServing, false, 0, 0, &Front::handle_grew},
      BrokerRow{broker::ToFront::PROGRESS, kServing, false, 0, 0, &Front::handle_progress},
      BrokerRow{broker::ToFront::WATCHING, kServing, false, 0, 0, &Front::handle_watching},
      BrokerRow{broker::ToFront::DROP, kServing, false, 0, 0, &Front::handle_drop},
      BrokerRow{broker::ToFront::ENDED, kServing, false, 0, 0, &Front::handle_ended},
  };
};

Front::Front(Loop& loop, Fd link, front::Role role)
    : loop_(loop),
      role_(role),
      hint_timer_(loop, [this] { send_hints(); }),
      link_(
          loop, std::move(link), [this](Packet packet) { on_packet(std::move(packet)); },
          [this](const Error& why) {
            if (why.code == Code::Closed) {
              log::info("the broker has gone");
              end(0);
            } else {
              broken(within("link to the broker", why));
            }
          }) {}

void Front::start() {
  state_ = State::Serving;
  send(wire::build<broker::ToBroker>([](auto root) { root.setReady(); }), {});
}

void Front::on_packet(Packet packet) {
  if (state_ == State::Over) {
    return;
  }
  const Status handled = wire::read<broker::ToFront>(
      packet.bytes, limits::kTrustedNesting, [&](Message message) -> Status {
        const auto* row =
            find_row(Handlers::kRows, message.which(), state_, packet.fds.size(), used_);
        if (row == nullptr) {
          return error(Code::Invalid, "a message that isn't permitted now");
        }
        return (this->*row->handler)(message, packet.fds);
      });
  if (!handled) {
    broken(within("message of the broker", handled.failure()));
  }
}

Status Front::handle_accepted(Message message, std::vector<Fd>& fds) {
  const std::uint64_t id = message.getAccepted().getConnection();
  if (connections_.contains(id)) {
    return error(Code::Invalid, "a connection's number comes twice");
  }
  const bool full = connections_.size() >= limits::kConnections;
  Host& host = *this;
  auto connection = std::make_unique<Connection>(host, loop_, id, std::move(fds.front()));
  Connection& added = *connections_.emplace(id, std::move(connection)).first->second;
  if (full) {
    added.refuse_service(front::Reason::LIMIT, "too many clients are connected: try again later");
  }
  return done();
}

Status Front::handle_answer(Message message, std::vector<Fd>& fds) {
  const auto answered = message.getAnswer();
  if (Connection* connection = find(answered.getConnection())) {
    connection->deliver(answered.getAnswer(), std::move(fds));
  }
  return done();  // its client has gone
}

Status Front::handle_journal(Message message, std::vector<Fd>& fds) {
  const auto segment = message.getJournal();
  Journal& journal = journals_[wire::text(segment.getSession())];
  forget_unwatched_later();
  return journal.add_segment(segment.getSegment(), segment.getFirstLine(), std::move(fds.front()));
}

Status Front::handle_grew(Message message, std::vector<Fd>&) {
  const auto from = message.getGrew();
  const std::string session = wire::text(from.getSession());
  const auto found = journals_.find(session);
  if (found == journals_.end()) {
    return done();  // it was on its way when the last who watched went
  }
  if (Status grew = found->second.grew(from.getSegment(), from.getLength(), from.getLastLine());
      !grew) {
    return grew;
  }
  for (const auto& [id, connection] : connections_) {
    if (connection->watched() == session) {
      connection->pump();
    }
  }
  return done();
}

Status Front::handle_progress(Message message, std::vector<Fd>&) {
  const auto from = message.getProgress();
  hints_[{wire::text(from.getSession()), wire::text(from.getExecution())}] = from.getLength();
  if (!hint_timer_.armed()) {
    send_hints();
  }
  return done();
}

// Hints are worth little each: what came while the timer ran goes out as one. The more are told,
// the rarer: else many readers would wake so often that the script gets less of the machine.
void Front::send_hints() {
  if (hints_.empty()) {
    return;
  }
  for (const auto& [key, length] : std::exchange(hints_, {})) {
    for (const auto& [id, connection] : connections_) {
      connection->on_progress(key.first, key.second, length);
    }
  }
  hint_timer_.arm(std::max<Nanos>(kHintsEvery, connections_.size() * kHintsEach));
}

Status Front::handle_watching(Message message, std::vector<Fd>&) {
  const auto from = message.getWatching();
  if (Connection* connection = find(from.getConnection())) {
    connection->on_watching(wire::text(from.getSession()), from.getLastLine());
  }
  forget_unwatched_later();
  return done();
}

Status Front::handle_drop(Message message, std::vector<Fd>&) {
  if (Connection* connection = find(message.getDrop())) {
    connection->drop();
  }
  return done();
}

// What remains of its journal is still sent to those who catch up.
Status Front::handle_ended(Message, std::vector<Fd>&) {
  return done();
}

bool Front::may_forward() const {
  return link_.waiting() < kPacketsWaiting;
}

// What waits is little, mostly. Where it isn't it comes out of one budget, so that clients who ask
// much and read nothing can't take this process's memory or descriptors in the 5 s that are theirs.
bool Front::may_wait(std::size_t bytes, std::size_t descriptors) const {
  if (bytes <= limits::kClientMessageBytes && descriptors <= limits::kDescriptorsPerPacket) {
    return true;
  }
  if (bytes > limits::kWaitingOfConnectionBytes || descriptors > limits::kRequestsWaiting) {
    return false;
  }
  for (const auto& [id, connection] : connections_) {
    bytes += connection->waiting();
    descriptors += connection->waiting_fds();
  }
  return bytes <= limits::kWaitingOfFrontBytes && descriptors <= limits::kWaitingOfFrontDescriptors;
}

void Front::send(Bytes to_broker, std::vector<Fd> fds) {
  if (state_ == State::Serving) {
    link_.send(std::move(to_broker), std::move(fds));
  }
}

const Journal* Front::journal(const std::string& session) const {
  const auto found = journals_.find(session);
  return found == journals_.end() ? nullptr : &found->second;
}

void Front::closed(std::uint64_t connection) {
  send(wire::build<broker::ToBroker>([&](auto root) { root.setClosed(connection); }), {});
  forget_unwatched_later();
}

void Front::gone(std::uint64_t connection) {
  loop_.post([this, connection] { connections_.erase(connection); });
}

void Front::broken(const Error& why) {
  log::error(why.text());
  end(1);
}

Connection* Front::find(std::uint64_t connection) {
  const auto found = connections_.find(connection);
  return found == connections_.end() ? nullptr : found->second.get();
}

// Later, because whoever closes may be in the middle of reading that journal.
void Front::forget_unwatched_later() {
  if (!std::exchange(forgetting_, true)) {
    loop_.post([this] {
      forgetting_ = false;
      forget_unwatched();
    });
  }
}

// While any watch is under way its session isn't known, so none is forgotten.
void Front::forget_unwatched() {
  const bool asking = std::any_of(connections_.begin(), connections_.end(),
                                  [](const auto& each) { return each.second->asks_to_watch(); });
  for (auto it = journals_.begin(); !asking && it != journals_.end();) {
    const bool watched =
        std::any_of(connections_.begin(), connections_.end(),
                    [&](const auto& each) { return each.second->watched() == it->first; });
    it = watched ? std::next(it) : journals_.erase(it);
  }
}

void Front::end(int status) {
  state_ = State::Over;
  exit_status_ = std::max(exit_status_, status);
  loop_.stop();
}

}  // namespace rb::fnt
