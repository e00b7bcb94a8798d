// wire.h — Cap'n Proto messages to bytes and back.   [every process]
// Encoding only: no RPC, no event loop of that library. Its exceptions end here: past these
// functions a malformed message is an Error. Readers point into the bytes: copy what is kept.
// Source: DESIGN §3; docs/PROTOCOL.md §Encoding.
#pragma once

#include <capnp/any.h>
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <kj/exception.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "common/bytes.h"
#include "common/result.h"
#include "protocol/limits.h"

namespace rb::wire {

// One flat message (segment table first), as it goes into a frame, a packet or a Data field.
[[nodiscard]] inline Bytes encode(capnp::MessageBuilder& message) {
  const kj::Array<capnp::word> words = capnp::messageToFlatArray(message);
  const auto bytes = words.asBytes();
  return {bytes.begin(), bytes.end()};
}

// Builds a message in place: encode<front::ClientMessage>([](auto m) { m.initHello(); }).
template <typename Root, typename Fill>
[[nodiscard]] Bytes build(Fill&& fill) {
  capnp::MallocMessageBuilder message;
  std::forward<Fill>(fill)(message.initRoot<Root>());
  return encode(message);
}

// Reads one flat message and calls use(Root::Reader) -> Status within its limits. `use` copies what
// it keeps. Invalid for anything malformed, also where `use` meets it while following pointers.
template <typename Root, typename Use>
[[nodiscard]] Status read(ByteView bytes, int nesting, Use&& use) {
  if (bytes.size() % sizeof(capnp::word) != 0 || bytes.empty()) {
    return error(Code::Invalid, "malformed message");
  }
  // A copy only where the storage isn't aligned: Data inside another message may not be.
  kj::Array<capnp::word> copy;
  const auto* words = reinterpret_cast<const capnp::word*>(bytes.data());
  const std::size_t count = bytes.size() / sizeof(capnp::word);
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(capnp::word) != 0) {
    copy = kj::heapArray<capnp::word>(count);
    std::memcpy(copy.begin(), bytes.data(), bytes.size());
    words = copy.begin();
  }
  try {
    capnp::ReaderOptions options;
    options.traversalLimitInWords = count * limits::kTraversalFactor + 64;
    options.nestingLimit = nesting;
    capnp::FlatArrayMessageReader reader(kj::arrayPtr(words, count), options);
    if (reader.getEnd() != words + count) {
      return error(Code::Invalid, "malformed message: bytes are left over");
    }
    return std::forward<Use>(use)(reader.getRoot<Root>());
  } catch (const kj::Exception&) {  // its text carries compared values: never shown
    return error(Code::Invalid, "malformed message");
  }
}

// Before a filter is loaded: the first exception of that library opens the unwinder's file.
inline void warm_up() {
  const std::array<std::uint8_t, 8> malformed{0xFF, 0xFF, 0xFF, 0xFF};
  (void)read<capnp::AnyPointer>(malformed, 1, [](auto) { return done(); });
}

[[nodiscard]] inline std::string text(capnp::Text::Reader from) {
  return {from.cStr(), from.size()};
}
[[nodiscard]] inline Bytes bytes(capnp::Data::Reader from) {
  return {from.begin(), from.end()};
}
[[nodiscard]] inline capnp::Data::Reader data(ByteView from) {
  return {from.data(), from.size()};
}
[[nodiscard]] inline capnp::Text::Reader text(const std::string& from) {
  return {from.c_str(), from.size()};
}

}  // namespace rb::wire
