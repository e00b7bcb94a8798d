// facts.h — what this machine can enforce, found out once at start.   [TRUSTED: broker]
// A profile that it can't is refused by name, never weakened.
// Source: DESIGN §7.
#pragma once

#include <map>
#include <string>

#include "common/bytes.h"

namespace rb::brk {

class Facts {
 public:
  struct OfProfile {
    std::string missing;       // "" when it can be enforced
    std::string notice;        // what doesn't bind here although it can be used
    bool unix_sockets = true;  // can be connected to
    Bytes filter;              // compiled; empty for an unsandboxed one
  };
  // Probes by doing; takes some milliseconds.
  [[nodiscard]] static Facts probe();
  [[nodiscard]] const OfProfile& of(const std::string& profile) const;

 private:
  std::map<std::string, OfProfile> profiles_;
};

}  // namespace rb::brk
