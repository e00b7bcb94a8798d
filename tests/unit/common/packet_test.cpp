#include "common/packet.h"
#include "common/descriptors.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include "common/io.h"

using namespace rb;  // NOLINT(google-build-using-namespace): a test of one namespace

namespace {

struct Pair {
  Fd a, b;
};
Pair pair() {
  auto ends = packet_pair(true);
  REQUIRE(ends.ok());
  return {std::move(ends->first), std::move(ends->second)};
}

int open_descriptors() {
  int count = 0;
  for (int fd = 0; fd < 256; ++fd) {
    count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("packet: message and descriptors arrive together, close-on-exec") {
  const Pair ends = pair();
  const auto memory = sealed_memory("m", as_bytes("inside"));
  REQUIRE(send_packet(ends.a.get(), as_bytes("hello"), {memory->get()}).ok());
  const auto got = receive_packet(ends.b.get());
  REQUIRE(got.ok());
  CHECK(as_text(got->bytes) == "hello");
  REQUIRE(got->fds.size() == 1);
  CHECK(as_text(*read_sealed(got->fds[0].get(), 100)) == "inside");
  CHECK((::fcntl(got->fds[0].get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("packet: what is too large for one travels as a sealed file and comes out the same") {
  const Pair ends = pair();
  const Bytes large(300'000, 0x5A);
  const auto memory = sealed_memory("m", as_bytes("inside"));
  REQUIRE(send_packet(ends.a.get(), large, {memory->get()}).ok());
  const auto got = receive_packet(ends.b.get());
  REQUIRE(got.ok());
  CHECK(got->bytes == large);
  CHECK(got->fds.size() == 1);
}

TEST_CASE("packet: the largest inline message is one packet, and 8 MiB is the end") {
  const Pair ends = pair();
  REQUIRE(send_packet(ends.a.get(), Bytes(64 * 1024 - 8), {}).ok());
  CHECK(receive_packet(ends.b.get())->bytes.size() == 64 * 1024 - 8);
  CHECK(send_packet(ends.a.get(), Bytes((8 << 20) + 1), {}).failure().code == Code::TooLarge);
  CHECK(
      send_packet(ends.a.get(), as_bytes("x"), std::vector<int>(kMostFds + 1, 0)).failure().code ==
      Code::TooLarge);
  REQUIRE(send_packet(ends.a.get(), as_bytes("x"), std::vector<int>(kMostFds, 0)).ok());
  CHECK(receive_packet(ends.b.get())->fds.size() == kMostFds);
  // A message that spills brings one more.
  CHECK_FALSE(send_packet(ends.a.get(), Bytes(100'000), std::vector<int>(kMostFds, 0)).ok());
}

TEST_CASE("packet: an empty link says EAGAIN, a closed one Closed") {
  Pair ends = pair();
  CHECK(receive_packet(ends.b.get()).failure().errnum == EAGAIN);
  ends.a.reset();
  CHECK(receive_packet(ends.b.get()).failure().code == Code::Closed);
}

TEST_CASE("packet: malformed ones are Invalid and leave no descriptor behind") {
  const int before = open_descriptors();
  {
    const Pair ends = pair();
    const auto raw = [&](std::string_view bytes) {
      REQUIRE(::send(ends.a.get(), bytes.data(), bytes.size(), 0) >= 0);
      return receive_packet(ends.b.get());
    };
    CHECK(raw("short").failure().code == Code::Invalid);
    CHECK(raw(std::string_view("\0\0\0\0\1\0\0\0x", 9)).failure().code == Code::Invalid);
    CHECK(raw(std::string_view("\2\0\0\0\0\0\0\0x", 9)).failure().code == Code::Invalid);
    CHECK(raw(std::string_view("\1\0\0\0\0\0\0\0", 8)).failure().code == Code::Invalid);
    // 100 KiB in one datagram: truncated, so never half a message.
    const std::string huge(100 * 1024, '\0');
    CHECK(raw(huge).failure().code == Code::Invalid);
  }
  CHECK(open_descriptors() == before);
}

TEST_CASE("packet link: sends in order, also what the socket wouldn't take at first") {
  Loop loop;
  Pair ends = pair();
  std::vector<std::size_t> sizes;
  std::string ended;
  PacketLink receiver(
      loop, std::move(ends.b), [&](const Packet& packet) { sizes.push_back(packet.bytes.size()); },
      [&](const Error& why) { ended = why.what; });
  PacketLink sender(
      loop, std::move(ends.a), [](const Packet&) {}, [](const Error&) {});
  for (std::size_t i = 1; i <= 200; ++i) {
    sender.send(Bytes(i * 300));
  }
  CHECK(sender.waiting() > 0);
  while (sizes.size() < 200) {
    loop.turn(true);
  }
  for (std::size_t i = 1; i <= 200; ++i) {
    CHECK(sizes[i - 1] == i * 300);
  }
  sender.close();
  while (ended.empty()) {
    loop.turn(true);
  }
  CHECK_FALSE(receiver.is_open());
}

TEST_CASE("packet link: a peer that takes nothing ends it after a bounded queue") {
  Loop loop;
  Pair ends = pair();
  int ended = 0;
  PacketLink sender(
      loop, std::move(ends.a), [](const Packet&) {}, [&](const Error&) { ++ended; });
  for (int i = 0; i < 3000 && sender.is_open(); ++i) {
    sender.send(Bytes(1000));
  }
  CHECK(ended == 1);
  CHECK_FALSE(sender.is_open());
}

TEST_CASE("packet link: its end may destroy it") {
  Loop loop;
  Pair ends = pair();
  std::unique_ptr<PacketLink> link;
  link = std::make_unique<PacketLink>(
      loop, std::move(ends.b), [](const Packet&) {}, [&](const Error&) { link.reset(); });
  ends.a.reset();
  while (link != nullptr) {
    loop.turn(true);
  }
  CHECK(link == nullptr);
}
