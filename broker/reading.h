// reading.h — one runbook-reader, asked once, in a bounded time.   [TRUSTED: broker]
// The process, its link and its deadline are one object; the callback comes exactly once, with the
// answer's packet or the reason there is none, and the process is gone by then or killed.
// Source: DESIGN §2, §5; attack B10.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/packet.h"

namespace rb::brk {

struct Broker;

class Reading {
 public:
  using Then = std::function<void(Result<Packet>)>;

  // `mode`: load, read, view. Descriptors beyond one packet's worth follow as `more`.
  static void ask(Broker& broker, const char* mode, const Bytes& request, std::vector<Fd> fds,
                  Nanos within, Then then);

  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  Reading(Reading&&) = delete;
  Reading& operator=(Reading&&) = delete;
  ~Reading() = default;

 private:
  explicit Reading(Broker& broker, Then then);
  void conclude(Result<Packet> answer);

  Broker& broker_;
  Then then_;
  pid_t pid_ = -1;
  Timer deadline_;
  std::unique_ptr<PacketLink> link_;
  std::shared_ptr<Reading> self_;  // until concluded
};

}  // namespace rb::brk
