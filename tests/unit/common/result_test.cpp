#include "common/result.h"

#include <doctest/doctest.h>

#include "common/clock.h"

using namespace rb;  // NOLINT(google-build-using-namespace): a test of one namespace

TEST_CASE("result: holds a value or the reason there is none") {
  const Result<int> good = 7;
  const Result<int> bad = error(Code::NotFound, "no such thing");
  CHECK(good.ok());
  CHECK(*good == 7);
  CHECK_FALSE(bad.ok());
  CHECK(bad.failure().code == Code::NotFound);
  CHECK(bad.failure().text() == "no such thing");
}

TEST_CASE("error: the kernel's reason follows ours, and context goes in front") {
  errno = ENOENT;
  const Error failure = within("open runbook", errno_error("openat2 failed"));
  CHECK(failure.text() == "open runbook: openat2 failed: No such file or directory");
  CHECK(failure.errnum == ENOENT);
}

TEST_CASE("wall text: UTC with milliseconds, every one padded") {
  CHECK(wall_text(0) == "1970-01-01T00:00:00.000Z");
  CHECK(wall_text(1'796'056'833'007) == "2026-11-30T16:40:33.007Z");
  const Nanos before = boot_now();
  CHECK(before <= boot_now());
}
