#include "common/stream.h"
#include "common/frame.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>

#include "common/io.h"

using namespace rb;  // NOLINT(google-build-using-namespace): a test of one namespace
using namespace std::chrono_literals;

namespace {

StreamLimits small() {
  StreamLimits limits{};
  limits.message_bytes = 1024;
  limits.descriptors = 2;
  limits.waiting_bytes = 4096;
  limits.progress_within = 100ms;
  return limits;
}

// One link of ours and the raw socket of a peer.
struct Wire {
  Loop loop;
  Fd peer;
  std::vector<std::string> frames;
  std::size_t descriptors = 0;
  std::string ended;
  std::unique_ptr<StreamLink> link;

  explicit Wire(const StreamLimits& limits) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    peer = Fd(ends[0]);
    link = std::make_unique<StreamLink>(
        loop, Fd(ends[1]), limits,
        [this](const Bytes& message, const std::vector<Fd>& fds) {
          frames.emplace_back(as_text(message));
          descriptors += fds.size();
        },
        [this](const Error& why) { ended = why.what; });
  }
  void say(std::string_view bytes) {
    REQUIRE(::send(peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
    loop.turn(false);
  }
  void until_ended() {
    while (ended.empty()) {
      loop.turn(true);
    }
  }
};

std::string frame(std::string_view message, std::uint8_t descriptors = 0) {
  std::string out(8, '\0');
  out[0] = static_cast<char>(message.size() & 0xFF);
  out[1] = static_cast<char>(message.size() >> 8);
  out[4] = static_cast<char>(descriptors);
  return out + std::string(message);
}

}  // namespace

TEST_CASE("stream: frames arrive whole, however they are cut") {
  const std::string bytes = frame("one") + frame("two") + frame("three");
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    Wire wire(small());
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      wire.say(std::string_view(bytes).substr(at, step));
    }
    CHECK(wire.frames == std::vector<std::string>{"one", "two", "three"});
  }
}

TEST_CASE("stream: the largest frame passes and one byte more ends the link") {
  Wire wire(small());
  wire.say(frame(std::string(1024, 'x')));
  CHECK(wire.frames.size() == 1);
  wire.say(frame(std::string(1025, 'x')));
  CHECK(wire.ended == "frame over a limit");
  CHECK(wire.frames.size() == 1);
}

TEST_CASE("stream: a head that promises too much ends the link before its bytes come") {
  for (const std::string& head :
       {std::string("\xff\xff\xff\xff\0\0\0\0", 8), std::string("\0\0\0\0\0\0\0\0", 8),
        std::string("\1\0\0\0\3\0\0\0", 8)}) {
    Wire wire(small());
    wire.say(head);
    CHECK_FALSE(wire.ended.empty());
    CHECK(wire.frames.empty());
  }
}

TEST_CASE(
    "stream: descriptors come with their frame; a frame without those it names ends the link") {
  Wire wire(small());
  const auto memory = sealed_memory("m", as_bytes("x"));
  REQUIRE(send_frame(wire.peer.get(), as_bytes("with"), {memory->get(), memory->get()}).ok());
  wire.loop.turn(true);
  CHECK(wire.frames == std::vector<std::string>{"with"});
  CHECK(wire.descriptors == 2);
  wire.say(frame("without", 1));
  CHECK(wire.ended == "descriptors are missing");
}

TEST_CASE("stream: more descriptors than a frame may have end the link") {
  Wire wire(small());
  const auto memory = sealed_memory("m", as_bytes("x"));
  REQUIRE(send_frame(wire.peer.get(), as_bytes("x"), std::vector<int>(3, memory->get())).ok());
  wire.loop.turn(true);
  CHECK(wire.ended == "too many descriptors");
}

TEST_CASE("stream: reading pauses while answers wait, and goes on when they are taken") {
  StreamLimits limits = small();
  limits.progress_within = 10s;
  Wire wire(limits);
  bool drained = false;
  wire.link->on_drained([&] { drained = true; });
  int size = 4096;
  REQUIRE(::setsockopt(wire.peer.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size) == 0);
  while (wire.link->waiting() <= limits.waiting_bytes) {
    wire.link->send(Bytes(1000));
  }
  wire.say(frame("later"));
  wire.loop.turn(false);
  CHECK(wire.frames.empty());
  std::array<char, 65536> sink{};
  while (!drained) {
    (void)::recv(wire.peer.get(), sink.data(), sink.size(), MSG_DONTWAIT);
    wire.loop.turn(false);
  }
  while (wire.frames.empty()) {
    wire.loop.turn(true);
  }
  CHECK(wire.frames == std::vector<std::string>{"later"});
}

TEST_CASE("stream: a peer that takes nothing though bytes wait is ended") {
  Wire wire(small());
  for (int i = 0; i < 2000; ++i) {
    wire.link->send(Bytes(1000));
  }
  const auto began = boot_now();
  wire.until_ended();
  CHECK(wire.ended == "the peer takes no bytes");
  CHECK(boot_now() - began < 5s);
}

TEST_CASE("stream: finish sends what waits and then closes") {
  Wire wire(small());
  wire.link->send(as_bytes("last words"));
  wire.link->finish();
  wire.until_ended();
  std::array<char, 100> got{};
  CHECK(::recv(wire.peer.get(), got.data(), got.size(), 0) == 18);
  CHECK(::recv(wire.peer.get(), got.data(), got.size(), 0) == 0);
}

TEST_CASE("stream: a closed peer ends the link once") {
  Wire wire(small());
  wire.peer.reset();
  wire.until_ended();
  CHECK(wire.ended == "the peer closed the connection");
  CHECK_FALSE(wire.link->is_open());
}
