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
  // Probes by doing; takes some milliseconds.
  [[nodiscard]] static Facts probe();

  // "" when the profile can be enforced, else what is missing.
  [[nodiscard]] std::string why_not(const std::string& profile) const;
  // What doesn't bind here although the profile can be used, or "".
  [[nodiscard]] std::string notice(const std::string& profile) const;
  // The profile's compiled system-call filter; empty for unsandboxed ones.
  [[nodiscard]] const Bytes& filter(const std::string& profile) const;

 private:
  struct OfProfile {
    std::string missing;
    std::string notice;
    Bytes filter;
  };
  std::map<std::string, OfProfile> profiles_;
};

}  // namespace rb::brk
