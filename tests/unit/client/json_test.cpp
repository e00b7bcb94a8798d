#include "client/lib/json.h"

#include <doctest/doctest.h>

#include "client/lib/events.h"

using namespace rb;
using client::Json;

TEST_CASE("json: values come back as they were") {
  const auto parsed =
      Json::parse(R"({"a":"t\u00e9","n":-5,"b":true,"x":null,"f":1.5,"l":[1,"2"]})");
  REQUIRE(parsed.ok());
  CHECK(parsed->text("a") == "té");
  CHECK(parsed->integer("n") == -5);
  CHECK(parsed->boolean("b"));
  CHECK(parsed->text("n", "none") == "none");
  CHECK(parsed->find("l")->items().size() == 2);
  CHECK(parsed->find("missing") == nullptr);
}

TEST_CASE("json: an input keeps a text's letters and spells the rest as JSON") {
  const auto parsed = Json::parse(R"({"s":"a \"b\"","n":3,"l":["x",1],"m":{"k":"v"},"t":true})");
  REQUIRE(parsed.ok());
  CHECK(parsed->find("s")->as_input() == "a \"b\"");
  CHECK(parsed->find("n")->as_input() == "3");
  CHECK(parsed->find("l")->as_input() == R"(["x",1])");
  CHECK(parsed->find("m")->as_input() == R"({"k":"v"})");
  CHECK(parsed->find("t")->as_input() == "true");
}

TEST_CASE("json: a key that stands twice keeps its last value") {
  const auto parsed = Json::parse(R"({"type":"a","type":"b"})");
  REQUIRE(parsed.ok());
  CHECK(parsed->text("type") == "b");
}

TEST_CASE("json: malformed and too deep texts are errors, not crashes") {
  for (const char* wrong :
       {"", "{", "{\"a\":}", "nul", "{\"a\":1}x", "\"\\ud800\"", "1e999", "\xff"}) {
    CHECK_FALSE(Json::parse(wrong).ok());
  }
  CHECK_FALSE(Json::parse(std::string(1'000'000, '[')).ok());
  CHECK(Json::parse(std::string(60, '[') + std::string(60, ']')).ok());
  CHECK(Json::parse(R"(["[[[[\"]]]]"])").ok());
}

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
