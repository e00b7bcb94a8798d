#include "broker/fronts.h"

#include <sys/wait.h>

#include <algorithm>

#include "broker/broker.h"
#include "broker/requests.h"
#include "common/log.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

using broker::ToBroker;
using broker::ToFront;

constexpr int kCannotConfine = 77;  // common/confine.h: this machine refuses a layer
constexpr Nanos kSoonest = std::chrono::milliseconds(50);
constexpr Nanos kLatest = std::chrono::seconds(5);
constexpr Nanos kHealthy = std::chrono::seconds(5);  // lived that long: no failure in a row

Error not_now() {
  return error(Code::Invalid, "a message that isn't permitted now");
}

}  // namespace

// What a front may say, and when. Anything else ends its link.
struct Fronts::Row {
  ToBroker::Which message;
  bool before_ready;  // permitted then and only then; otherwise after
  std::size_t most_fds;
  Status (Fronts::*handle)(Front&, Message, std::vector<Fd>);
};
const std::array<Fronts::Row, 5> Fronts::kTable = {{
    {ToBroker::READY, true, 0, &Fronts::handle_ready},
    {ToBroker::FORWARD, false, limits::kDescriptorsPerClientMessage, &Fronts::handle_forward},
    {ToBroker::CLOSED, false, 0, &Fronts::handle_closed},
    {ToBroker::WATCH, false, 0, &Fronts::handle_watch},
    {ToBroker::UNWATCH, false, 0, &Fronts::handle_unwatch},
}};

Fronts::Fronts(Broker& broker) : broker_(broker) {
  for (const Role role : {Role::Operator, Role::Agent}) {
    of(role).role = role;
    of(role).again = Timer(broker.loop, [this, role] { start(role); });
  }
}

void Fronts::start(Role role) {
  Front& front = of(role);
  broker_.children.kill(front.pid);
  front.started = boot_now();
  Result<std::pair<Fd, Fd>> pair = packet_pair(true);
  if (!pair) {
    replace(front, pair.failure().text());
    return;
  }
  adopt(role, std::move(pair->first));
  const auto pid = std::make_shared<pid_t>(-1);
  const Result<pid_t> child =
      broker_.children.spawn("runbookd", {"--role", name_of(role)}, pair->second,
                             [this, role, pid](int status) { on_exit(role, *pid, status); });
  if (!child) {
    replace(front, child.failure().text());
    return;
  }
  *pid = front.pid = *child;
}

void Fronts::adopt(Role role, Fd link) {
  Front& front = of(role);
  front.ready = false;
  front.link = std::make_unique<PacketLink>(
      broker_.loop, std::move(link),
      [this, &front](Packet packet) { on_packet(front, std::move(packet)); },
      [this, &front](const Error& why) { replace(front, why.text()); });
}

void Fronts::on_packet(Front& front, Packet packet) {
  const Status handled =
      wire::read<ToBroker>(packet.bytes, limits::kTrustedNesting, [&](Message message) -> Status {
        const auto row = std::find_if(kTable.begin(), kTable.end(), [&](const Row& one) {
          return one.message == message.which();
        });
        if (row == kTable.end() || row->before_ready == front.ready ||
            packet.fds.size() > row->most_fds) {
          return not_now();
        }
        return (this->*row->handle)(front, message, std::move(packet.fds));
      });
  if (!handled) {
    replace(front, handled.failure().text());
  }
}

Status Fronts::handle_ready(Front& front, Message, std::vector<Fd>) {
  front.ready = true;
  broker_.serve_when_ready();
  return done();
}

Status Fronts::handle_forward(Front& front, Message message, std::vector<Fd> fds) {
  const auto forward = message.getForward();
  Connection* connection = find(forward.getConnection());
  if (connection == nullptr || connection->actor.role != front.role) {
    return error(Code::Invalid, "a request of a connection that isn't its own");
  }
  if (connection->actor.name.empty()) {
    connection->actor.name = to_valid_utf8(wire::text(forward.getClientName())).substr(0, 64);
  }
  return dispatch(broker_, *connection, forward.getRequest(), std::move(fds));
}

Status Fronts::handle_closed(Front& front, Message message, std::vector<Fd>) {
  const auto found = connections_.find(message.getClosed());
  if (found == connections_.end() || found->second.actor.role != front.role) {
    return not_now();
  }
  seal::wipe(found->second.key);
  connections_.erase(found);
  broker_.on_connection_closed();
  return done();
}

Status Fronts::handle_watch(Front& front, Message message, std::vector<Fd>) {
  Connection* connection = find(message.getWatch().getConnection());
  if (connection == nullptr || connection->actor.role != front.role) {
    return not_now();
  }
  const SessionPtr session =
      broker_.sessions.find(wire::text(message.getWatch().getSession())).session;
  const bool there = session != nullptr && session->journal != nullptr;
  connection->watching = there ? session->id : "";
  if (there) {
    session->last_used = boot_now();
    send_segments(front, *session);
  }
  front.link->send(wire::build<ToFront>([&](auto root) {
    auto watching = root.initWatching();
    watching.setConnection(connection->actor.connection);
    watching.setSession(wire::text(connection->watching));
    watching.setLastLine(there ? session->journal->told_line() : 0);
  }));
  return done();
}

