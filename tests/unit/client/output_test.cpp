#include "client/lib/output.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/io.h"

using namespace rb;
using namespace rb::client;

namespace {

Fd memory() {
  return Fd(::memfd_create("output", MFD_CLOEXEC));
}

struct Sides {
  Fd reading;
  Fd writing;
};
Sides pipe_sides() {
  int ends[2] = {-1, -1};
  REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

TEST_CASE("output: every byte comes once, also those written between two looks") {
  Loop loop;
  Fd file = memory();
  Fd sink = memory();
  Out out(loop, sink.get());
  Result<Fd> reading = file.duplicate();
  REQUIRE(reading.ok());
  OutputFollower follower(loop, std::move(*reading), 0, out,
                          [&](std::uint64_t, ByteView piece) { out.push(as_text(piece)); });
  std::string expected;
  for (int i = 0; i < 50; ++i) {
    const std::string part(static_cast<std::size_t>(i * 997), static_cast<char>('a' + i % 26));
    expected += part;
    REQUIRE(write_all(file.get(), as_bytes(part)).ok());
    follower.grew();
    if (i % 3 == 0) {
      loop.turn(false);
    }
  }
  bool ended = false;
  follower.finish(expected.size(), [&](Status status) {
    CHECK(status.ok());
    ended = true;
  });
  while (!ended) {
    loop.turn(true);
  }
  const auto got = read_at(sink.get(), 0, expected.size());
  REQUIRE(got.ok());
  CHECK(as_text(*got) == expected);
}

TEST_CASE("output: nothing is read while the reader of our output is slow") {
  Loop loop;
  Fd file = memory();
  REQUIRE(write_all(file.get(), as_bytes(std::string(8 << 20, 'x'))).ok());
  Sides pipe = pipe_sides();
  Out out(loop, pipe.writing.get());
  Result<Fd> reading = file.duplicate();
  std::uint64_t taken = 0;
  OutputFollower follower(loop, std::move(*reading), 0, out, [&](std::uint64_t, ByteView piece) {
    taken += piece.size();
    out.push(as_text(piece));
  });
  bool ended = false;
  follower.finish(8 << 20, [&](const Status&) { ended = true; });
  for (int i = 0; i < 20; ++i) {
    loop.turn(false);
  }
  CHECK(taken <= 2 * 256 * 1024);
  CHECK_FALSE(ended);
  Bytes buffer(1 << 20);
  std::uint64_t got = 0;
  while (!ended) {
    loop.turn(false);
    const ssize_t now = ::read(pipe.reading.get(), buffer.data(), buffer.size());
    got += now > 0 ? static_cast<std::uint64_t>(now) : 0;
  }
  for (ssize_t now = 1; now > 0; got += now > 0 ? static_cast<std::uint64_t>(now) : 0) {
    now = ::read(pipe.reading.get(), buffer.data(), buffer.size());
  }
  CHECK(got == 8 << 20);
}

TEST_CASE("output: a file that is shorter than recorded is an error") {
  Loop loop;
  Fd file = memory();
  REQUIRE(write_all(file.get(), as_bytes("abc")).ok());
  Fd sink = memory();
  Out out(loop, sink.get());
  Result<Fd> reading = file.duplicate();
  OutputFollower follower(loop, std::move(*reading), 0, out, [](std::uint64_t, ByteView) {});
  bool failed = false;
  bool ended = false;
  follower.finish(10, [&](const Status& status) {
    ended = true;
    failed = !status.ok();
  });
  while (!ended) {
    loop.turn(true);
  }
  CHECK(failed);
}
