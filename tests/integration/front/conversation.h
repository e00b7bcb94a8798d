// conversation.h — a front that is ready, clients that are greeted, and what comes next.   [tests]
#pragma once

#include <doctest/doctest.h>

#include <utility>

#include "protocol/wire.h"
#include "tests/support/front_driver.h"

namespace rb::testing {

// Reads the front's next packet and lets `look` check it; its descriptors come back.
template <typename Look>
std::vector<Fd> expect_from_front(const FrontDriver& driver, Look&& look) {
  auto packet = driver.receive();
  REQUIRE(packet.has_value());
  const Status read =
      wire::read<broker::ToBroker>(packet->bytes, 16, [&](broker::ToBroker::Reader message) {
        look(message);
        return done();
      });
  CHECK(read.ok());
  return std::move(packet->fds);
}

// The same for what a client gets.
template <typename Look>
std::vector<Fd> expect_at_client(Client& client, Look&& look) {
  auto got = client.receive();
  REQUIRE(got.has_value());
  const Status read =
      wire::read<front::ServerMessage>(got->message, 32, [&](front::ServerMessage::Reader message) {
        look(message);
        return done();
      });
  CHECK(read.ok());
  return std::move(got->fds);
}

inline void expect_refusal(Client& client, std::uint32_t serial, front::Reason reason) {
  expect_at_client(client, [&](front::ServerMessage::Reader message) {
    REQUIRE(message.isAnswer());
    CHECK(message.getAnswer().getSerial() == serial);
    REQUIRE(message.getAnswer().isRefused());
    CHECK(message.getAnswer().getRefused().getReason() == reason);
    CHECK(message.getAnswer().getRefused().getText().size() > 10);
  });
}

inline Client greeted(FrontDriver& driver) {
  Client client = driver.connect();
  REQUIRE(client.hello());
  expect_at_client(client, [](front::ServerMessage::Reader message) {
    REQUIRE(message.isWelcome());
    CHECK(message.getWelcome().getVersion() == limits::kProtocolVersion);
  });
  return client;
}

struct Ready {
  FrontDriver driver;
  explicit Ready(const std::string& role = "operator") : driver(role) {
    expect_from_front(driver, [](broker::ToBroker::Reader message) { CHECK(message.isReady()); });
  }
};

// Answers a request with `done`.
inline void answer_done(const FrontDriver& driver, std::uint64_t connection, std::uint32_t serial) {
  driver.send(wire::build<broker::ToFront>([&](auto root) {
    auto answered = root.initAnswer();
    answered.setConnection(connection);
    auto answer = answered.initAnswer();
    answer.setSerial(serial);
    answer.setDone();
  }));
}

}  // namespace rb::testing
