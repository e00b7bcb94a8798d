#include "client/lib/connection.h"

#include <algorithm>
#include <utility>

#include "protocol/wire.h"

namespace rb::client {
namespace {

constexpr StreamLimits kLimits{limits::kServerMessageBytes, limits::kDescriptorsPerClientMessage,
                               4 * limits::kClientMessageBytes, limits::kProgressWithin};

Status copy_key(capnp::Data::Reader from, seal::Key& into) {
  if (from.size() != into.size()) {
    return error(Code::Invalid, "malformed greeting");
  }
  std::copy(from.begin(), from.end(), into.begin());
  return done();
}

Status check_version(std::uint32_t theirs) {
  if (theirs == limits::kProtocolVersion) {
    return done();
  }
  return error(Code::Unsupported, "the daemon speaks protocol " + std::to_string(theirs) +
                                      ", this program " + std::to_string(limits::kProtocolVersion) +
                                      ": end its sessions and start it again");
}

// A front that shuts down is worth another try; one that found fault with us isn't.
Error end_of(rb::front::Refusal::Reader bye) {
  const bool passing = bye.getReason() == rb::front::Reason::UNAVAILABLE ||
                       bye.getReason() == rb::front::Reason::NONE;
  return error(passing ? Code::Closed : Code::Refused, wire::text(bye.getText()));
}

}  // namespace

Connection::Connection(Loop& loop, Fd socket, std::string name, Handlers handlers)
    : name_(std::move(name)),
      handlers_(std::move(handlers)),
      hello_(loop, [this] { end(error(Code::Closed, "the daemon doesn't answer")); }),
      link_(
          loop, std::move(socket), kLimits,
          [this](const Bytes& message, std::vector<Fd> fds) { on_frame(message, std::move(fds)); },
          [this](const Error& why) { end(why); }) {
  hello_.arm(limits::kHelloWithin);
}

void Connection::send_act(std::uint32_t serial, ByteView content, std::vector<Fd> fds) {
  ++counter_;
  const seal::Mac mac = seal::mac(
      greeting_.mac_key, {greeting_.broker_start, greeting_.connection, counter_, content});
  const Bytes message = wire::build<rb::front::ClientMessage>([&](auto root) {
    auto request = root.initRequest();
    request.setSerial(serial);
    auto act = request.initAct();
    act.setContent(wire::data(content));
    act.setCounter(counter_);
    act.setMac(wire::data(mac));
  });
  link_.send(message, std::move(fds));
}

void Connection::send(ByteView message) {
  link_.send(message);
}

void Connection::on_frame(const Bytes& message, std::vector<Fd> fds) {
  const Status handled = state_ == State::Greeting ? handle_greeting(message)
                                                   : handle_message(message, std::move(fds));
  if (!handled) {
    end(handled.failure());
  }
}

Status Connection::handle_greeting(const Bytes& message) {
  const Status read = wire::read<rb::front::Greeting>(
      message, limits::kClientNesting, [&](rb::front::Greeting::Reader from) -> Status {
        if (Status same = check_version(from.getVersion()); !same) {
          return same;
        }
        greeting_.broker_start = wire::bytes(from.getBrokerStart());
        greeting_.connection = from.getConnection();
        greeting_.pid = from.getPid();
        if (Status mac = copy_key(from.getMacKey(), greeting_.mac_key); !mac) {
          return mac;
        }
        return copy_key(from.getPublicKey(), greeting_.public_key);
      });
  if (!read) {
    return read;
  }
  state_ = State::Welcome;
  link_.send(wire::build<rb::front::ClientMessage>([&](auto root) {
    auto hello = root.initHello();
    hello.setVersion(limits::kProtocolVersion);
    hello.setName(wire::text(name_));
  }));
  return done();
}

Status Connection::handle_message(const Bytes& message, std::vector<Fd> fds) {
  return wire::read<rb::front::ServerMessage>(
      message, limits::kClientNesting, [&](rb::front::ServerMessage::Reader from) -> Status {
        if (from.isBye()) {
          return end_of(from.getBye());
        }
        if (from.isWelcome() != (state_ == State::Welcome)) {
          return error(Code::Invalid, "the daemon sent a message that isn't due");
        }
        if (from.isWelcome()) {
          return handle_welcome(from.getWelcome());
        }
        handlers_.on_message(from, std::move(fds));
        return done();
      });
}

Status Connection::handle_welcome(rb::front::Welcome::Reader welcome) {
  if (Status same = check_version(welcome.getVersion()); !same) {
    return same;
  }
  hello_.disarm();
  state_ = State::Ready;
  handlers_.on_ready();
  return done();
}

void Connection::end(const Error& why) {
  if (state_ == State::Over) {
    return;
  }
  state_ = State::Over;
  hello_.disarm();
  link_.close();
  seal::wipe(greeting_.mac_key);
  const auto on_end = std::move(handlers_.on_end);
  on_end(why);
}

}  // namespace rb::client