Status Fronts::handle_unwatch(Front& front, Message message, std::vector<Fd>) {
  Connection* connection = find(message.getUnwatch());
  if (connection == nullptr || connection->actor.role != front.role) {
    return not_now();
  }
  connection->watching.clear();
  return done();
}

// The front forgets a journal that nobody watches, so every watch tells it anew.
void Fronts::send_segments(Front& front, const Session& session) {
  for (const Journal::Segment& segment : session.journal->segments()) {
    const std::string path = "sessions/" + session.id + "/" + Journal::file_name(segment.number);
    Result<Fd> file = broker_.places.open_out(path);
    if (!file) {
      log::warn("events can't be followed: " + file.failure().text());
      return;
    }
    std::vector<Fd> fds;
    fds.push_back(std::move(*file));
    front.link->send(wire::build<ToFront>([&](auto root) {
                       auto journal = root.initJournal();
                       journal.setSession(wire::text(session.id));
                       journal.setSegment(segment.number);
                       journal.setFirstLine(segment.first_line);
                     }),
                     std::move(fds));
    front.link->send(grew_message(session, segment));
  }
}

Bytes Fronts::grew_message(const Session& session, const Journal::Segment& segment) {
  return wire::build<ToFront>([&](auto root) {
    auto grew = root.initGrew();
    grew.setSession(wire::text(session.id));
    grew.setSegment(segment.number);
    grew.setLength(segment.told);
    grew.setLastLine(session.journal->last_line_of(segment));
  });
}

void Fronts::to_watchers(const std::string& session, const Bytes& message) {
  for (Front& front : fronts_) {
    const bool watches =
        std::any_of(connections_.begin(), connections_.end(), [&](const auto& entry) {
          return entry.second.actor.role == front.role && entry.second.watching == session;
        });
    if (watches && front.link) {
      front.link->send(message);
    }
  }
}

void Fronts::grew(const Session& session) {
  const Journal::Segment& last = session.journal->segments().back();
  if (last.number != session.announced_segment) {
    // Rare: a sync failed. Everybody who watches hears of the new segment first.
    session.announced_segment = last.number;
    for (Front& front : fronts_) {
      if (front.ready) {
        send_segments(front, session);
      }
    }
  }
  to_watchers(session.id, grew_message(session, last));
}

void Fronts::progress(const Execution& execution) {
  to_watchers(execution.session, wire::build<ToFront>([&](auto root) {
                auto progress = root.initProgress();
                progress.setSession(wire::text(execution.session));
                progress.setExecution(wire::text(execution.id));
                progress.setLength(execution.output_bytes);
              }));
}

void Fronts::ended(const std::string& session) {
  to_watchers(session,
              wire::build<ToFront>([&](auto root) { root.setEnded(wire::text(session)); }));
}

void Fronts::accepted(const Connection& connection, Fd socket) {
  Front& front = of(connection.actor.role);
  if (!front.link) {
    return;  // its front has just died: the client sees an end of file and comes again
  }
  connections_[connection.actor.connection] = connection;
  std::vector<Fd> fds;
  fds.push_back(std::move(socket));
  front.link->send(wire::build<ToFront>([&](auto root) {
                     auto accepted = root.initAccepted();
                     accepted.setConnection(connection.actor.connection);
                     accepted.setUid(connection.actor.uid);
                     accepted.setPid(connection.actor.pid);
                     accepted.setProgram(wire::text(connection.actor.program));
                   }),
                   std::move(fds));
}

void Fronts::answer(std::uint64_t connection, Bytes to_front, std::vector<Fd> fds) {
  const Connection* known = find(connection);
  if (known != nullptr && of(known->actor.role).link) {
    of(known->actor.role).link->send(std::move(to_front), std::move(fds));
  }
}

Connection* Fronts::find(std::uint64_t connection) {
  const auto found = connections_.find(connection);
  return found == connections_.end() ? nullptr : &found->second;
}

std::size_t Fronts::connections(Role role) const {
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [role](const auto& entry) { return entry.second.actor.role == role; }));
}

bool Fronts::watched(const std::string& session) const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [&](const auto& entry) { return entry.second.watching == session; });
}

void Fronts::replace(Front& front, const std::string& why) {
  const bool served = front.ready;
  front.failures = boot_now() - front.started > kHealthy ? 0 : front.failures + 1;
  front.ready = false;
  if (served) {  // else it may be about to say by its exit status that it can't confine itself
    broker_.children.kill(front.pid);
  }
  if (front.link) {
    // It may be on the stack: freed by the next turn.
    front.link->close();
    broker_.loop.post([old = std::shared_ptr<PacketLink>(std::move(front.link))] {});
  }
  std::erase_if(connections_,
                [&front](const auto& entry) { return entry.second.actor.role == front.role; });
  broker_.on_front_lost(front.role, why, served);
  front.again.arm(std::min(kLatest, kSoonest * (1U << std::min(front.failures, 7U))));
}

void Fronts::on_exit(Role role, pid_t pid, int wait_status) {
  Front& front = of(role);
  if (pid != front.pid) {
    return;  // one that was replaced already
  }
  front.pid = -1;
  if (WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == kCannotConfine) {
    broker_.give_up("a front can't confine itself on this machine: see the log");
    return;
  }
  if (front.link) {
    replace(front, "it ended");
  }
}

}  // namespace rb::brk
