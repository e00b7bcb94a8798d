#include "broker/sessions.h"

#include <doctest/doctest.h>

namespace rb::brk {
namespace {

SessionPtr session(const std::string& id, const std::string& status = "running") {
  const SessionPtr out = std::make_shared<Session>();
  out->id = id;
  out->status = status;
  return out;
}

}  // namespace

TEST_CASE("sessions: found by id, by a unique prefix, or as the current one") {
  Sessions sessions;
  CHECK(sessions.find("").refusal.reason == front::Reason::NO_SESSION);
  sessions.add(session("20261130-163000-aaaa"));
  sessions.add(session("20261130-170000-bbbb"));
  CHECK(sessions.find("").session->id == "20261130-170000-bbbb");
  CHECK(sessions.find("20261130-16").session->id == "20261130-163000-aaaa");
  CHECK(sessions.find("2026").refusal.reason == front::Reason::AMBIGUOUS);
  CHECK(sessions.find("x").refusal.reason == front::Reason::UNKNOWN);
  sessions.all().at("20261130-170000-bbbb")->status = "ended";
  CHECK(sessions.find("").session->id == "20261130-163000-aaaa");
}

TEST_CASE("sessions: ids are times and four letters, and every name is a safe file name") {
  (void)seal::start();
  const std::string id = new_session_id(1'796'060'000'000);
  CHECK(id.size() == 20);
  CHECK(id.substr(8, 1) == "-");
  CHECK(file_safe(id) == id);
  CHECK(file_safe("../../etc/passwd") == "etc-passwd");
  CHECK(file_safe("-rf") == "rf");
  CHECK(file_safe("...") == "runbook");
  CHECK(file_safe(std::string(300, 'x')).size() == 64);
  CHECK(file_safe("a b\nc") == "a-b-c");
}

TEST_CASE("sessions: what still has to be recorded counts as running") {
  Session one;
  const auto execution = std::make_shared<Execution>();
  execution->run = 2;
  one.executions["e1"] = execution;
  CHECK(one.running() == 1);
  CHECK(one.running(1) == 0);
  execution->state = State::Over;
  CHECK(one.running(2) == 1);
  execution->settled = true;
  CHECK(one.running(2) == 0);
}

}  // namespace rb::brk
