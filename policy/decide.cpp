#include "policy/decide.h"

#include <utility>

#include "policy/builtin.h"

namespace rb::policy {

std::string_view default_profile(std::string_view block_type) {
  return block_type == "check" ? "inspect" : "workspace";
}

Decision decide(const Request& request) {
  if (request.role != Role::Operator) {
    return Refuse{Why::NotPermitted,
                  "agents may start nothing until a policy rule lets them: ask an operator"};
  }
  const std::string_view of_block =
      request.block_profile.empty() ? default_profile(request.block_type) : request.block_profile;
  const std::string_view name = request.asked_profile.empty() ? of_block : request.asked_profile;
  // A runbook's author asks, never grants: wider than the default needs the operator's own word.
  if (request.asked_profile.empty() && name == "host") {
    return Refuse{Why::NotPermitted,
                  "this block asks for the profile host: say --profile host if it shall have it"};
  }
  std::optional<Profile> profile = find_profile(name);
  if (!profile) {
    return Refuse{Why::UnknownProfile,
                  "no profile has this name: there are inspect, workspace, sealed and host"};
  }
  return Allow{std::move(*profile)};
}

}  // namespace rb::policy
