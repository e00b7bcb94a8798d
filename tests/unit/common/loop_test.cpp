#include "common/loop.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "common/fd.h"

using namespace rb;  // NOLINT(google-build-using-namespace): a test of one namespace
using namespace std::chrono_literals;

namespace {

struct Pipe {
  Fd out, in;
  Pipe() {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    out = Fd(ends[0]);
    in = Fd(ends[1]);
  }
};

}  // namespace

TEST_CASE("loop: a watch is called while bytes wait, not while paused, and not when it is gone") {
  Loop loop;
  const Pipe pipe;
  int calls = 0;
  Watch watch(loop, pipe.out.get(), Watch::For::Reading, [&] { ++calls; });
  loop.turn(false);
  CHECK(calls == 0);
  REQUIRE(::write(pipe.in.get(), "x", 1) == 1);
  loop.turn(false);
  loop.turn(false);
  CHECK(calls == 2);
  watch.pause();
  watch.pause();
  loop.turn(false);
  CHECK(calls == 2);
  watch.resume();
  loop.turn(false);
  CHECK(calls == 3);
  watch = Watch();
  loop.turn(false);
  CHECK(calls == 3);
}

TEST_CASE("loop: a watch may destroy itself in its callback") {
  Loop loop;
  const Pipe pipe;
  REQUIRE(::write(pipe.in.get(), "x", 1) == 1);
  auto watch = std::make_unique<Watch>();
  *watch = Watch(loop, pipe.out.get(), Watch::For::Reading, [&] { watch.reset(); });
  loop.turn(false);
  CHECK(watch == nullptr);
}

TEST_CASE("loop: a timer fires once, and not when disarmed; arming again starts anew") {
  Loop loop;
  int fired = 0;
  Timer timer(loop, [&] { ++fired; });
  timer.arm(1ms);
  CHECK(timer.armed());
  timer.disarm();
  CHECK_FALSE(timer.armed());
  timer.arm(1ms);
  timer.arm(2ms);
  loop.run();  // nothing else is left to wait for
  CHECK(fired == 1);
  CHECK_FALSE(timer.armed());
}

TEST_CASE("loop: posted work runs after what is due, in order, also when posted from work") {
  Loop loop;
  std::string order;
  loop.post([&] {
    order += 'a';
    loop.post([&] { order += 'c'; });
  });
  loop.post([&] { order += 'b'; });
  loop.turn(false);
  loop.turn(false);
  CHECK(order == "abc");
}

TEST_CASE("loop: a signal arrives as an event") {
  Loop loop;
  int came = 0;
  const Signal watched(loop, SIGUSR1, [&] {
    ++came;
    loop.stop();
  });
  REQUIRE(::raise(SIGUSR1) == 0);
  loop.run();
  CHECK(came == 1);
}
