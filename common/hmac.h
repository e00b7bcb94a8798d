// hmac.h — HMAC-SHA-256 (RFC 2104) over common/digest.h.   [broker, monitor]
// With it a later broker proves to a monitor that it has the execution's key. Client requests use
// libsodium's MAC instead (common/seal.h), which a monitor doesn't link.
#pragma once

#include "common/bytes.h"
#include "common/digest.h"

namespace rb {

[[nodiscard]] Digest hmac_sha256(ByteView key, ByteView message);

// Compares in a time that depends on the lengths alone; false when they differ.
[[nodiscard]] bool same_bytes(ByteView left, ByteView right);

}  // namespace rb
