// filter.h — a profile's system-call filter as a program for the kernel.   [TRUSTED: broker]
// In:     a profile and what this machine offers.
// Out:    a raw array of sock_filter, loaded unchanged by monitors; empty for unsandboxed profiles.
//         Compiled once a profile, as a binary tree: a monitor never calls libseccomp.
// Errors: Unsupported where libseccomp can't make it; never a weaker program.
// Source: DESIGN §7; policy/syscalls.h has the lists. Only includer of libseccomp in trusted code.
#pragma once

#include "common/bytes.h"
#include "common/result.h"
#include "policy/profile.h"

namespace rb::brk {

// Landlock ABI. Below it filters refuse every socket of AF_UNIX: nothing would hold it to the
// sandbox.
inline constexpr int kSocketScopesSince = 6;

struct FilterFacts {
  int landlock_abi = 0;
};

// Whether a program of this kernel may be given a socket.
[[nodiscard]] bool has_unix_sockets(const policy::Profile& profile, const FilterFacts& facts);
[[nodiscard]] Result<Bytes> compile_filter(const policy::Profile& profile,
                                           const FilterFacts& facts);

}  // namespace rb::brk
