#include "broker/monitor/probe.h"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "broker/filter.h"
#include "policy/builtin.h"

namespace rb::mon {
namespace {

std::string tried(const char* profile) {
  const policy::Profile wanted = *policy::find_profile(profile);
  const Result<Bytes> filter = brk::compile_filter(wanted, {probe().landlock_abi});
  REQUIRE(filter.ok());
  return try_launch(wanted, *filter);
}

Bytes program(sock_filter step) {
  Bytes out(sizeof step);
  std::memcpy(out.data(), &step, sizeof step);
  return out;
}

}  // namespace

TEST_CASE("probe: every sandboxed profile is launched whole") {
  for (const char* profile : {"inspect", "workspace", "sealed"}) {
    CAPTURE(profile);
    CHECK(tried(profile).empty());
  }
}

TEST_CASE("probe: the stage that fails is named, from the first mount to the filter") {
  for (const char* stage :
       {"make mounts private", "mount the root", "mount /usr", "mount /proc", "mount /dev/pts",
        "forbid user namespaces", "mount /tmp", "mount /dev/shm", "enter the root",
        "find the interpreter", "leave the old root", "streams", "limits", "descriptors",
        "privileges", "landlock", "seccomp"}) {
    CAPTURE(stage);
    ::setenv("RB_FAULT", stage, 1);
    const std::string why = tried("workspace");
    ::unsetenv("RB_FAULT");
    CHECK(why == std::string(stage) + ": Input/output error");
  }
}

TEST_CASE("probe: what one profile alone needs is missing in that one alone") {
  ::setenv("RB_FAULT", "network namespace", 1);
  CHECK(tried("sealed") == "network namespace: Input/output error");
  CHECK(tried("workspace").empty());
  ::unsetenv("RB_FAULT");
}

TEST_CASE("probe: a filter that can't be loaded or lets nothing run is found out") {
  const policy::Profile workspace = *policy::find_profile("workspace");
  const std::string invalid = try_launch(workspace, program({0xffff, 0, 0, 0}));
  CHECK(invalid == "seccomp: Invalid argument");
  CHECK_FALSE(
      try_launch(workspace, program({BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS})).empty());
}

}  // namespace rb::mon
