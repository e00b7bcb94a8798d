// vet.h — whether a client's message has the form the broker may see.   [front]
// In:     a request as it came, the front's role, how many descriptors came along.
// Out:    Forward, Refuse (an answer; the connection goes on), or End (broken rules: it doesn't).
// Decides nothing: what is understood and permitted here is judged again by the broker, which
// doesn't believe a front. Texts never repeat a client's bytes.
// Source: docs/PROTOCOL.md §Forms.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/front.capnp.h"

namespace rb::fnt {

struct Verdict {
  enum class Kind : std::uint8_t { Forward, Refuse, End };
  Kind kind = Kind::Forward;
  front::Reason reason = front::Reason::NONE;
  std::string text;
};

[[nodiscard]] Verdict vet_request(front::Request::Reader request, front::Role role,
                                  std::size_t descriptors);
[[nodiscard]] Verdict vet_hello(front::Hello::Reader hello);
[[nodiscard]] Verdict vet_subscribe(front::Subscribe::Reader wanted);

}  // namespace rb::fnt
