// children.h — starts our own programs and hears of their end.   [TRUSTED: broker]
// A child gets exactly: /dev/null on 0, the log on 1 and 2, its link on 3. By vfork semantics, so
// the cost doesn't grow with what the broker holds. Programs come from one folder that no message
// and no environment variable chooses.
// Source: DESIGN §2.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/fd.h"
#include "common/loop.h"
#include "common/result.h"

namespace rb::brk {

class Children {
 public:
  using OnExit = std::function<void(int wait_status)>;

  Children(Loop& loop, std::string libexec);

  // Starts libexec/name with `link` as its descriptor 3.
  [[nodiscard]] Result<pid_t> spawn(const std::string& name, const std::vector<std::string>& words,
                                    const Fd& link, OnExit on_exit);
  // Kills a child of ours that hasn't been reaped; others are left alone.
  void kill(pid_t child) const;
  [[nodiscard]] const std::string& libexec() const { return libexec_; }

 private:
  void reap();

  std::string libexec_;
  std::map<pid_t, OnExit> running_;
  Signal died_;
};

// The folder that holds our programs: beside this one, else where the package puts them.
[[nodiscard]] std::string find_libexec();

}  // namespace rb::brk
