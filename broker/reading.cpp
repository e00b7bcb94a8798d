#include "broker/reading.h"

#include "broker/broker.h"
#include "protocol/limits.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb::brk {

Reading::Reading(Broker& broker, Then then)
    : broker_(broker),
      then_(std::move(then)),
      deadline_(broker.loop, [this] { conclude(error(Code::Closed, "it took too long")); }) {}

// NOLINTNEXTLINE(readability-function-size): one question, all its parts at once
void Reading::ask(Broker& broker, const char* mode, const Bytes& request, std::vector<Fd> fds,
                  Nanos within, Then then) {
  Result<std::pair<Fd, Fd>> pair = link_pair();
  if (!pair) {
    then(pair.failure());
    return;
  }
  const std::shared_ptr<Reading> reading(new Reading(broker, std::move(then)));
  reading->self_ = reading;
  const Result<pid_t> child = broker.children.spawn("runbook-reader", {mode}, pair->second, {});
  if (!child) {
    reading->conclude(child.failure());
    return;
  }
  reading->pid_ = *child;
  reading->link_ = std::make_unique<PacketLink>(
      broker.loop, std::move(pair->first),
      [raw = reading.get()](Packet packet) { raw->conclude(std::move(packet)); },
      [raw = reading.get()](const Error&) {
        raw->conclude(error(Code::Closed, "the reader ended without an answer"));
      });
  const std::size_t most = limits::kDescriptorsPerPacket - 1;  // the message itself may need one
  Bytes message = request;
  do {
    const auto count = static_cast<std::ptrdiff_t>(std::min(most, fds.size()));
    std::vector<Fd> some(std::make_move_iterator(fds.begin()),
                         std::make_move_iterator(fds.begin() + count));
    fds.erase(fds.begin(), fds.begin() + count);
    if (reading->link_) {
      reading->link_->send(std::move(message), std::move(some));
    }
    message = wire::build<reader::ToReader>([](auto root) { root.setMore(); });
  } while (!fds.empty());
  reading->deadline_.arm(within);
}

void Reading::conclude(Result<Packet> answer) {
  if (!then_) {
    return;
  }
  const Then then = std::exchange(then_, nullptr);
  deadline_.disarm();
  if (link_) {
    link_->close();
  }
  broker_.children.kill(pid_);
  // This object may be on the stack: it goes with the next turn.
  broker_.loop.post([self = std::move(self_)] {});
  then(std::move(answer));
}

}  // namespace rb::brk
