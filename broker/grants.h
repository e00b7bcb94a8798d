// grants.h — the folders, files and sockets that one start adds to its sandbox.   [TRUSTED: broker]
// In:     what the operator asked for, under the request's MAC: names of credential sets, and the
//         identity of each place to read, to write or to connect to; `places` are their descriptors
//         in this order, one for each, and are taken. The session's environment says where home is;
//         `runbook` is the folder that scripts see as a sealed copy, and nothing in it becomes
//         writable.
// Out:    open O_PATH descriptors and where inside each will lie; or the refusal for the client.
//         What withheld.h names, and places of the kernel and of other programs' sockets (/proc
//         /sys /dev /run) are refused; of sockets those that equal the profile `host`.
// Source: DESIGN §7; docs/SECURITY.md §Grants.
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "broker/refusal.h"
#include "common/fd.h"
#include "policy/profile.h"
#include "protocol/front.capnp.h"

namespace rb::brk {

struct Broker;
class Environment;

struct Grant {
  std::string set;  // "aws"; "" for a path
  std::string path;
  bool writable = false;
  Fd fd;
};
struct Grants {
  std::vector<Grant> places;
  std::vector<std::string> variables;  // names that pass beside the profile's
};

// What grants of one start are judged by.
struct Ground {
  const Broker& broker;
  const Environment& session;
  const std::string& runbook;
};
// "", or why scripts can't get this place, to follow its name in a sentence.
[[nodiscard]] std::string why_not_granted(const Ground& ground, const Fd& place, bool writable);
[[nodiscard]] std::variant<Grants, Refusal> resolve_grants(const Ground& ground,
                                                           const policy::Profile& profile,
                                                           front::Start::Reader from,
                                                           std::span<Fd> places);

}  // namespace rb::brk
