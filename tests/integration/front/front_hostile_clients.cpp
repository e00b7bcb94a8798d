// Clients that want to break the front, one test a row of the table of what parsers and servers of
// this kind have died of. Each time: the client is let go, memory stays flat, others are served.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "common/descriptors.h"
#include "common/io.h"
#include "tests/integration/front/conversation.h"

namespace rb::testing {
namespace {

using broker::ToBroker;
using broker::ToFront;
using front::Reason;
using front::ServerMessage;

constexpr std::size_t kFlatKib = 8 * 1024;

Bytes head(std::uint32_t length, std::uint32_t descriptors) {
  Bytes out(8);
  std::memcpy(out.data(), &length, 4);
  std::memcpy(out.data() + 4, &descriptors, 4);
  return out;
}

Bytes framed(const Bytes& message) {
  Bytes out = head(static_cast<std::uint32_t>(message.size()), 0);
  out.insert(out.end(), message.begin(), message.end());
  return out;
}

// Words of a message, for what no builder makes.
class Words {
 public:
  std::size_t add(std::uint64_t word = 0) {
    words_.push_back(word);
    return words_.size() - 1;
  }
  // At `where`: a pointer to a struct of these sizes at word `to`.
  void point_struct(std::size_t where, std::size_t to, std::uint64_t data, std::uint64_t pointers) {
    const std::uint64_t offset = (to - where - 1) & 0x3FFFFFFF;
    words_[where] = offset << 2 | data << 32 | pointers << 48;
  }
  // To a list of `count` pointers.
  void point_list(std::size_t where, std::size_t to, std::uint64_t count) {
    const std::uint64_t offset = (to - where - 1) & 0x3FFFFFFF;
    words_[where] = 1 | offset << 2 | std::uint64_t{6} << 32 | count << 35;
  }
  [[nodiscard]] Bytes message() const {
    Bytes out(8 + words_.size() * 8);
    const auto size = static_cast<std::uint32_t>(words_.size());
    std::memcpy(out.data() + 4, &size, 4);
    std::memcpy(out.data() + 8, words_.data(), words_.size() * 8);
    return out;
  }
  // A request (serial 1, asking for the status) with a pointer the schema doesn't know: its place.
  std::size_t request_with_foreign_pointer() {
    const std::size_t root = add();
    const std::size_t message = add(2);  // ClientMessage.request
    add();                               // its one pointer
    point_struct(root, message, 1, 1);
    const std::size_t request = add(std::uint64_t{1} | std::uint64_t{2} << 32);  // serial, ask
    const std::size_t ask = add();
    const std::size_t foreign = add();
    point_struct(message + 1, request, 1, 2);
    const std::size_t query = add(2);  // Query.status
    add();
    add();
    point_struct(ask, query, 1, 2);
    return foreign;
  }

