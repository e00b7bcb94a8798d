// digest.h — SHA-256, and the one encoding in which several fields are hashed.   [every process]
// Source: docs/PROTOCOL.md §Digests. Only includer of OpenSSL (its plain SHA-256:
// the EVP interface would load providers at each start, half of a monitor's whole start-up).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/bytes.h"
#include "common/result.h"

namespace rb {

struct Digest {
  std::array<std::uint8_t, 32> bytes{};
  [[nodiscard]] std::string hex() const { return to_hex(bytes); }
  // The first 12 hexadecimal digits, for people.
  [[nodiscard]] std::string brief() const { return hex().substr(0, 12); }
  friend bool operator==(const Digest&, const Digest&) = default;
};

[[nodiscard]] std::optional<Digest> digest_from_hex(std::string_view hex);
// nullopt unless exactly 32 bytes.
[[nodiscard]] std::optional<Digest> digest_from_bytes(ByteView bytes);

// Running SHA-256. add() hashes raw bytes; field() first hashes the length as 8 bytes,
// little-endian, so that no two lists of fields have one encoding.
class Hasher {
 public:
  Hasher();

  Hasher& add(ByteView bytes);
  Hasher& field(ByteView bytes);
  Hasher& field(std::string_view text) { return field(as_bytes(text)); }
  // A number as one field of 8 bytes, little-endian.
  Hasher& field(std::uint64_t number);
  // The digest of all that was added so far; adding may go on.
  [[nodiscard]] Digest digest() const;

 private:
  // Room for OpenSSL's SHA256_CTX, which only digest.cpp knows.
  alignas(16) std::array<std::uint8_t, 112> state_{};
};

[[nodiscard]] Digest sha256(ByteView bytes);
// Hashes `length` bytes of a descriptor from `offset` by pread; the file offset stays.
[[nodiscard]] Result<Digest> sha256_of_file(int fd, std::uint64_t offset, std::uint64_t length);

}  // namespace rb
