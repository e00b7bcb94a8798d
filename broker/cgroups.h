// cgroups.h — a control group for each execution, where the user's manager delegates.  [TRUSTED:
// broker]
// Everything that is copied from the monitors' template lies in one transient scope of the user's
// service manager, whatever the broker itself was started by: `monitors` holds template and
// monitors, beside it lies a leaf for each execution. The scope lives as long as one of them does,
// so executions keep theirs over a broker's end.
// Without cgroup v2, manager or delegation there are no leaves: why_not() says what is missing, and
// executions end by parentage instead.
// Source: DESIGN §2, §7; threats 53, 63, 66, 87.
#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/loop.h"
#include "common/result.h"
#include "policy/profile.h"

namespace rb::brk {

// What every path of a process in a leaf holds.
inline constexpr std::string_view kExecutionsScope = "/runbookd-executions.scope";

class Cgroups {
 public:
  explicit Cgroups(Loop& loop);

  // Puts the process that monitors will be copies of into the scope, before the first copy. Asks
  // the manager, which takes some milliseconds, and at most some seconds where it hangs.
  void adopt(pid_t keeper);
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  // A leaf binds the number of processes or the memory of all of them together.
  [[nodiscard]] bool binds() const { return pids_ || memory_; }

  // A new leaf with its limits; closed where there are no leaves.
  [[nodiscard]] Fd make(const std::string& leaf, const policy::Limits& limits);
  // Ends what is in it and takes it away, as soon as the kernel lets go of it.
  void remove(const std::string& leaf);
  [[nodiscard]] std::vector<std::string> leaves() const;

 private:
  [[nodiscard]] Status enter(pid_t keeper);
  [[nodiscard]] bool removed(const std::string& leaf) const;
  void on_events();

  Fd scope_;
  Fd events_;  // inotify: a leaf that wasn't empty yet
  Watch watch_;
  std::set<std::string> leaving_;
  std::string why_not_;
  bool pids_ = false;
  bool memory_ = false;
};

}  // namespace rb::brk
