// Events: numbered lines from the journal's files, hints beside them, slow clients among fast ones.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <thread>

#include "common/io.h"
#include "tests/integration/front/conversation.h"

namespace rb::testing {
namespace {

using broker::ToBroker;
using broker::ToFront;
using front::Reason;
using front::ServerMessage;

// A journal whose segments are memory files, told to a front as the broker would.
class Journal {
 public:
  explicit Journal(std::string session) : session_(std::move(session)) {}

  void open_segment() {
    segments_.push_back({Fd(::memfd_create("journal", MFD_CLOEXEC)), last_line_ + 1, 0});
  }
  void add(const std::string& line) {
    auto& last = segments_.back();
    REQUIRE(write_all(last.file.get(), as_bytes(line + "\n")).ok());
    last.length += line.size() + 1;
    ++last_line_;
  }
  // Bytes that aren't final: a line that is being written.
  void add_unfinished(const std::string& part) {
    REQUIRE(write_all(segments_.back().file.get(), as_bytes(part)).ok());
  }
  void tell_segment(const FrontDriver& driver, std::size_t i) const {
    driver.send(wire::build<ToFront>([&](auto root) {
                  auto journal = root.initJournal();
                  journal.setSession(wire::text(session_));
                  journal.setSegment(static_cast<std::uint32_t>(i + 1));
                  journal.setFirstLine(segments_[i].first_line);
                }),
                {segments_[i].file.get()});
  }
  void tell_growth(const FrontDriver& driver, std::size_t i) const {
    driver.send(wire::build<ToFront>([&](auto root) {
      auto grew = root.initGrew();
      grew.setSession(wire::text(session_));
      grew.setSegment(static_cast<std::uint32_t>(i + 1));
      grew.setLength(segments_[i].length);
      grew.setLastLine(i + 1 < segments_.size() ? segments_[i + 1].first_line - 1 : last_line_);
    }));
  }
  void tell_all(const FrontDriver& driver) const {
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      tell_segment(driver, i);
      tell_growth(driver, i);
    }
  }
  void tell_watching(const FrontDriver& driver, std::uint64_t connection) const {
    driver.send(wire::build<ToFront>([&](auto root) {
      auto watching = root.initWatching();
      watching.setConnection(connection);
      watching.setSession(wire::text(session_));
      watching.setLastLine(last_line_);
    }));
  }
  void tell_progress(const FrontDriver& driver, const std::string& execution,
                     std::uint64_t length) const {
    driver.send(wire::build<ToFront>([&](auto root) {
      auto progress = root.initProgress();
      progress.setSession(wire::text(session_));
      progress.setExecution(wire::text(execution));
      progress.setLength(length);
    }));
  }

