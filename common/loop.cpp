#include "common/loop.h"

#include <event2/event.h>

#include <cstdlib>
#include <utility>

namespace rb {
namespace {

timeval to_timeval(Nanos span) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(span).count();
  timeval out{};
  out.tv_sec = static_cast<time_t>(micros / 1'000'000);
  out.tv_usec = static_cast<suseconds_t>(micros % 1'000'000);
  return out;
}

struct Posted {
  std::function<void()> work;
};

void run_posted(evutil_socket_t, short, void* argument) {
  const std::unique_ptr<Posted> posted(static_cast<Posted*>(argument));
  posted->work();
}

// What Watch, Timer and Signal hold: the callback and libevent's handle for it.
struct Event {
  std::function<void()> callback;
  event* handle = nullptr;
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  Event(Event&&) = delete;
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (handle != nullptr) {
      event_free(handle);
    }
  }
};

// A copy is called, so that the callback may destroy the object that holds it.
void call(evutil_socket_t, short, void* argument) {
  const std::function<void()> copy = static_cast<Event*>(argument)->callback;
  copy();
}

}  // namespace

Loop::Loop() : base_(nullptr) {
  event_config* config = event_config_new();
  event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER | EVENT_BASE_FLAG_NOLOCK);
  base_ = event_base_new_with_config(config);
  event_config_free(config);
  if (base_ == nullptr) {
    std::abort();
  }
}
Loop::~Loop() {
  event_base_free(base_);
}
void Loop::run() {
  event_base_dispatch(base_);
}
void Loop::turn(bool wait) {
  event_base_loop(base_, wait ? EVLOOP_ONCE : EVLOOP_ONCE | EVLOOP_NONBLOCK);
}
void Loop::stop() {
  event_base_loopbreak(base_);
}
void Loop::post(std::function<void()> work) {
  auto posted = std::make_unique<Posted>(Posted{std::move(work)});
  const timeval now{};
  if (event_base_once(base_, -1, EV_TIMEOUT, run_posted, posted.get(), &now) == 0) {
    (void)posted.release();  // run_posted owns it now
  }
}

struct Watch::State : Event {};

Watch::Watch(Loop& loop, int fd, For what, std::function<void()> ready)
    : state_(std::make_unique<State>()) {
  state_->callback = std::move(ready);
  const short kind = what == For::Reading ? EV_READ : EV_WRITE;
  state_->handle = event_new(loop.base(), fd, static_cast<short>(kind | EV_PERSIST), call,
                             static_cast<Event*>(state_.get()));
  event_add(state_->handle, nullptr);
}
Watch::Watch() = default;
Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&&) noexcept = default;
Watch::~Watch() = default;
void Watch::pause() {
  if (state_) {
    event_del(state_->handle);
  }
}
void Watch::resume() {
  if (state_) {
    event_add(state_->handle, nullptr);
  }
}

struct Timer::State : Event {};

Timer::Timer(Loop& loop, std::function<void()> fired) : state_(std::make_unique<State>()) {
  state_->callback = std::move(fired);
  state_->handle = evtimer_new(loop.base(), call, static_cast<Event*>(state_.get()));
}
Timer::Timer() = default;
Timer::Timer(Timer&&) noexcept = default;
Timer& Timer::operator=(Timer&&) noexcept = default;
Timer::~Timer() = default;
void Timer::arm(Nanos after) {
  const timeval span = to_timeval(after < Nanos(0) ? Nanos(0) : after);
  event_add(state_->handle, &span);
}
void Timer::disarm() {
  if (state_) {
    event_del(state_->handle);
  }
}
bool Timer::armed() const {
  return state_ && event_pending(state_->handle, EV_TIMEOUT, nullptr) != 0;
}

struct Signal::State : Event {};

Signal::Signal(Loop& loop, int number, std::function<void()> came)
    : state_(std::make_unique<State>()) {
  state_->callback = std::move(came);
  state_->handle = evsignal_new(loop.base(), number, call, static_cast<Event*>(state_.get()));
  event_add(state_->handle, nullptr);
}
Signal::Signal() = default;
Signal::Signal(Signal&&) noexcept = default;
Signal& Signal::operator=(Signal&&) noexcept = default;
Signal::~Signal() = default;

}  // namespace rb
