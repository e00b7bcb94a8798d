// The second layer: what the mounts already say, said again by path.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <string>
#include <vector>

#include "broker/monitor/jail.h"

#include "policy/builtin.h"

namespace rb::mon {
namespace {

// The kernel's stable numbers (linux/landlock.h), which older headers lack.
constexpr std::uint64_t kExecute = 1U << 0, kWriteFile = 1U << 1, kReadFile = 1U << 2,
                        kReadFolder = 1U << 3;
constexpr std::uint64_t kSince1 = (1U << 13) - 1;
constexpr std::uint64_t kRefer = 1U << 13;        // ABI 2
constexpr std::uint64_t kTruncate = 1U << 14;     // ABI 3
constexpr std::uint64_t kDeviceIoctl = 1U << 15;  // ABI 5
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceIoctl;
constexpr std::uint64_t kAllScopes = 3;  // abstract sockets and signals, ABI 6
constexpr unsigned kAskVersion = 1;
constexpr int kRuleBeneath = 1;

struct Attributes {
  std::uint64_t files;
  std::uint64_t network;
  std::uint64_t scopes;
};
struct [[gnu::packed]] Beneath {
  std::uint64_t allowed;
  std::int32_t folder;
};

Status allow(int rules, const std::string& path, std::uint64_t rights) {
  const Fd folder(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!folder) {
    return errno_error("open");
  }
  const Beneath beneath{rights, folder.get()};
  return ::syscall(SYS_landlock_add_rule, rules, kRuleBeneath, &beneath, 0) < 0
             ? Status(errno_error("landlock_add_rule"))
             : done();
}

// What a kernel of this ABI knows; it refuses a longer structure and bits it doesn't know.
struct Fit {
  Attributes attributes;
  std::size_t size;
};
Fit fit(int abi) {
  Fit out{{kSince1, 0, 0}, 8};
  out.attributes.files |= abi >= 2 ? kRefer : 0;
  out.attributes.files |= abi >= 3 ? kTruncate : 0;
  out.attributes.files |= abi >= 5 ? kDeviceIoctl : 0;
  if (abi >= 4) {
    out.size = 16;
  }
  if (abi >= 6) {
    out.attributes.scopes = kAllScopes;
    out.size = 24;
  }
  return out;
}

struct Rule {
  std::string path;
  std::uint64_t rights;
};
std::vector<Rule> rules_of(const Launch& launch, std::uint64_t all) {
  std::vector<Rule> out{{"/", kExecute | kReadFile | kReadFolder},
                        {"/proc", kReadFile | kReadFolder | kWriteFile | (all & kTruncate)},
                        {"/dev", all & ~kExecute},
                        {"/dev/shm", all},
                        {"/tmp", all},
                        {std::string(policy::kResultsFolder), all},
                        {"/var/tmp", all}};
  if (launch.profile.home == policy::Home::AllowPrivateWrite && launch.home.size() > 1) {
    out.push_back({launch.home, all});
  }
  if (launch.profile.work == policy::WorkFolder::AllowWrite && launch.work) {
    out.push_back({launch.work_path, all});
  }
  if (launch.profile.work == policy::WorkFolder::AllowWrite && launch.generated) {
    out.push_back({launch.generated_path, all});
  }
  for (const Grant& grant : launch.grants) {
    struct stat facts {};
    const bool known = grant.writable && ::fstat(grant.fd.get(), &facts) == 0;
    if (known && (S_ISDIR(facts.st_mode) || S_ISREG(facts.st_mode))) {
      // The kernel takes no right of folders for a file.
      out.push_back({grant.path, S_ISDIR(facts.st_mode) ? all : all & kOfFiles});
    }
  }
  return out;
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

Status restrict_paths(const Launch& launch) {
  const int abi = landlock_abi();
  if (abi < 1) {
    errno = ENOSYS;
    return errno_error("no Landlock");
  }
  const auto [attributes, size] = fit(abi);
  const Fd rules(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
  if (!rules) {
    return errno_error("landlock_create_ruleset");
  }
  for (const Rule& rule : rules_of(launch, attributes.files)) {
    if (Status allowed = allow(rules.get(), rule.path, rule.rights); !allowed) {
      return allowed;
    }
  }
  return ::syscall(SYS_landlock_restrict_self, rules.get(), 0) < 0
             ? Status(errno_error("landlock_restrict_self"))
             : done();
}

}  // namespace rb::mon
