#include <sys/syscall.h>
#include <unistd.h>

#include "common/confine.h"
#include "common/fd.h"

namespace rb::confine {
namespace {

// The kernel's numbers, ours because the header of the machine that builds may be older than the
// kernel that runs (linux/landlock.h, stable interface).
constexpr std::uint64_t kReadFile = 1U << 2;
constexpr std::uint64_t kReadFolder = 1U << 3;
constexpr std::uint64_t kFilesSince1 = (1U << 13) - 1;
constexpr std::uint64_t kRefer = 1U << 13;        // ABI 2
constexpr std::uint64_t kTruncate = 1U << 14;     // ABI 3
constexpr std::uint64_t kIoctlDevice = 1U << 15;  // ABI 5
constexpr std::uint64_t kBindAndConnect = 3;      // ABI 4
constexpr std::uint64_t kSocketsAndSignals = 3;   // ABI 6
constexpr unsigned kAskVersion = 1;
constexpr int kRuleBeneath = 1;

struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};
struct [[gnu::packed]] BeneathAttributes {
  std::uint64_t allowed;
  std::int32_t folder;
};

}  // namespace

LandlockFit fit_landlock(int abi) {
  LandlockFit fit;
  if (abi < 1) {
    return fit;
  }
  fit.files = kFilesSince1 | (abi >= 2 ? kRefer : 0) | (abi >= 3 ? kTruncate : 0) |
              (abi >= 5 ? kIoctlDevice : 0);
  fit.network = abi >= 4 ? kBindAndConnect : 0;
  fit.scopes = abi >= 6 ? kSocketsAndSignals : 0;
  fit.size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
  return fit;
}

Status restrict_files(int folder) {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  if (abi < 1) {
    return error(Code::Unsupported, "this kernel has no Landlock");
  }
  const LandlockFit fit = fit_landlock(static_cast<int>(abi));
  const RulesetAttributes attributes{fit.files, fit.network, fit.scopes};
  const Fd rules(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, fit.size, 0)));
  if (!rules) {
    return errno_error("landlock_create_ruleset");
  }
  if (folder >= 0) {
    const BeneathAttributes beneath{kReadFile | kReadFolder, folder};
    if (::syscall(SYS_landlock_add_rule, rules.get(), kRuleBeneath, &beneath, 0) < 0) {
      return errno_error("landlock_add_rule");
    }
  }
  if (::syscall(SYS_landlock_restrict_self, rules.get(), 0) < 0) {
    return errno_error("landlock_restrict_self");
  }
  return done();
}

}  // namespace rb::confine
