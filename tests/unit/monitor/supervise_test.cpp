#include "broker/monitor/supervise.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace rb::mon {
namespace {

constexpr State kAll[] = {State::Empty,   State::Building, State::Promised, State::Ready,
                          State::Running, State::Stopping, State::Killed,   State::Over};
constexpr Event kEvery[] = {Event::Launch,      Event::Go,          Event::Stop,
                            Event::StopNow,     Event::Acknowledge, Event::Built,
                            Event::BuildFailed, Event::GraceOver,   Event::TreeGone,
                            Event::NeverGone,   Event::LinkLost};

bool has_run(State state) {
  return state == State::Running || state == State::Stopping || state == State::Killed;
}

}  // namespace

TEST_CASE("supervise: nothing is released without go, and nothing twice") {
  for (const State state : kAll) {
    for (const Event event : kEvery) {
      const Cell cell = decide_cell(state, event);
      const bool may = (state == State::Ready || state == State::Building) && event == Event::Go;
      CHECK((cell.act == Act::Release) == may);
      if (has_run(cell.next) || cell.next == State::Promised) {
        CHECK((has_run(state) || state == State::Promised || may));
      }
    }
  }
}

TEST_CASE("supervise: a lost link before go ends everything, after go nothing") {
  for (const State state : kAll) {
    const Cell cell = decide_cell(state, Event::LinkLost);
    const bool keeps = has_run(state) || state == State::Promised;
    CHECK((cell.act == Act::Nothing) == keeps);
    CHECK((cell.act == Act::Leave) == !keeps);
  }
}

TEST_CASE("supervise: each message is permitted exactly where it is listed") {
  const std::map<Event, std::string> permitted{{Event::Launch, "1000 0000"},
                                               {Event::Go, "0101 0000"},
                                               {Event::Stop, "0111 1111"},
                                               {Event::StopNow, "0111 1111"},
                                               {Event::Acknowledge, "0000 0001"}};
  for (const auto& [event, where] : permitted) {
    std::string found;
    for (const State state : kAll) {
      if (state == State::Running) {
        found += ' ';
      }
      found += decide_cell(state, event).act == Act::Breach ? '0' : '1';
    }
    CHECK(found == where);
  }
}

TEST_CASE("supervise: a tree that ran is finished once, one that didn't is told as failed") {
  for (const State state : kAll) {
    const Act act = decide_cell(state, Event::TreeGone).act;
    CHECK((act == Act::Finish) == has_run(state));
    const bool building =
        state == State::Building || state == State::Promised || state == State::Ready;
    CHECK((act == Act::TellFailed) == building);
  }
}

TEST_CASE("supervise: what never goes is finished where it ran, and nowhere else") {
  for (const State state : kAll) {
    const Cell cell = decide_cell(state, Event::NeverGone);
    CHECK((cell.act == Act::Finish) == has_run(state));
    CHECK(cell.next == (has_run(state) ? State::Over : state));
  }
}

TEST_CASE("supervise: every way out of running leads over stopping or killing to over") {
  CHECK(decide_cell(State::Running, Event::Stop).next == State::Stopping);
  CHECK(decide_cell(State::Stopping, Event::Stop).next == State::Stopping);
  CHECK(decide_cell(State::Stopping, Event::GraceOver).act == Act::Kill);
  CHECK(decide_cell(State::Stopping, Event::StopNow).act == Act::Kill);
  CHECK(decide_cell(State::Killed, Event::StopNow).act == Act::Nothing);
}

}  // namespace rb::mon
