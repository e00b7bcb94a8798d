// machine.h — what this machine can enforce, found by doing where that is harmless.   [doctor]
#pragma once

#include <string>
#include <vector>

namespace rb::ctl {

struct Fact {
  std::string name;
  bool good = false;
  std::string text;    // what was found
  std::string advice;  // what to do where it isn't good; "" for nothing
};

[[nodiscard]] std::vector<Fact> look_at_machine();

}  // namespace rb::ctl
