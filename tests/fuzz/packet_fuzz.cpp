// One packet of a trusted link, with descriptors. The first byte says how many (bits 0-4), of which
// kind (5, 6), and whether the head before the bytes is the fuzzer's own (7 clear) or one that fits
// them, which chance alone rarely makes.
#include "common/packet.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "common/io.h"
#include "tests/fuzz/fuzz.h"

namespace {

// Sends these bytes raw, as a broken peer would.
void send_raw(int fd, rb::ByteView bytes, const std::vector<int>& fds) {
  iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * 32)] = {};
  msghdr out{};
  out.msg_iov = &part;
  out.msg_iovlen = 1;
  if (!fds.empty()) {
    out.msg_control = control;
    out.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
    cmsghdr* c = CMSG_FIRSTHDR(&out);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
    std::memcpy(CMSG_DATA(c), fds.data(), sizeof(int) * fds.size());
  }
  static_cast<void>(::sendmsg(fd, &out, MSG_NOSIGNAL | MSG_DONTWAIT));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) {
    return 0;
  }
  auto pair = rb::packet_pair(true);
  rb::fuzz::must(pair.ok());
  const bool fitting = (data[0] & 0x80) != 0;
  rb::Bytes packet;
  if (fitting) {
    packet = {0, 0, 0, 0, static_cast<std::uint8_t>(data[0] & 0x1F), 0, 0, 0};
  }
  packet.insert(packet.end(), data + 1, data + size);
  const auto sealed = rb::sealed_memory("m", packet);
  const rb::Fd plain((data[0] & 0x20) != 0 ? ::memfd_create("unsealed", MFD_CLOEXEC)
                                           : ::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<int> fds;
  for (int i = 0; i < (data[0] & 0x1F); ++i) {
    fds.push_back((data[0] & 0x40) != 0 && i == 0 ? sealed->get() : plain.get());
  }
  send_raw(pair->first.get(), packet, fds);
  const auto got = rb::receive_packet(pair->second.get());
  if (got) {
    rb::fuzz::must(got->fds.size() <= fds.size());
    rb::fuzz::must(!fitting || got->fds.size() == fds.size());
    rb::fuzz::planted(got->fds.size() == 3 && got->bytes.size() > 4);
  }
  return 0;
}
