// supervise.h — what a monitor may do when.   [TRUSTED: monitor]
// One constexpr table: state × event → action and next state. Pure, so every cell is tested. Breach
// is a message that isn't permitted now: its link ends.
// Source: DESIGN §3; docs/ARCHITECTURE.md §Execution.
#pragma once

#include <cstdint>

namespace rb::mon {

enum class State : std::uint8_t {
  Empty,     // waits for a Launch
  Building,  // the sandbox is being built
  Promised,  // being built, and `go` has been passed on: the script execs as soon as it can
  Ready,     // waits for `go`
  Running,   // the interpreter runs, or is about to
  Stopping,  // TERM was sent; the grace runs
  Killed,    // KILL was sent; waits for the tree to be gone
  Over       // the outcome is durable, or nothing was executed
};

enum class Event : std::uint8_t {
  Launch,       // message
  Go,           // message
  Stop,         // message with a grace, time limit, output limit, signal to us
  StopNow,      // message without a grace
  Acknowledge,  // message, the last of them
  Built,        // everything but exec is done
  BuildFailed,
  GraceOver,
  TreeGone,   // the first process of the execution was reaped
  NeverGone,  // it wasn't, long after it should have been
  LinkLost    // the broker's end is closed
};

enum class Act : std::uint8_t {
  Nothing,
  Breach,
  Build,
  TellReady,
  Release,     // the script's process may exec once it is prepared
  TellFailed,  // setupFailed; nothing was executed
  Abandon,     // end what is being built; nothing was executed
  Terminate,
  Kill,
  Finish,  // drain, write the outcome, report
  Leave
};

struct Rule {
  State state;
  Event event;
  Act act;
  State next;
};
// What isn't here changes nothing; where it is a message, it is a breach.
inline constexpr Rule kRules[] = {
    {State::Empty, Event::Launch, Act::Build, State::Building},
    {State::Empty, Event::LinkLost, Act::Leave, State::Over},
    {State::Building, Event::Go, Act::Release, State::Promised},
    {State::Building, Event::Stop, Act::Abandon, State::Over},
    {State::Building, Event::StopNow, Act::Abandon, State::Over},
    {State::Building, Event::Built, Act::TellReady, State::Ready},
    {State::Building, Event::BuildFailed, Act::TellFailed, State::Over},
    {State::Building, Event::TreeGone, Act::TellFailed, State::Over},
    {State::Building, Event::LinkLost, Act::Leave, State::Over},
    {State::Promised, Event::Stop, Act::Kill, State::Killed},  // whether it runs already is unknown
    {State::Promised, Event::StopNow, Act::Kill, State::Killed},
    {State::Promised, Event::Built, Act::TellReady, State::Running},
    {State::Promised, Event::BuildFailed, Act::TellFailed, State::Over},
    {State::Promised, Event::TreeGone, Act::TellFailed, State::Over},
    {State::Ready, Event::Go, Act::Release, State::Running},
    {State::Ready, Event::Stop, Act::Abandon, State::Over},
    {State::Ready, Event::StopNow, Act::Abandon, State::Over},
    {State::Ready, Event::BuildFailed, Act::TellFailed, State::Over},
    {State::Ready, Event::TreeGone, Act::TellFailed, State::Over},
    {State::Ready, Event::LinkLost, Act::Leave, State::Over},
    {State::Running, Event::Stop, Act::Terminate, State::Stopping},
    {State::Running, Event::StopNow, Act::Kill, State::Killed},
    {State::Running, Event::TreeGone, Act::Finish, State::Over},
    {State::Running, Event::NeverGone, Act::Finish, State::Over},
    {State::Stopping, Event::Stop, Act::Nothing, State::Stopping},
    {State::Stopping, Event::StopNow, Act::Kill, State::Killed},
    {State::Stopping, Event::GraceOver, Act::Kill, State::Killed},
    {State::Stopping, Event::TreeGone, Act::Finish, State::Over},
    {State::Stopping, Event::NeverGone, Act::Finish, State::Over},
    {State::Killed, Event::Stop, Act::Nothing, State::Killed},
    {State::Killed, Event::StopNow, Act::Nothing, State::Killed},
    {State::Killed, Event::TreeGone, Act::Finish, State::Over},
    {State::Killed, Event::NeverGone, Act::Finish, State::Over},
    {State::Over, Event::Stop, Act::Nothing, State::Over},
    {State::Over, Event::StopNow, Act::Nothing, State::Over},
    {State::Over, Event::Acknowledge, Act::Leave, State::Over},
    {State::Over, Event::LinkLost, Act::Leave, State::Over},
};

struct Cell {
  Act act;
  State next;
};
[[nodiscard]] constexpr Cell decide_cell(State state, Event event) {
  for (const Rule& rule : kRules) {
    if (rule.state == state && rule.event == event) {
      return {rule.act, rule.next};
    }
  }
  return {event <= Event::Acknowledge ? Act::Breach : Act::Nothing, state};
}

}  // namespace rb::mon