 private:
  std::vector<std::uint64_t> words_;
};

// What a client is told when it is let go never says what it sent.
void expect_let_go(Client& client, std::chrono::milliseconds within = 5s) {
  while (const auto got = client.receive(within)) {
    const Status read = wire::read<ServerMessage>(got->message, 32, [](ServerMessage::Reader m) {
      if (m.isBye()) {
        const std::string text = wire::text(m.getBye().getText());
        CHECK(text.find_first_of("0123456789") == std::string::npos);
        CHECK(text.find("kj/") == std::string::npos);
        CHECK(text.find("capnp") == std::string::npos);
      }
      return done();
    });
    CHECK(read.ok());
  }
  CHECK(client.ends(0ms));
}

void expect_served(FrontDriver& driver) {
  Client client = greeted(driver);
  REQUIRE(client.send(ask_status(1)));
  for (;;) {
    bool forwarded = false;
    expect_from_front(driver, [&](ToBroker::Reader message) {
      forwarded =
          message.isForward() && message.getForward().getConnection() == driver.connections();
    });
    if (forwarded) {
      return;
    }
  }
}

TEST_CASE("hostile client: garbage of every kind is let go at once and others are served") {
  Ready at;
  const std::size_t before = resident_kib(at.driver.inner());
  const Bytes segments = [] {  // 512 segments
    Bytes out(4 + 4 * 513, 0);
    out[0] = 0xFF;
    out[1] = 0x01;
    out.resize(out.size() / 8 * 8 + 8);
    return out;
  }();
  const std::vector<Bytes> all = {
      Bytes(4, 0xFF),
      Bytes(64, 0xFF),
      framed(Bytes{0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0}),
      framed(segments),
      framed(Bytes(64, 0)),  // the schema's default: unset
      framed(Bytes(7, 1)),   // no whole word
      head(0, 0),            // an empty message
      head(64U << 20, 0),    // over the limit
      head(16, limits::kDescriptorsPerClientMessage + 1),
      framed(to_bytes("GET / HTTP/1.1\r\n")),  // 16 bytes of another protocol
      to_bytes("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
  };
  for (const Bytes& bytes : all) {
    for (const bool before_hello : {true, false}) {
      Client client = before_hello ? at.driver.connect() : greeted(at.driver);
      REQUIRE(client.send_raw(bytes));
      if (bytes.size() == 4) {
        ::shutdown(client.fd(), SHUT_WR);  // not a whole head: only its end says so
      }
      expect_let_go(client);
    }
  }
  expect_served(at.driver);
  CHECK(resident_kib(at.driver.inner()) < before + kFlatKib);
}

TEST_CASE("hostile client: nesting and pointers that multiply are refused without being followed") {
  Ready at;
  expect_served(at.driver);
  const std::size_t before = resident_kib(at.driver.inner());
  Words deep;
  std::size_t at_pointer = deep.request_with_foreign_pointer();
  for (int i = 0; i < 10'000; ++i) {
    const std::size_t next = deep.add();
    deep.point_list(at_pointer, next, 1);
    at_pointer = next;
  }
  Words wide;  // 4,000 pointers to one list of 2,000 words: 64 MB when it is copied out
  const std::size_t foreign = wide.request_with_foreign_pointer();
  const std::size_t pointers = wide.add();
  for (int i = 1; i < 4000; ++i) {
    wide.add();
  }
  wide.point_list(foreign, pointers, 4000);
  const std::size_t target = wide.add();
  for (int i = 1; i < 2000; ++i) {
    wide.add();
  }
  for (std::size_t i = 0; i < 4000; ++i) {
    wide.point_list(pointers + i, target, 2000);
  }
  Words loop;  // a list that holds itself
  const std::size_t start = loop.request_with_foreign_pointer();
  const std::size_t self = loop.add();
  loop.point_list(start, self, 1);
  loop.point_list(self, self, 1);
  for (const Words* words : {&deep, &wide, &loop}) {
    Client client = greeted(at.driver);
    const auto then = std::chrono::steady_clock::now();
    REQUIRE(client.send_raw(framed(words->message())));
    expect_let_go(client);
    CHECK(std::chrono::steady_clock::now() - then < 1s);
  }
  Words harmless;  // the same shape, small: what is foreign is carried along, not judged
  const std::size_t little = harmless.request_with_foreign_pointer();
  harmless.point_list(little, harmless.add(), 1);
  Client client = greeted(at.driver);
  REQUIRE(client.send_raw(framed(harmless.message())));
  for (bool forwarded = false; !forwarded;) {
    expect_from_front(at.driver, [&](ToBroker::Reader m) { forwarded = m.isForward(); });
  }
  expect_served(at.driver);
  CHECK(resident_kib(at.driver.inner()) < before + kFlatKib);
}

TEST_CASE("hostile client: a hundred that claim 1 MiB and send 8 bytes take no memory") {
  Ready at;
  expect_served(at.driver);
  const std::size_t before = resident_kib(at.driver.inner());
  std::vector<Client> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(at.driver.connect());
    REQUIRE(clients.back().send_raw(head(1U << 20, 0)));
    REQUIRE(clients.back().send_raw(Bytes(8, 0)));
  }
  expect_served(at.driver);
  const std::size_t after = resident_kib(at.driver.inner());
  MESSAGE("100 clients that claim 1 MiB each: " << after - before << " KiB");
  CHECK(after < before + 1024);
}

TEST_CASE("hostile client: a flood whose answers are never read keeps memory flat and is cut") {
  Ready at;
  expect_served(at.driver);
  const pid_t inner = at.driver.inner();
  const std::size_t before = resident_kib(inner);
  Client flood = greeted(at.driver);
  ::fcntl(flood.fd(), F_SETFL, O_NONBLOCK);
  Bytes many;  // requests that the front itself refuses, so that no broker slows them
  for (int i = 0; i < 200; ++i) {
    const Bytes one = framed(act(1, operation([](auto root) { root.setNote(""); })));
    many.insert(many.end(), one.begin(), one.end());
  }
  const auto until = std::chrono::steady_clock::now() + 4s;
  std::size_t sent = 0;
  std::size_t peak = before;
  while (std::chrono::steady_clock::now() < until) {
    const ssize_t now = ::send(flood.fd(), many.data(), many.size(), MSG_NOSIGNAL);
    if (now > 0) {
      sent += static_cast<std::size_t>(now);
    } else {
      std::this_thread::sleep_for(5ms);
    }
    peak = std::max(peak, resident_kib(inner));
  }
  MESSAGE("flood took " << sent / 1024 << " KiB from its client, front grew by " << peak - before
                        << " KiB");
  CHECK(peak < before + kFlatKib);
  expect_served(at.driver);
  std::this_thread::sleep_for(2s);
  Bytes rest(1 << 20);
  ssize_t got = 1;
  while (got > 0) {
    got = ::recv(flood.fd(), rest.data(), rest.size(), 0);
  }
  CHECK((got == 0 || errno == ECONNRESET));
}

TEST_CASE(
    "hostile client: requests the broker doesn't answer are bounded by connection and in all") {
  Ready at;
  expect_served(at.driver);
  const std::size_t before = resident_kib(at.driver.inner());
  std::vector<Client> clients;
  for (int i = 0; i < 40; ++i) {  // 2,560 requests, which the broker doesn't even take
    clients.push_back(greeted(at.driver));
    for (std::uint32_t serial = 1; serial <= 64; ++serial) {
      REQUIRE(clients.back().send(ask_status(serial)));
    }
  }
  std::this_thread::sleep_for(200ms);
  CHECK(at.driver.alive());
  CHECK(resident_kib(at.driver.inner()) < before + kFlatKib);
  std::size_t forwarded = 0;
  while (at.driver.receive(100ms)) {
    ++forwarded;
  }
  MESSAGE(forwarded << " of 2560 requests reached a broker that took none for a while");
  CHECK(forwarded >= 512);
  expect_refusal(clients.back(), 1, Reason::LIMIT);
  expect_served(at.driver);
}

TEST_CASE(
    "hostile client: 256 that never say hello are let go after 10 s; more are told so at once") {
  Ready at;
  std::vector<Client> clients;
  for (int i = 0; i < 256; ++i) {
    clients.push_back(at.driver.connect());
  }
  Client dripping = std::move(clients.back());
  const Bytes whole = framed(ask_status(1));
  Client more = at.driver.connect();
  const auto got = more.receive();
  REQUIRE(got.has_value());
  const Status read = wire::read<ServerMessage>(got->message, 32, [](ServerMessage::Reader m) {
    CHECK(m.getBye().getReason() == Reason::LIMIT);
    return done();
  });
  CHECK(read.ok());
  CHECK(more.ends());
  for (std::size_t i = 0; i < 11; ++i) {  // a byte a second is no hello
    (void)dripping.send_raw(Bytes{whole[i]});
    std::this_thread::sleep_for(1s);
  }
  std::size_t over = 0;
  for (std::size_t i = 0; i + 1 < clients.size(); ++i) {
    over += clients[i].ends(100ms) ? 1 : 0;
  }
  CHECK(over == 255);
  CHECK(dripping.ends(100ms));
  expect_served(at.driver);
}

TEST_CASE("hostile client: a frame that comes byte by byte is cut 10 s after its first") {
  Ready at;
  Client client = greeted(at.driver);
  const Bytes whole = framed(ask_status(1));
  const auto then = std::chrono::steady_clock::now();
  bool over = false;
  for (std::size_t i = 0; i < whole.size() - 1 && !over; ++i) {
    over = !client.send_raw(Bytes{whole[i]}) || client.ends(500ms);
  }
  CHECK(over);
  const auto took = std::chrono::steady_clock::now() - then;
  CHECK(took > 9s);
  CHECK(took < 12s);
  Client patient = greeted(at.driver);  // slow, but in time
  for (const std::uint8_t byte : whole) {
    REQUIRE(patient.send_raw(Bytes{byte}));
    std::this_thread::sleep_for(10ms);
  }
  for (bool forwarded = false; !forwarded;) {
    expect_from_front(at.driver, [&](ToBroker::Reader m) { forwarded = m.isForward(); });
  }
}

TEST_CASE("hostile client: descriptors where none belong end the connection, none stays open") {
  Ready at;
  std::array<int, 2> pipe_ends{};
  REQUIRE(::pipe2(pipe_ends.data(), O_CLOEXEC) == 0);
  Fd reading(pipe_ends[0]);
  Fd writing(pipe_ends[1]);
  const Bytes note = operation([](auto root) { root.setNote("n"); });
  const Bytes open = operation([](auto root) { root.initOpen(); });
  struct Attempt {
    Bytes message;
    std::size_t count;
  };
  for (const Attempt& attempt : {Attempt{ask_status(1), 1}, Attempt{act(1, note), 1},
                                 Attempt{act(1, open), 2}, Attempt{subscribe("", 0, false), 1},
                                 Attempt{ask_status(1), 3}, Attempt{ask_status(1), 16}}) {
    Client client = greeted(at.driver);
    REQUIRE(client.send(attempt.message, std::vector<int>(attempt.count, writing.get())));
    expect_let_go(client);
  }
  Client half = greeted(at.driver);  // descriptors with a frame that never ends
  Bytes part = head(64, 2);
  const iovec one{part.data(), part.size()};
  REQUIRE(send_with(half.fd(), {&one, 1}, {writing.get(), writing.get()}) == 8);
  half.close();
  expect_served(at.driver);
  writing.reset();  // the last one, unless the front kept some
  char byte = 0;
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);
  CHECK(::read(reading.get(), &byte, 1) == 0);
}

TEST_CASE("hostile client: what isn't due ends the connection") {
  Ready at;
  Client before = at.driver.connect();
  REQUIRE(before.send(ask_status(1)));
  expect_let_go(before);
  Client twice = greeted(at.driver);
  REQUIRE(twice.hello());
  expect_let_go(twice);
  Client unset = greeted(at.driver);
  REQUIRE(unset.send(wire::build<front::ClientMessage>([](auto root) {
    root.initRequest().setSerial(3);  // neither act nor ask
  })));
  expect_let_go(unset);
  Client zero = greeted(at.driver);
  REQUIRE(zero.send(ask_status(0)));
  expect_let_go(zero);
  Client same = greeted(at.driver);
  REQUIRE(same.send(ask_status(1)));
  REQUIRE(same.send(ask_status(1)));
  expect_let_go(same);
  Client nested = greeted(at.driver);
  REQUIRE(nested.send(act(1, Bytes(64, 0xFF))));  // an operation that is none
  expect_let_go(nested);
  Client named = at.driver.connect();
  REQUIRE(named.hello("a\nb"));
  Client long_named = at.driver.connect();
  REQUIRE(long_named.hello(std::string(65, 'n')));
  CHECK(named.ends());
  CHECK(long_named.ends());
  expect_served(at.driver);
}

TEST_CASE("hostile client: 2,000 that come and go leave nothing behind") {
  Ready at;
  expect_served(at.driver);
  const std::size_t before = resident_kib(at.driver.inner());
  for (int i = 0; i < 2000; ++i) {
    Client client = at.driver.connect();
    client.close();
    if (i % 100 == 0) {
      expect_served(at.driver);
    }
  }
  expect_served(at.driver);
  CHECK(resident_kib(at.driver.inner()) < before + 2048);
}

TEST_CASE("hostile client: large answers nobody reads come out of one budget") {
  Ready at;
  expect_served(at.driver);
  const std::size_t before = resident_kib(at.driver.inner());
  std::vector<Client> clients;
  const std::string text(4 << 20, 't');
  for (int i = 0; i < 40; ++i) {
    clients.push_back(greeted(at.driver));
    const std::uint64_t id = at.driver.connections();
    for (std::uint32_t serial = 1; serial <= 3; ++serial) {
      REQUIRE(clients.back().send(ask_status(serial)));
    }
    for (std::uint32_t serial = 1; serial <= 3; ++serial) {
      for (bool forwarded = false; !forwarded;) {
        expect_from_front(at.driver, [&](ToBroker::Reader m) { forwarded = m.isForward(); });
      }
    }
    for (std::uint32_t serial = 1; serial <= 3; ++serial) {
      at.driver.send(wire::build<ToFront>([&](auto root) {
        auto answered = root.initAnswer();
        answered.setConnection(id);
        auto answer = answered.initAnswer();
        answer.setSerial(serial);
        answer.initStatus().setStateFolder(wire::text(text));
      }));
    }
  }
  std::this_thread::sleep_for(100ms);
  const std::size_t after = resident_kib(at.driver.inner());
  MESSAGE("480 MiB of answers nobody reads: the front holds " << (after - before) / 1024 << " MiB");
  CHECK(after < before + 120 * 1024);
  CHECK(at.driver.alive());
  expect_served(at.driver);
}

}  // namespace
}  // namespace rb::testing
