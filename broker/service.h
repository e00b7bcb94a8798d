// service.h — the service managers and the system journal.   [TRUSTED: broker]
// Every function does nothing, or answers "none", where there is no systemd: the broker then lives
// as a plain daemon. Only includer of libsystemd.
// Source: DESIGN §2 (unit), §8 (heads of the chain).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/fd.h"
#include "common/result.h"

namespace rb::brk::service {

struct Listener {
  std::string name;  // FileDescriptorName= of the socket unit: operator, agent
  Fd fd;
};
// Sockets that the manager opened for us; close-on-exec. Once, first thing.
[[nodiscard]] std::vector<Listener> inherited_listeners();

void notify(const std::string& state);  // "READY=1", "STOPPING=1", "STATUS=..."
// How often the manager wants a sign of life: a third of WatchdogSec.
[[nodiscard]] std::optional<Nanos> watchdog_every();

// One line in the journal that this uid can't rewrite: the anchor of a session's chain.
void anchor(const std::string& session, const std::string& what, const std::string& head,
            std::uint64_t line);

// Puts a process into the user's transient scope of that name, whose control groups are ours to
// make; the manager makes the scope where it isn't there. `below`: the group within one that is
// there. Waits for the manager's answer, some seconds at most.
[[nodiscard]] Status join_scope(const std::string& unit, const std::string& below, pid_t process);

}  // namespace rb::brk::service
