// accept.h — takes connections, says who they are, greets them, hands them on.   [TRUSTED: broker]
// Never reads a byte from a client. Uid, pid and program are the kernel's at the moment of accept;
// the greeting, with the connection's key, is written before any front has the socket.
// Source: DESIGN §2, §4; attacks A5, A6; reliability §5 (EMFILE).
#pragma once

#include <array>

#include "broker/actor.h"
#include "common/fd.h"
#include "common/loop.h"

namespace rb::brk {

struct Broker;

class Accept {
 public:
  explicit Accept(Broker& broker);

  void adopt(Role role, Fd fd);
  // Whether connections of that role are taken now. They wait in the kernel's queue otherwise.
  void serve(Role role, bool on);

 private:
  struct Listener {
    Fd fd;
    Watch watch;
    bool on = false;
  };
  void take(Role role);
  void pause();
  [[nodiscard]] bool admit(const Actor& actor, std::string& why) const;

  Broker& broker_;
  std::array<Listener, 2> listeners_;
  Fd reserve_;  // given up for a moment when descriptors run out
  Timer resume_;
  std::uint64_t last_connection_ = 0;
  Nanos refusal_said_{};
};

}  // namespace rb::brk
