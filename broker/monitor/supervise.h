// supervise.h — what a monitor may do when.   [TRUSTED: monitor]
// One constexpr table: state × event → action and next state. Pure, so every cell is tested. A cell
// that says Breach is a message that isn't permitted now: its link ends.
// Source: DESIGN §3; docs/ARCHITECTURE.md §Execution.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rb::mon {

enum class State : std::uint8_t {
  Empty,     // waits for a Launch
  Building,  // the sandbox is being built
  Promised,  // being built, and `go` has come: nothing but a failure stops it now
  Ready,     // waits for `go`
  Running,   // the interpreter runs, or is about to
  Stopping,  // TERM was sent; the grace runs
  Killed,    // KILL was sent; waits for the tree to be gone
  Over       // the outcome is durable, or nothing was executed
};
inline constexpr std::size_t kStates = 8;

enum class Event : std::uint8_t {
  Launch,       // message
  Go,           // message
  Stop,         // message with a grace, time limit, output limit, signal to us
  StopNow,      // message without a grace
  Acknowledge,  // message
  Built,        // everything but exec is done
  BuildFailed,
  GraceOver,
  TreeGone,  // the first process of the execution was reaped
  LinkLost   // the broker's end is closed
};
inline constexpr std::size_t kEvents = 10;

enum class Act : std::uint8_t {
  Nothing,
  Breach,
  Build,
  TellReady,
  TellReadyAndRelease,
  Release,     // the script's process may exec
  TellFailed,  // setupFailed; nothing was executed
  Abandon,     // end what is being built; nothing was executed
  Terminate,
  Kill,
  Finish,  // drain, write the outcome, report
  Leave
};

struct Cell {
  Act act;
  State next;
};

[[nodiscard]] constexpr Cell decide_cell(State state, Event event) {
  using S = State;
  using A = Act;
  constexpr std::array<std::array<Cell, kEvents>, kStates> kTable{{
      // Launch, Go, Stop, StopNow, Acknowledge | Built, BuildFailed, GraceOver, TreeGone, LinkLost
      {{{A::Build, S::Building},  // Empty
        {A::Breach, S::Empty},
        {A::Breach, S::Empty},
        {A::Breach, S::Empty},
        {A::Breach, S::Empty},
        {A::Nothing, S::Empty},
        {A::Nothing, S::Empty},
        {A::Nothing, S::Empty},
        {A::Nothing, S::Empty},
        {A::Leave, S::Over}}},
      {{{A::Breach, S::Building},  // Building
        {A::Nothing, S::Promised},
        {A::Abandon, S::Over},
        {A::Abandon, S::Over},
        {A::Breach, S::Building},
        {A::TellReady, S::Ready},
        {A::TellFailed, S::Over},
        {A::Nothing, S::Building},
        {A::TellFailed, S::Over},
        {A::Leave, S::Over}}},
      {{{A::Breach, S::Promised},  // Promised
        {A::Breach, S::Promised},
        {A::Abandon, S::Over},
        {A::Abandon, S::Over},
        {A::Breach, S::Promised},
        {A::TellReadyAndRelease, S::Running},
        {A::TellFailed, S::Over},
        {A::Nothing, S::Promised},
        {A::TellFailed, S::Over},
        {A::Nothing, S::Promised}}},
      {{{A::Breach, S::Ready},  // Ready
        {A::Release, S::Running},
        {A::Abandon, S::Over},
        {A::Abandon, S::Over},
        {A::Breach, S::Ready},
        {A::Nothing, S::Ready},
        {A::TellFailed, S::Over},
        {A::Nothing, S::Ready},
        {A::TellFailed, S::Over},
        {A::Leave, S::Over}}},
      {{{A::Breach, S::Running},  // Running
        {A::Breach, S::Running},
        {A::Terminate, S::Stopping},
        {A::Kill, S::Killed},
        {A::Breach, S::Running},
        {A::Nothing, S::Running},
        {A::Nothing, S::Running},
        {A::Nothing, S::Running},
        {A::Finish, S::Over},
        {A::Nothing, S::Running}}},
      {{{A::Breach, S::Stopping},  // Stopping
        {A::Breach, S::Stopping},
        {A::Nothing, S::Stopping},
        {A::Kill, S::Killed},
        {A::Breach, S::Stopping},
        {A::Nothing, S::Stopping},
        {A::Nothing, S::Stopping},
        {A::Kill, S::Killed},
        {A::Finish, S::Over},
        {A::Nothing, S::Stopping}}},
      {{{A::Breach, S::Killed},  // Killed
        {A::Breach, S::Killed},
        {A::Nothing, S::Killed},
        {A::Nothing, S::Killed},
        {A::Breach, S::Killed},
        {A::Nothing, S::Killed},
        {A::Nothing, S::Killed},
        {A::Nothing, S::Killed},
        {A::Finish, S::Over},
        {A::Nothing, S::Killed}}},
      {{{A::Breach, S::Over},  // Over
        {A::Breach, S::Over},
        {A::Nothing, S::Over},
        {A::Nothing, S::Over},
        {A::Leave, S::Over},
        {A::Nothing, S::Over},
        {A::Nothing, S::Over},
        {A::Nothing, S::Over},
        {A::Nothing, S::Over},
        {A::Leave, S::Over}}},
  }};
  return kTable[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

}  // namespace rb::mon
