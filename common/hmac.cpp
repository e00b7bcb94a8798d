#include "common/hmac.h"

#include <algorithm>
#include <array>

namespace rb {
namespace {

constexpr std::size_t kBlock = 64;  // of SHA-256

}  // namespace

Digest hmac_sha256(ByteView key, ByteView message) {
  std::array<std::uint8_t, kBlock> inner{};
  if (key.size() > kBlock) {
    const Digest shorter = sha256(key);
    std::copy(shorter.bytes.begin(), shorter.bytes.end(), inner.begin());
  } else {
    std::copy(key.begin(), key.end(), inner.begin());
  }
  std::array<std::uint8_t, kBlock> outer = inner;
  for (std::size_t i = 0; i < kBlock; ++i) {
    inner[i] ^= 0x36;
    outer[i] ^= 0x5c;
  }
  const Digest first = Hasher().add(inner).add(message).digest();
  return Hasher().add(outer).add(first.bytes).digest();
}

bool same_bytes(ByteView left, ByteView right) {
  if (left.size() != right.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference |= static_cast<unsigned>(left[i] ^ right[i]);
  }
  return difference == 0;
}

}  // namespace rb
