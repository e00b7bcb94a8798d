#include "broker/monitor/template.h"

#include <unistd.h>

#include <csignal>
#include <utility>

#include "common/packet.h"
#include "protocol/limits.h"
#include "protocol/monitor.capnp.h"
#include "protocol/wire.h"

namespace rb::mon {
namespace {

bool asks_for_a_copy(const Packet& packet) {
  const auto is_spare = [](monitor::ToMonitor::Reader message) {
    return message.isSpare() ? done() : Status(error(Code::Invalid, "not for a template"));
  };
  return packet.fds.size() == 1 &&
         wire::read<monitor::ToMonitor>(packet.bytes, limits::kTrustedNesting, is_spare).ok();
}

}  // namespace

std::optional<Fd> serve_as_template(const Fd& link) {
  (void)::signal(SIGCHLD, SIG_IGN);  // nobody asks how a copy ended: the kernel reaps it
  for (;;) {
    Result<Packet> packet = receive_packet(link.get());
    if (!packet || !asks_for_a_copy(*packet)) {
      return std::nullopt;
    }
    if (::fork() == 0) {  // where it fails, the broker sees the new link's end
      (void)::signal(SIGCHLD, SIG_DFL);
      return std::move(packet->fds.front());
    }
  }
}

}  // namespace rb::mon
