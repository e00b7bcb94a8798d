// loop.h — one event loop a process, and what can wake it.   [every process that serves]
// Ownership: a Watch, Timer or Signal ends with its object; its callback may destroy it.
// Callbacks never block and never run the loop again. Only includer of libevent (event_core).
#pragma once

#include <functional>
#include <memory>

#include "common/clock.h"

struct event_base;
struct event;

namespace rb {

class Loop {
 public:
  Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  Loop(Loop&&) = delete;
  Loop& operator=(Loop&&) = delete;
  ~Loop();

  // Runs until stop() or until nothing is left to wait for.
  void run();
  // One turn: handles what is ready now; waits for the first event when `wait`.
  void turn(bool wait);
  void stop();
  // Runs `work` from the loop, after the callbacks that are due now.
  void post(std::function<void()> work);

  [[nodiscard]] event_base* base() const { return base_; }

 private:
  event_base* base_;
};

// Readability or writability of a descriptor that somebody else owns and keeps open longer.
class Watch {
 public:
  enum class For { Reading, Writing };
  Watch();
  // Level-triggered; starts at once.
  Watch(Loop& loop, int fd, For what, std::function<void()> ready);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;
  ~Watch();

  // Stops and starts again without forgetting the callback. Both may be repeated.
  void pause();
  void resume();
  [[nodiscard]] bool active() const { return state_ != nullptr; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Fires once, `after` from now; arm() starts it anew.
class Timer {
 public:
  Timer();
  Timer(Loop& loop, std::function<void()> fired);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  Timer(Timer&&) noexcept;
  Timer& operator=(Timer&&) noexcept;
  ~Timer();

  void arm(Nanos after);
  void disarm();
  [[nodiscard]] bool armed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A signal delivered as an event; the process's handler is libevent's while it lives.
class Signal {
 public:
  Signal();
  Signal(Loop& loop, int number, std::function<void()> came);
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  Signal(Signal&&) noexcept;
  Signal& operator=(Signal&&) noexcept;
  ~Signal();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rb
