// Makes the stage that RB_FAULT names fail with EIO: linked into runbook-monitor-faulty alone.
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "broker/monitor/build.h"

namespace rb::mon {

int planned_fault(std::string_view stage) {
  const char* wanted = std::getenv("RB_FAULT");
  return wanted != nullptr && stage == wanted ? EIO : 0;
}

}  // namespace rb::mon
