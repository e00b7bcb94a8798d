#include "client/lib/events.h"

#include <doctest/doctest.h>

using namespace rb;

TEST_CASE("events: a finished line says how it ended") {
  const auto event = client::parse_event(
      R"({"line":12,"at":"2026-11-30T16:20:33.123Z","type":"finished","execution":"e1","outcome":"failed","exit":3,"signal":0,"duration_ms":1500,"output_bytes":42})");
  REQUIRE(event.ok());
  CHECK(event->number == 12);
  const client::Ended ended = client::ended_from(*event);
  CHECK(ended.outcome == client::Outcome::FAILED);
  CHECK(ended.exit == 3);
  CHECK(ended.output_bytes == 42);
  CHECK(client::ending_text(ended) == "failed  exit 3");
  CHECK(client::exit_status(ended, false) == 3);
}

TEST_CASE("events: exit statuses follow the outcome") {
  client::Ended ended;
  ended.outcome = client::Outcome::PASSED;
  CHECK(client::exit_status(ended, false) == 0);
  ended.outcome = client::Outcome::FAILED;
  ended.exit = -1;
  ended.signal = 9;
  CHECK(client::exit_status(ended, false) == 137);
  CHECK(client::ending_text(ended) == "failed  signal KILL");
  ended.signal = 0;
  ended.exit = 0;  // a limit ended it
  CHECK(client::exit_status(ended, false) == 1);
  ended.outcome = client::Outcome::TIMEOUT;
  CHECK(client::exit_status(ended, false) == 124);
  ended.outcome = client::Outcome::STOPPED;
  CHECK(client::exit_status(ended, true) == 130);
  CHECK(client::exit_status(ended, false) == 143);
  for (const auto bad : {client::Outcome::ERROR, client::Outcome::INTERRUPTED,
                         client::Outcome::LOST, client::Outcome::UNSET}) {
    ended.outcome = bad;
    CHECK(client::exit_status(ended, false) == 125);
  }
  ended.outcome = client::Outcome::CANCELLED;
  CHECK(client::exit_status(ended, false) == 126);
}

TEST_CASE("events: a hostile line can't break out of its line") {
  const auto event = client::parse_event(
      "{\"line\":1,\"at\":\"\\u001b[2J\",\"type\":\"note\\n\\u202e\",\"text\":\"a\\u001b]0;"
      "x\\u0007\"}");
  REQUIRE(event.ok());
  const std::string text = client::event_text(*event);
  CHECK(text.find('\n') == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}
