// What a client and the broker say to each other by way of a front.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/io.h"
#include "tests/integration/front/conversation.h"

namespace rb::testing {
namespace {

using broker::ToBroker;
using broker::ToFront;
using front::Reason;
using front::ServerMessage;

Bytes start_operation(bool verbatim, bool work_given, std::size_t digest = 32) {
  return operation([&](auto root) {
    auto start = root.initStart();
    start.setRunbook("rb");
    start.setBlock("b");
    const Bytes bytes(digest, 3);
    start.setDigest(wire::data(bytes));
    start.setVerbatim(verbatim);
    start.setWorkGiven(work_given);
  });
}

Bytes ask_output_bytes(std::uint32_t serial, std::uint64_t offset, std::uint32_t most) {
  return wire::build<front::ClientMessage>([&](auto root) {
    auto request = root.initRequest();
    request.setSerial(serial);
    auto wanted = request.initAsk().initOutputBytes();
    wanted.setExecution("e1");
    wanted.setOffset(offset);
    wanted.setMost(most);
  });
}

Bytes output_answer(std::uint64_t connection, std::uint32_t serial, std::uint64_t length) {
  return wire::build<ToFront>([&](auto root) {
    auto answered = root.initAnswer();
    answered.setConnection(connection);
    auto answer = answered.initAnswer();
    answer.setSerial(serial);
    auto output = answer.initOutput();
    output.setLength(length);
    output.setOver(true);
    output.initExecution().setId("e1");
  });
}

TEST_CASE("front: says ready once and welcomes a client with its role") {
  Ready at("agent");
  Client client = at.driver.connect();
  REQUIRE(client.hello());
  expect_at_client(client, [](ServerMessage::Reader message) {
    REQUIRE(message.isWelcome());
    CHECK(message.getWelcome().getRole() == front::Role::AGENT);
  });
}

TEST_CASE("front: a client of another version hears why and is let go") {
  Ready at;
  Client client = at.driver.connect();
  REQUIRE(client.hello("old", 7));
  expect_at_client(client, [](ServerMessage::Reader message) {
    REQUIRE(message.isBye());
    const std::string text = wire::text(message.getBye().getText());
    CHECK(text.find("protocol version " + std::to_string(limits::kProtocolVersion)) !=
          std::string::npos);
    CHECK(text.find('7') == std::string::npos);
  });
  CHECK(client.ends());
  expect_from_front(at.driver, [](ToBroker::Reader message) {
    REQUIRE(message.isClosed());
    CHECK(message.getClosed() == 1);
  });
}

TEST_CASE("front: a query reaches the broker unchanged and its answer comes back by serial") {
  Ready at;
  Client client = greeted(at.driver);
  REQUIRE(client.send(ask_status(41)));
  REQUIRE(client.send(ask_status(42)));
  for (const std::uint32_t serial : {41U, 42U}) {
    expect_from_front(at.driver, [&](ToBroker::Reader message) {
      REQUIRE(message.isForward());
      CHECK(message.getForward().getConnection() == 1);
      CHECK(wire::text(message.getForward().getClientName()) == "test");
      CHECK(message.getForward().getRequest().getSerial() == serial);
      CHECK(message.getForward().getRequest().getAsk().isStatus());
    });
  }
  const auto answer = [&](std::uint64_t connection, std::uint32_t serial) {
    answer_done(at.driver, connection, serial);
  };
  answer(1, 42);
  answer(1, 99);   // asked by nobody: dropped
  answer(77, 42);  // a connection that was never there: dropped
  answer(1, 42);   // a second answer: dropped
  answer(1, 41);
  for (const std::uint32_t serial : {42U, 41U}) {
    expect_at_client(client, [&](ServerMessage::Reader message) {
      REQUIRE(message.isAnswer());
      CHECK(message.getAnswer().getSerial() == serial);
      CHECK(message.getAnswer().isDone());
    });
  }
  CHECK(at.driver.alive());
}

TEST_CASE("front: a signed request goes on byte for byte, its folder descriptor with it") {
  Ready at;
  Client client = greeted(at.driver);
  const Bytes content = operation([](auto root) { root.initOpen().setShownPath("./x.mdx"); });
  const Fd folder(::open("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(client.send(act(5, content), {folder.get()}));
  const std::vector<Fd> fds = expect_from_front(at.driver, [&](ToBroker::Reader message) {
    REQUIRE(message.isForward());
    const auto signed_act = message.getForward().getRequest().getAct();
    CHECK(wire::bytes(signed_act.getContent()) == content);
    CHECK(wire::bytes(signed_act.getMac()) == Bytes(32, 9));
  });
  REQUIRE(fds.size() == 1);
  CHECK(::faccessat(fds[0].get(), "bin/env", F_OK, 0) == 0);
}

TEST_CASE("front: a request larger than a packet reaches the broker whole") {
  Ready at;
  Client client = greeted(at.driver);
  const Bytes value(100'000, 'v');
  const Bytes content = operation([&](auto root) {
    auto start = root.initStart();
    const Bytes digest(32, 3);
    start.setDigest(wire::data(digest));
    auto inputs = start.initInputs(5);
    for (auto input : inputs) {
      input.setName("N");
      input.setValue(wire::data(value));
    }
  });
  REQUIRE(client.send(act(6, content)));
  expect_from_front(at.driver, [&](ToBroker::Reader message) {
    CHECK(wire::bytes(message.getForward().getRequest().getAct().getContent()) == content);
  });
}

TEST_CASE("front: what has the wrong form is refused by name and never reaches the broker") {
  Ready at;
  Client client = greeted(at.driver);
  REQUIRE(client.send(act(1, start_operation(false, false, 31))));
  expect_refusal(client, 1, Reason::MALFORMED);
  REQUIRE(client.send(act(2, operation([](auto root) { root.setNote(""); }))));
  expect_refusal(client, 2, Reason::MALFORMED);
  const std::string long_text(70'000, 'x');
  REQUIRE(client.send(act(3, operation([&](auto root) { root.setNote(wire::text(long_text)); }))));
  expect_refusal(client, 3, Reason::LIMIT);
  const std::string broken_text = "a\xff";
  REQUIRE(
      client.send(act(4, operation([&](auto root) { root.setNote(wire::text(broken_text)); }))));
  expect_refusal(client, 4, Reason::MALFORMED);
  REQUIRE(client.send(act(5, operation([](auto root) { root.initOpen(); }))));  // no folder came
  expect_refusal(client, 5, Reason::MALFORMED);
  REQUIRE(client.send(ask_status(6)));
  expect_from_front(at.driver, [](ToBroker::Reader message) {
    CHECK(message.getForward().getRequest().getSerial() == 6);
  });
}

TEST_CASE("front: agents are refused what only operators may ask, by the front's own role") {
  Ready at("agent");
  Client client = greeted(at.driver);
  REQUIRE(client.send(act(1, start_operation(true, false))));
  expect_refusal(client, 1, Reason::NOT_PERMITTED);
  REQUIRE(client.send(act(2, operation([](auto root) { root.initEnvironment(); }))));
  expect_refusal(client, 2, Reason::NOT_PERMITTED);
  REQUIRE(client.send(act(3, operation([](auto root) { root.initReplaceEnvironment(); }))));
  expect_refusal(client, 3, Reason::NOT_PERMITTED);
  REQUIRE(client.send(act(4, start_operation(false, false))));
  expect_from_front(at.driver, [](ToBroker::Reader message) { CHECK(message.isForward()); });
}

TEST_CASE("front: an operator gets the output's descriptor, an agent never does") {
  Fd file(::memfd_create("output", MFD_CLOEXEC));
  REQUIRE(write_all(file.get(), as_bytes("0123456789")).ok());
  for (const bool agent : {false, true}) {
    Ready at(agent ? "agent" : "operator");
    Client client = greeted(at.driver);
    REQUIRE(client.send(wire::build<front::ClientMessage>([](auto root) {
      auto request = root.initRequest();
      request.setSerial(1);
      request.initAsk().setOutput("e1");
    })));
    expect_from_front(at.driver, [](ToBroker::Reader message) { CHECK(message.isForward()); });
    at.driver.send(output_answer(1, 1, 10), {file.get()});
    const std::vector<Fd> fds = expect_at_client(client, [](ServerMessage::Reader message) {
      CHECK(message.getAnswer().getOutput().getLength() == 10);
    });
    CHECK(fds.size() == (agent ? 0 : 1));
  }
}

TEST_CASE("front: bytes of output are read from the broker's descriptor, at most 256 KiB at once") {
  Fd file(::memfd_create("output", MFD_CLOEXEC));
  const Bytes content(300'000, 'o');
  REQUIRE(write_all(file.get(), content).ok());
  REQUIRE(write_all(file.get(), as_bytes("end")).ok());
  Ready at("agent");
  Client client = greeted(at.driver);
  const auto read_bytes = [&](std::uint64_t offset, std::uint32_t most) {
    REQUIRE(client.send(ask_output_bytes(1, offset, most)));
    expect_from_front(at.driver, [](ToBroker::Reader message) {
      const auto ask = message.getForward().getRequest().getAsk();
      REQUIRE(ask.isOutput());  // the broker never reads output for a client
      CHECK(wire::text(ask.getOutput()) == "e1");
    });
    at.driver.send(output_answer(1, 1, 300'003), {file.get()});
    Bytes got;
    const std::vector<Fd> fds = expect_at_client(client, [&](ServerMessage::Reader message) {
      REQUIRE(message.getAnswer().isOutputBytes());
      const auto bytes = message.getAnswer().getOutputBytes();
      CHECK(bytes.getOffset() == offset);
      CHECK(bytes.getLength() == 300'003);
      CHECK(bytes.getOver());
      got = wire::bytes(bytes.getBytes());
    });
    CHECK(fds.empty());
    return got;
  };
  CHECK(read_bytes(0, 5) == to_bytes("ooooo"));
  CHECK(read_bytes(299'999, 100) == to_bytes("oend"));
  CHECK(read_bytes(0, 0xFFFFFFFF).size() == limits::kOutputBytesAnswered);
  CHECK(read_bytes(300'003, 10).empty());
  CHECK(read_bytes(0xFFFFFFFFFFFFFFFF, 10).empty());
}

TEST_CASE(
    "front: more than 64 requests of one connection under way are refused, and room comes back") {
  Ready at;
  Client client = greeted(at.driver);
  for (std::uint32_t serial = 1; serial <= 65; ++serial) {
    REQUIRE(client.send(ask_status(serial)));
  }
  expect_refusal(client, 65, Reason::LIMIT);
  for (std::uint32_t serial = 1; serial <= 64; ++serial) {
    expect_from_front(at.driver, [](ToBroker::Reader message) { CHECK(message.isForward()); });
  }
  answer_done(at.driver, 1, 1);
  expect_at_client(client, [](ServerMessage::Reader m) { CHECK(m.getAnswer().isDone()); });
  REQUIRE(client.send(ask_status(66)));
  expect_from_front(at.driver, [](ToBroker::Reader message) { CHECK(message.isForward()); });
}

TEST_CASE("front: an agent that asks for changes too often is refused, other clients aren't") {
  Ready at("agent");
  Client client = greeted(at.driver);
  const Bytes note = operation([](auto root) { root.setNote("n"); });
  bool refused = false;
  for (std::uint32_t serial = 1; serial <= 130 && !refused; ++serial) {
    REQUIRE(client.send(act(serial, note)));
    if (auto packet = at.driver.receive(50ms);
        packet) {  // answered, so that it isn't the other limit
      answer_done(at.driver, 1, serial);
    }
    expect_at_client(client, [&](ServerMessage::Reader message) {
      if (message.getAnswer().isRefused()) {
        CHECK(message.getAnswer().getRefused().getReason() == Reason::LIMIT);
        CHECK(serial > limits::kAgentChangesBurst);
        refused = true;
      }
    });
  }
  CHECK(refused);
  Client other = greeted(at.driver);
  REQUIRE(other.send(act(1, note)));
  expect_from_front(at.driver, [](ToBroker::Reader message) {
    CHECK(message.getForward().getConnection() == 2);
  });
}

TEST_CASE("front: whatever the broker's side breaks ends the process") {
  const Bytes unset = wire::build<ToFront>([](auto root) { root.setUnset(); });
  const Bytes no_fd = wire::build<ToFront>([](auto root) { root.initAccepted().setConnection(9); });
  const Bytes unasked =
      wire::build<ToFront>([](auto root) { root.initWatching().setConnection(1); });
  for (const Bytes& message : {unset, no_fd, unasked, to_bytes("nonsense"), Bytes(8, 0xFF)}) {
    Ready at;
    Client client = greeted(at.driver);
    at.driver.send(message);
    CHECK(at.driver.wait_exit() == 1);
    CHECK(client.ends());
  }
}

TEST_CASE("front: ends with its broker, status 0") {
  Ready at;
  Client client = greeted(at.driver);
  at.driver.close_link();
  CHECK(at.driver.wait_exit() == 0);
  CHECK(client.ends());
}

TEST_CASE(
    "front: dropped by the broker, a client's connection ends and is said once to have ended") {
  Ready at;
  Client client = greeted(at.driver);
  Client other = greeted(at.driver);
  at.driver.send(wire::build<ToFront>([](auto root) { root.setDrop(1); }));
  CHECK(client.ends());
  expect_from_front(at.driver, [](ToBroker::Reader message) {
    REQUIRE(message.isClosed());
    CHECK(message.getClosed() == 1);
  });
  at.driver.send(wire::build<ToFront>([](auto root) { root.setDrop(1); }));
  CHECK_FALSE(at.driver.receive(100ms).has_value());
  REQUIRE(other.send(ask_status(1)));
  expect_from_front(at.driver, [](ToBroker::Reader message) { CHECK(message.isForward()); });
}

}  // namespace
}  // namespace rb::testing
