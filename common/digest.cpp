#include "common/digest.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // see digest.h: chosen on purpose
#include <openssl/sha.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace rb {
namespace {

static_assert(sizeof(SHA256_CTX) <= 112, "Hasher::state_ is too small");

}  // namespace

std::optional<Digest> digest_from_hex(std::string_view hex) {
  const std::optional<Bytes> bytes = from_hex(hex);
  return bytes ? digest_from_bytes(*bytes) : std::nullopt;
}

std::optional<Digest> digest_from_bytes(ByteView bytes) {
  Digest out;
  if (bytes.size() != out.bytes.size()) {
    return std::nullopt;
  }
  std::copy(bytes.begin(), bytes.end(), out.bytes.begin());
  return out;
}

Hasher::Hasher() {
  SHA256_CTX context;
  SHA256_Init(&context);
  std::memcpy(state_.data(), &context, sizeof context);
}

Hasher& Hasher::add(ByteView bytes) {
  SHA256_CTX context;
  std::memcpy(&context, state_.data(), sizeof context);
  SHA256_Update(&context, bytes.data(), bytes.size());
  std::memcpy(state_.data(), &context, sizeof context);
  return *this;
}

Hasher& Hasher::field(ByteView bytes) {
  std::array<std::uint8_t, 8> length{};
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(bytes.size()) >> (8 * i));
  }
  return add(length).add(bytes);
}

Hasher& Hasher::field(std::uint64_t number) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(number >> (8 * i));
  }
  return field(ByteView(bytes));
}

Digest Hasher::digest() const {
  SHA256_CTX copy;
  std::memcpy(&copy, state_.data(), sizeof copy);
  Digest out;
  SHA256_Final(out.bytes.data(), &copy);
  return out;
}

Digest sha256(ByteView bytes) {
  return Hasher().add(bytes).digest();
}

Result<Digest> sha256_of_file(int fd, std::uint64_t offset, std::uint64_t length) {
  Hasher hasher;
  Bytes buffer(256 * 1024);
  while (length > 0) {
    const std::size_t wanted = std::min<std::uint64_t>(length, buffer.size());
    const ssize_t got = ::pread(fd, buffer.data(), wanted, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return errno_error("read");
    }
    if (got == 0) {
      return error(Code::Invalid, "the file is shorter than its recorded length");
    }
    hasher.add(ByteView(buffer).first(static_cast<std::size_t>(got)));
    offset += static_cast<std::uint64_t>(got);
    length -= static_cast<std::uint64_t>(got);
  }
  return hasher.digest();
}

}  // namespace rb
