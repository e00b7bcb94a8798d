// seal.h — authentication, sealed boxes, random bytes, memory that is wiped.   [broker, client]
// Only includer of libsodium. start() must have succeeded before anything else here is used.
// Nothing here logs, and no failure tells which byte was wrong.
// Source: docs/PROTOCOL.md §The MAC; DESIGN §4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/bytes.h"

namespace rb::seal {

using Key = std::array<std::uint8_t, 32>;
using Mac = std::array<std::uint8_t, 32>;

// False when the system gives no randomness: the process must not go on.
[[nodiscard]] bool start();

void random(std::span<std::uint8_t> into);
[[nodiscard]] Key random_key();
void wipe(std::span<std::uint8_t> bytes);
// Locks against swapping and keeps out of core files; best effort (RLIMIT_MEMLOCK).
void lock(std::span<std::uint8_t> bytes);

// What a client's request is authenticated by: HMAC-SHA-512-256 by the greeting's key over
// "runbookd operation 1" ‖ broker start (16 bytes) ‖ connection ‖ counter (64-bit little-endian) ‖
// content.
struct Authentic {
  ByteView broker_start;
  std::uint64_t connection;
  std::uint64_t counter;
  ByteView content;
};
[[nodiscard]] Mac mac(const Key& key, const Authentic& message);
// Constant time; false for any length but 32.
[[nodiscard]] bool verify(const Key& key, const Authentic& message, ByteView theirs);

struct BoxKeys {
  Key open;    // public: what clients seal to
  Key secret;  // dies with its owner
};
[[nodiscard]] BoxKeys box_keys();
[[nodiscard]] Bytes seal_box(ByteView plain, const Key& open);
// nullopt when it wasn't sealed to this key or was altered.
[[nodiscard]] std::optional<Bytes> open_box(ByteView box, const BoxKeys& keys);

}  // namespace rb::seal
