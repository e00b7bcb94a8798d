#include "broker/monitor/probe.h"

#include <linux/seccomp.h>
#include <sys/wait.h>

#include <cstring>
#include <utility>

#include "broker/monitor/init.h"
#include "broker/monitor/jail.h"
#include "broker/monitor/kernel.h"
#include "broker/monitor/report.h"
#include "common/fd.h"
#include "common/packet.h"

namespace rb::mon {
namespace {

std::string failed(const std::string& stage, int errnum) {
  return errnum == 0 ? stage : stage + ": " + std::strerror(errnum);
}

// Lets the first process of an execution prepare itself as it always does; "" when it could.
std::string try_sandbox() {
  const Result<First> first = start_first(true);
  if (!first) {
    return first.failure().text();
  }
  const Result<Packet> packet = receive_packet(first->control.get());
  (void)kernel::pidfd_send_signal(first->pidfd.get(), SIGKILL);
  siginfo_t facts{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(first->pidfd.get()), &facts, WEXITED);
  Report record;
  if (!packet || packet->bytes.size() != sizeof record) {
    return "the sandbox ended while it was prepared";
  }
  std::memcpy(static_cast<void*>(&record), packet->bytes.data(), sizeof record);
  return record.kind == Report::Kind::Prepared ? "" : failed(record.stage(), record.value);
}

}  // namespace

std::string Facts::missing() const {
  if (!user_namespaces) {
    return "this machine refuses sandboxes (" + why_not + ")";
  }
  if (landlock_abi == 0) {
    return "this kernel has no Landlock";
  }
  return seccomp ? "" : "this kernel has no seccomp filters";
}

Facts probe() {
  Facts facts;
  facts.why_not = try_sandbox();
  facts.user_namespaces = facts.why_not.empty();
  facts.landlock_abi = landlock_abi();
  const std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  facts.seccomp = ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  facts.root = ::geteuid() == 0;
  return facts;
}

}  // namespace rb::mon
