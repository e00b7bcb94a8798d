// start.h — starts a broker where none answers, as tmux starts its server.   [frontends]
// Several clients may do this at once: the broker's own lock decides, the losers' brokers leave,
// and every client connects to the winner. Nothing here decides who wins.
// Source: DESIGN §2, §9.
#pragma once

#include <string>

#include "common/clock.h"
#include "common/fd.h"
#include "common/result.h"

namespace rb::client {

// A connected socket. NotFound when nobody listens; Refused when the folder or the peer isn't ours.
[[nodiscard]] Result<Fd> connect_to(const std::string& socket_path);

// Starts a broker, detached from this process, terminal and folder. The descriptor gets one byte
// when both sockets serve, and ends without one when that broker leaves.
[[nodiscard]] Result<Fd> spawn_broker();

// connect_to, starting a broker where nobody listens, for at most `within`. Blocks.
[[nodiscard]] Result<Fd> connect_or_start(const std::string& socket_path, Millis within);

// Where the broker's own messages go when we start it.
[[nodiscard]] std::string broker_log();

}  // namespace rb::client