 private:
  struct Segment {
    Fd file;
    std::uint64_t first_line;
    std::uint64_t length;
  };
  std::string session_;
  std::vector<Segment> segments_;
  std::uint64_t last_line_ = 0;
};

void expect_watch(const FrontDriver& driver, std::uint64_t connection, const std::string& session) {
  expect_from_front(driver, [&](ToBroker::Reader message) {
    REQUIRE(message.isWatch());
    CHECK(message.getWatch().getConnection() == connection);
    CHECK(wire::text(message.getWatch().getSession()) == session);
  });
}

void expect_event(Client& client, std::uint64_t number, const std::string& json) {
  expect_at_client(client, [&](ServerMessage::Reader message) {
    REQUIRE(message.isEvent());
    CHECK(message.getEvent().getNumber() == number);
    CHECK(wire::text(message.getEvent().getSession()) == "s1");
    CHECK(as_text(wire::bytes(message.getEvent().getJson())) == json);
  });
}

std::string line(std::uint64_t number) {
  return "{\"line\":" + std::to_string(number) + "}";
}

TEST_CASE("events: come from the wanted number on, over segments, then as the journal grows") {
  Ready at;
  Client client = greeted(at.driver);
  Journal journal("s1");
  journal.open_segment();
  journal.add(line(1));
  journal.add(line(2));
  journal.open_segment();
  journal.add(line(3));
  REQUIRE(client.send(subscribe("", 2, false)));
  expect_watch(at.driver, 1, "");
  journal.tell_all(at.driver);
  journal.tell_watching(at.driver, 1);
  expect_event(client, 2, line(2));
  expect_event(client, 3, line(3));
  journal.add(line(4));
  journal.add_unfinished("{\"line\":5");  // not final, not sent
  journal.tell_growth(at.driver, 1);
  expect_event(client, 4, line(4));
  CHECK_FALSE(client.receive(100ms).has_value());
  journal.open_segment();  // the sync of line 5 failed: it is written again in a new segment
  journal.tell_segment(at.driver, 2);
  journal.add(line(5));
  journal.tell_growth(at.driver, 2);
  expect_event(client, 5, line(5));
}

TEST_CASE("events: 0 means those yet to come, and a number beyond the last waits for it") {
  Ready at;
  Client now = greeted(at.driver);
  Client later = greeted(at.driver);
  Journal journal("s1");
  journal.open_segment();
  journal.add(line(1));
  REQUIRE(now.send(subscribe("s1", 0, false)));
  expect_watch(at.driver, 1, "s1");
  journal.tell_all(at.driver);
  journal.tell_watching(at.driver, 1);
  REQUIRE(later.send(subscribe("s1", 3, false)));
  expect_watch(at.driver, 2, "s1");
  journal.tell_all(at.driver);  // the broker tells a second time
  journal.tell_watching(at.driver, 2);
  journal.add(line(2));
  journal.tell_growth(at.driver, 0);
  journal.add(line(3));
  journal.tell_growth(at.driver, 0);
  expect_event(now, 2, line(2));
  expect_event(now, 3, line(3));
  expect_event(later, 3, line(3));
}

TEST_CASE("events: a line of 1 MiB comes whole") {
  Ready at;
  Client client = greeted(at.driver);
  Journal journal("s1");
  journal.open_segment();
  const std::string large(1'000'000, 'L');
  journal.add(line(1));
  journal.add(large);
  journal.add(line(3));
  REQUIRE(client.send(subscribe("s1", 1, false)));
  expect_watch(at.driver, 1, "s1");
  journal.tell_all(at.driver);
  journal.tell_watching(at.driver, 1);
  expect_event(client, 1, line(1));
  expect_event(client, 2, large);
  expect_event(client, 3, line(3));
}

TEST_CASE("events: an unknown session is refused under serial 0 and the connection goes on") {
  Ready at;
  Client client = greeted(at.driver);
  REQUIRE(client.send(subscribe("nope", 1, false)));
  expect_watch(at.driver, 1, "nope");
  at.driver.send(wire::build<ToFront>([](auto root) { root.initWatching().setConnection(1); }));
  expect_refusal(client, 0, Reason::NO_SESSION);
  REQUIRE(client.send(ask_status(1)));
  expect_from_front(at.driver, [](ToBroker::Reader message) { CHECK(message.isForward()); });
}

TEST_CASE("events: a later subscribe replaces an earlier one, also while that is under way") {
  Ready at;
  Client client = greeted(at.driver);
  Journal journal("s1");
  journal.open_segment();
  journal.add(line(1));
  REQUIRE(client.send(subscribe("a", 1, false)));
  REQUIRE(client.send(subscribe("b", 1, false)));
  REQUIRE(client.send(subscribe("s1", 1, false)));
  expect_watch(at.driver, 1, "a");
  CHECK_FALSE(at.driver.receive(100ms).has_value());  // one at a time
  at.driver.send(wire::build<ToFront>([](auto root) {
    auto watching = root.initWatching();
    watching.setConnection(1);
    watching.setSession("a");
  }));
  expect_from_front(at.driver, [](ToBroker::Reader message) { CHECK(message.isUnwatch()); });
  expect_watch(at.driver, 1, "s1");
  journal.tell_all(at.driver);
  journal.tell_watching(at.driver, 1);
  expect_event(client, 1, line(1));
  REQUIRE(client.send(wire::build<front::ClientMessage>([](auto root) { root.setUnsubscribe(); })));
  expect_from_front(at.driver, [](ToBroker::Reader message) { CHECK(message.isUnwatch()); });
  journal.add(line(2));
  journal.tell_growth(at.driver, 0);  // on its way: nobody watches any more
  CHECK_FALSE(client.receive(100ms).has_value());
  CHECK(at.driver.alive());
}

TEST_CASE("events: hints reach who wants them, the latest of each execution") {
  Ready at;
  Client with = greeted(at.driver);
  Client without = greeted(at.driver);
  Journal journal("s1");
  journal.open_segment();
  journal.add(line(1));
  for (std::uint64_t i = 1; i <= 2; ++i) {
    REQUIRE((i == 1 ? with : without).send(subscribe("s1", 0, i == 1)));
    expect_watch(at.driver, i, "s1");
    journal.tell_all(at.driver);
    journal.tell_watching(at.driver, i);
  }
  for (std::uint64_t length = 1; length <= 5000; ++length) {
    journal.tell_progress(at.driver, "e1", length);
  }
  std::uint64_t last = 0;
  int hints = 0;
  while (last < 5000) {
    expect_at_client(with, [&](ServerMessage::Reader message) {
      REQUIRE(message.isProgress());
      REQUIRE(message.getProgress().getLength() > last);
      last = message.getProgress().getLength();
      ++hints;
    });
  }
  MESSAGE("5000 hints of the broker became " << hints);
  CHECK(hints < 2500);
  CHECK_FALSE(without.receive(50ms).has_value());
}

TEST_CASE("events: a journal that contradicts the broker ends the front, never shows half a line") {
  for (const int how : {1, 2, 3}) {
    Ready at;
    Client client = greeted(at.driver);
    Journal journal("s1");
    journal.open_segment();
    journal.add(line(1));
    if (how == 1) {
      journal.add_unfinished("half");
    }
    REQUIRE(client.send(subscribe("s1", 1, false)));
    expect_watch(at.driver, 1, "s1");
    journal.tell_segment(at.driver, 0);
    at.driver.send(wire::build<ToFront>([&](auto root) {
      auto grew = root.initGrew();
      grew.setSession("s1");
      grew.setSegment(how == 3 ? 7 : 1);
      grew.setLength(how == 1 ? 14 : 1'000'000);
      grew.setLastLine(9);
    }));
    journal.tell_watching(at.driver, 1);
    CHECK(at.driver.wait_exit() == 1);
    while (const auto got = client.receive(0ms)) {
      const Status read = wire::read<ServerMessage>(got->message, 32, [](ServerMessage::Reader m) {
        CHECK(as_text(wire::bytes(m.getEvent().getJson())) == line(1));
        return done();
      });
      CHECK(read.ok());
    }
  }
}

TEST_CASE("events: one that reads nothing is cut after 5 s, costs little, and holds nobody up") {
  Ready at;
  const pid_t inner = at.driver.inner();
  std::vector<Client> clients;
  Journal journal("s1");
  journal.open_segment();
  constexpr std::uint64_t kLines = 20'000;
  const std::string body(1000, 'x');
  for (std::uint64_t i = 0; i < kLines; ++i) {
    journal.add(body);
  }
  for (std::uint64_t i = 1; i <= 6; ++i) {
    clients.push_back(greeted(at.driver));
    REQUIRE(clients.back().send(subscribe("s1", 1, true)));
    expect_watch(at.driver, i, "s1");
  }
  const std::size_t before = resident_kib(inner);
  const auto start = std::chrono::steady_clock::now();
  journal.tell_all(at.driver);
  for (std::uint64_t i = 1; i <= 6; ++i) {
    journal.tell_watching(at.driver, i);
  }
  std::vector<std::thread> readers;
  std::map<std::size_t, std::uint64_t> got;
  for (std::size_t i = 1; i < 6; ++i) {
    got[i] = 0;
  }
  for (std::size_t i = 1; i < 6; ++i) {
    readers.emplace_back([&, i] {
      while (got.at(i) < kLines && clients[i].receive(5s)) {
        ++got.at(i);
      }
    });
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
  const auto read_in = std::chrono::steady_clock::now() - start;
  for (std::size_t i = 1; i < 6; ++i) {
    CHECK(got.at(i) == kLines);
  }
  CHECK(read_in < 4s);
  const std::size_t after = resident_kib(inner);
  MESSAGE("5 of 6 read 20 MB each in "
          << std::chrono::duration_cast<std::chrono::milliseconds>(read_in).count()
          << " ms, the front grew by " << after - before << " KiB");
  CHECK(after < before + 8 * 1024);
  for (std::uint64_t length = 1; length <= 2000; ++length) {
    journal.tell_progress(at.driver, "e" + std::to_string(length), length);  // kept: the latest few
  }
  std::this_thread::sleep_for(6s - (std::chrono::steady_clock::now() - start));
  CHECK(clients[0].ends(1s));
  expect_from_front(at.driver, [](ToBroker::Reader message) {
    REQUIRE(message.isClosed());
    CHECK(message.getClosed() == 1);
  });
  CHECK(resident_kib(inner) < before + 8 * 1024);
  CHECK(at.driver.alive());
}

TEST_CASE("events: a client that reads slowly but reads gets every line") {
  Ready at;
  Client client = greeted(at.driver);
  Journal journal("s1");
  journal.open_segment();
  const std::string body(50'000, 'x');
  for (int i = 0; i < 60; ++i) {
    journal.add(body);
  }
  REQUIRE(client.send(subscribe("s1", 1, false)));
  expect_watch(at.driver, 1, "s1");
  journal.tell_all(at.driver);
  journal.tell_watching(at.driver, 1);
  for (std::uint64_t number = 1; number <= 60; ++number) {
    if (number % 10 == 0) {
      std::this_thread::sleep_for(200ms);
    }
    expect_event(client, number, body);
  }
}

}  // namespace
}  // namespace rb::testing
