// refusal.h — why a request isn't done: a value, never an Error.   [TRUSTED: broker]
// The text is one sentence and what to do. It holds no secret and no compared value.
#pragma once

#include <string>

#include "protocol/front.capnp.h"

namespace rb::brk {

struct Refusal {
  front::Reason reason = front::Reason::NONE;
  std::string text;
};

}  // namespace rb::brk
