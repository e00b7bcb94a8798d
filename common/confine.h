// confine.h — what an untrusted process of ours does to itself before it reads a hostile byte.
// [front, reader]  In main, in this order and before any thread exists:
//   into_namespaces(role)     own user, mount, pid, ipc, net, uts and cgroup namespaces, an empty
//   root;
//                             returns in the inner process only, the outer waits for it
//   (make the loop, warm libraries up: no file can be opened from here on)
//   narrow(role)              before the first receive: no new privileges, Landlock, seccomp
//   narrow_again(role, ...)   when the last descriptor has come; fronts go on receiving and don't
// Errors: the step that failed. The caller says so on stderr and exits with kCannotConfine, so that
// the broker can tell it from a crash: it then refuses to serve, and nothing ever runs weaker.
// Source: docs/ARCHITECTURE.md §Processes; threats 75, 80, 81. What each role may call:
// common/confine_filter.cpp, the only includer of libseccomp on the untrusted side.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/bytes.h"
#include "common/result.h"

namespace rb::confine {

inline constexpr int kLinkDescriptor = 3;  // every child of the broker finds its link here
inline constexpr int kCannotConfine = 77;  // exit status: this machine refuses a layer
inline constexpr int kOutOfMemory = 78;    // exit status: an allocation failed; nothing is guessed

enum class Role { Front, Loader, Reader, View };

// Keeps descriptors 2 (the log) and 3 (the link), closes all others, puts /dev/null on 0 and 1.
// The outer process holds nothing, may only wait, dies with its parent and takes the inner one
// along; it exits as the inner one did (128 + signal where a signal ended it). The inner process is
// PID 1 of its namespace, undumpable, without core files, capabilities, files and network.
[[nodiscard]] Status into_namespaces(Role role);

// Landlock (nothing beneath anything; loaders get theirs with the folder) and the role's first
// filter. A call outside the list ends the process with SIGSYS.
[[nodiscard]] Status narrow(Role role);

// The role's last filter, which allows no more receiving. A loader gives the folder it may read:
// files and folders beneath it, and no other, can be opened for reading from then on.
// Invalid for fronts. Costs one compiled program that narrow() has kept: no memory is taken.
[[nodiscard]] Status narrow_again(Role role, int folder = -1);

// What is looked at by tests and by narrow(): one program a stage, as the kernel takes it.
enum class Filter {
  Waiter,  // the outer process
  Front,
  LoaderStart,
  LoaderServing,
  ReaderStart,
  ReaderServing,
  ViewStart,
  ViewServing
};
[[nodiscard]] std::string_view name_of(Filter filter);
// The compiled program: an array of struct sock_filter.
[[nodiscard]] Result<Bytes> program_of(Filter filter);
// Loads a program for this process; needs no_new_privs.
[[nodiscard]] Status load_program(ByteView program);

// What a Landlock ruleset for this ABI handles; everything handled is refused but what a rule
// allows.
struct LandlockFit {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // from ABI 4
  std::uint64_t scopes = 0;   // from ABI 6
  std::size_t size = 0;  // of struct landlock_ruleset_attr, which older kernels refuse when longer
};
// Pure. All zero for abi < 1.
[[nodiscard]] LandlockFit fit_landlock(int abi);
// Opens nothing (folder -1), or reads beneath that folder alone. Unsupported without Landlock.
[[nodiscard]] Status restrict_files(int folder);

}  // namespace rb::confine
