// limits.h — every size and time limit of every link, in one place.   [every process]
// Units in the names. A limit that is reached is an error that names it, never a truncation.
// Source: docs/PROTOCOL.md §Limits; DESIGN §3.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace rb::limits {

using namespace std::chrono_literals;

inline constexpr std::uint32_t kProtocolVersion = 4;

// Client links.
inline constexpr std::size_t kClientMessageBytes = 1 << 20;
inline constexpr int kClientNesting = 32;
inline constexpr std::size_t kTraversalFactor = 4;  // traversal limit: that many times the size
inline constexpr auto kHelloWithin = 10s;
inline constexpr std::size_t kConnections = 256;                 // both roles together
inline constexpr std::size_t kConnectionsForOperators = 16;      // of them kept for operators
inline constexpr std::size_t kAnswersWaitingBytes = 256 * 1024;  // reading pauses above
inline constexpr auto kProgressWithin = 5s;                      // a link that takes nothing ends
// Places of one start. A launch brings nine descriptors of its own beside them, the monitor three,
// and a message that spills one: together no more than kDescriptorsPerPacket.
inline constexpr std::size_t kGrants = 16;
inline constexpr std::size_t kDescriptorsPerClientMessage = 1 + kGrants;  // and the work folder
inline constexpr std::size_t kRequestsWaiting = 64;  // requests of one connection under way at once
inline constexpr auto kFrameWithin = 10s;            // a frame's last byte after its first
inline constexpr std::size_t kServerMessageBytes = 8 << 20;  // what a client has to take
inline constexpr std::size_t kOutputBytesAnswered = 256 * 1024;
inline constexpr std::size_t kWaitingOfConnectionBytes = 16 << 20;  // past these the client is cut
inline constexpr std::size_t kWaitingOfFrontBytes = 64 << 20;
inline constexpr std::size_t kWaitingOfFrontDescriptors = 1024;
inline constexpr double kOperatorChangesBurst = 2000;  // requests that change state, a connection
inline constexpr double kOperatorChangesPerSecond = 2000;
inline constexpr double kAgentChangesBurst = 100;
inline constexpr double kAgentChangesPerSecond = 20;

// Trusted links.
inline constexpr std::size_t kPacketBytes = 64 * 1024;
// A message too large for a packet, in a memfd.
inline constexpr std::size_t kSpilledBytes = 8 << 20;
inline constexpr int kTrustedNesting = 16;
inline constexpr std::size_t kDescriptorsPerPacket = 32;

// Runbooks.
inline constexpr std::size_t kRunbookBytes = 4 << 20;
inline constexpr std::size_t kScriptBytes = 1 << 20;
inline constexpr std::size_t kTreeBytes = 64 << 20;
inline constexpr std::size_t kTreeFiles = 5000;
// A reader's time is processor time, so that a busy machine refuses no honest runbook; the clock on
// the wall only ends one that hangs.
inline constexpr auto kReadingCpu = 5s;
inline constexpr auto kReadingWithin = 60s;
inline constexpr auto kViewingCpu = 30s;
inline constexpr auto kViewingWithin = 120s;
inline constexpr std::size_t kExecutables = 4000;

// Executions.
inline constexpr std::size_t kExecutionsAtOnce = 64;
inline constexpr std::uint64_t kOutputBytes = std::uint64_t{1} << 30;
inline constexpr auto kTimeout = 60min;  // MDX blocks; Markdown blocks: kMarkdownTimeout
inline constexpr auto kMarkdownTimeout = 10min;
inline constexpr auto kStopGrace = 5s;
inline constexpr std::size_t kInputBytes =
    128 * 1024;  // one value; the kernel's limit for one string
inline constexpr std::size_t kInputsBytes = 1 << 20;  // all values of a request
inline constexpr std::size_t kEnvironmentBytes = 1 << 20;
inline constexpr std::size_t kScriptInJournalBytes = 64 * 1024;

// Record.
inline constexpr std::size_t kReserveBytes = 64 * 1024;
inline constexpr std::uint64_t kFreeSpaceFloorBytes = std::uint64_t{64} << 20;
inline constexpr std::size_t kJournalLineBytes = 1 << 20;
inline constexpr auto kRequestIdsKept = 24h;

}  // namespace rb::limits
