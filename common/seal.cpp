#include "common/seal.h"

#include <sodium.h>

#include <algorithm>

namespace rb::seal {
namespace {

constexpr std::string_view kPurpose = "runbookd operation 1";

std::array<std::uint8_t, 8> little_endian(std::uint64_t number) {
  std::array<std::uint8_t, 8> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return out;
}

}  // namespace

static_assert(crypto_auth_hmacsha512256_BYTES == sizeof(Mac));
static_assert(crypto_auth_hmacsha512256_KEYBYTES == sizeof(Key));
static_assert(crypto_box_PUBLICKEYBYTES == sizeof(Key));
static_assert(crypto_box_SECRETKEYBYTES == sizeof(Key));

bool start() {
  return sodium_init() >= 0;
}

void random(std::span<std::uint8_t> into) {
  randombytes_buf(into.data(), into.size());
}
Key random_key() {
  Key out{};
  random(out);
  return out;
}
void wipe(std::span<std::uint8_t> bytes) {
  sodium_memzero(bytes.data(), bytes.size());
}
void lock(std::span<std::uint8_t> bytes) {
  (void)sodium_mlock(bytes.data(), bytes.size());
}

Mac mac(const Key& key, const Authentic& message) {
  crypto_auth_hmacsha512256_state state;
  crypto_auth_hmacsha512256_init(&state, key.data(), key.size());
  const auto add = [&state](ByteView bytes) {
    crypto_auth_hmacsha512256_update(&state, bytes.data(), bytes.size());
  };
  add(as_bytes(kPurpose));
  add(message.broker_start);
  add(little_endian(message.connection));
  add(little_endian(message.counter));
  add(message.content);
  Mac out{};
  crypto_auth_hmacsha512256_final(&state, out.data());
  sodium_memzero(&state, sizeof state);
  return out;
}

bool verify(const Key& key, const Authentic& message, ByteView theirs) {
  const Mac ours = mac(key, message);
  return theirs.size() == ours.size() &&
         sodium_memcmp(ours.data(), theirs.data(), ours.size()) == 0;
}

BoxKeys box_keys() {
  BoxKeys out{};
  crypto_box_keypair(out.open.data(), out.secret.data());
  return out;
}

Bytes seal_box(ByteView plain, const Key& open) {
  Bytes out(plain.size() + crypto_box_SEALBYTES);
  crypto_box_seal(out.data(), plain.data(), plain.size(), open.data());
  return out;
}

std::optional<Bytes> open_box(ByteView box, const BoxKeys& keys) {
  if (box.size() < crypto_box_SEALBYTES) {
    return std::nullopt;
  }
  Bytes out(box.size() - crypto_box_SEALBYTES);
  if (crypto_box_seal_open(out.data(), box.data(), box.size(), keys.open.data(),
                           keys.secret.data()) != 0) {
    return std::nullopt;
  }
  return out;
}

}  // namespace rb::seal
