// grants.h — what an operator may add to a sandbox by one word.   [TRUSTED: broker; client shows]
// A credential set is files below home and those that variables name, shown read-only where they
// are there, a socket that a variable names, and variables of the session. Nothing that equals the
// profile `host` is a set: docker, podman and libvirt sockets, the session bus, X11.
// Source: DESIGN §7; docs/SECURITY.md §Grants.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace rb::policy {

// A variable whose value is the place of a file or folder.
struct NamedPlace {
  std::string_view variable;
  std::string_view below{};  // "/config.json": of the folder that it names, this alone
  bool list = false;         // several, with ':' between
};

struct CredentialSet {
  std::string_view name;
  std::vector<std::string_view> files;      // below home: folders or files
  std::vector<std::string_view> variables;  // passed where the session has them
  std::vector<NamedPlace> named;            // passed too; each lies inside where it says
  std::string_view socket_variable;         // "" for none; it is passed too
};

[[nodiscard]] std::span<const CredentialSet> credential_sets();
// Certificates that every profile with a network passes and shows, where nothing withheld is named.
[[nodiscard]] const CredentialSet& certificates();
// nullptr where there is none of that name.
[[nodiscard]] const CredentialSet* find_credential_set(std::string_view name);

// The socket at this path, as the kernel has it, gives who reaches it what the profile `host` does:
// containers of the machine, the session's services, the screen. Known by the names they have.
[[nodiscard]] bool equals_host(std::string_view socket);

}  // namespace rb::policy
