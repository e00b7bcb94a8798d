// follow.h — where a path leads beneath a folder, links included.   [UNTRUSTED: reader, load mode]
// In:     the folder's descriptor and a relative path.
// Out:    the same place without links in it, or why there is none. Every step is opened by
//         descriptor beneath the folder; what a link says is resolved here, one part at a time, so
//         that nothing outside is ever opened and version control's folders stay out of reach.
// Errors: Followed::state.
#pragma once

#include <cstdint>
#include <string>

namespace rb::rdr {

enum class FollowState : std::uint8_t { Found, Out, Broken, Unreadable };

struct Followed {
  FollowState state = FollowState::Broken;
  std::string path;  // Found: without links; "" is the folder itself
  std::uint32_t mode = 0;
};

[[nodiscard]] Followed follow(int folder, const std::string& path);

}  // namespace rb::rdr
