// grants.h — what an operator may add to a sandbox by one word.   [TRUSTED: broker; client shows]
// A credential set is files below home, shown read-only where they are there, a socket that a
// variable names, and variables of the session. Nothing that equals the profile `host` is a set:
// docker, podman and libvirt sockets, the session bus, X11.
// Source: DESIGN §7; docs/SECURITY.md §Grants.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace rb::policy {

struct CredentialSet {
  std::string_view name;
  std::vector<std::string_view> files;      // below home: folders or files
  std::vector<std::string_view> variables;  // passed where the session has them
  std::string_view socket_variable;         // "" for none; it is passed too
};

[[nodiscard]] std::span<const CredentialSet> credential_sets();
// nullptr where there is none of that name.
[[nodiscard]] const CredentialSet* find_credential_set(std::string_view name);

}  // namespace rb::policy
