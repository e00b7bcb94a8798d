#include "broker/filter.h"

#include <doctest/doctest.h>
#include <linux/audit.h>
#include <linux/seccomp.h>

#include <cstring>
#include <map>
#include <string>

#include "policy/builtin.h"
#include "tests/support/bpf.h"

namespace rb {
namespace {

enum class Answer { Allowed, Refused, Missing };
struct Row {
  int number;
  const char* name;
  Answer answer;
};
constexpr Row kTable[] = {
#include "tests/unit/monitor/syscall_table.inc"
};

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t fails(int errnum) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(errnum);
}
constexpr int kSocket = 41, kSocketpair = 53, kOpen = 2, kOpenat = 257, kClone = 56, kIoctl = 16,
              kPersonality = 135;

Bytes filter_of(const char* profile, int abi = 6) {
  Result<Bytes> program = brk::compile_filter(*policy::find_profile(profile), {abi});
  REQUIRE(program.ok());
  return std::move(*program);
}

}  // namespace

TEST_CASE("filter: answers every number from 0 to 600 as the table kept apart says") {
  for (const char* profile : {"inspect", "workspace", "sealed"}) {
    const Bytes program = filter_of(profile);
    std::map<int, Row> rows;
    for (const Row& row : kTable) {
      rows.emplace(row.number, row);
    }
    for (int number = 0; number <= 600; ++number) {
      const auto row = rows.find(number);
      const Answer wanted = row == rows.end() ? Answer::Missing : row->second.answer;
      const std::uint32_t value = wanted == Answer::Allowed   ? kAllow
                                  : wanted == Answer::Refused ? fails(EPERM)
                                                              : fails(ENOSYS);
      const std::uint64_t family = number == kSocket || number == kSocketpair ? 1 : 0;
      CAPTURE(profile);
      CAPTURE(number);
      CHECK(testing::answer(program, number, {family}) == value);
    }
  }
}

TEST_CASE("filter: kills entry by another architecture and by x32 numbers") {
  const Bytes program = filter_of("workspace");
  std::vector<sock_filter> steps(program.size() / sizeof(sock_filter));
  std::memcpy(steps.data(), program.data(), program.size());
  seccomp_data call{};
  for (const std::uint32_t arch :
       {std::uint32_t{AUDIT_ARCH_I386}, std::uint32_t{AUDIT_ARCH_AARCH64}, 0U}) {
    call.arch = arch;
    CHECK(testing::evaluate(steps, call) == std::uint32_t{SECCOMP_RET_KILL_PROCESS});
  }
  CHECK(testing::answer(program, 0x40000000 | 39) == std::uint32_t{SECCOMP_RET_KILL_PROCESS});
  CHECK(testing::answer(program, 0x40000000 | 165) == std::uint32_t{SECCOMP_RET_KILL_PROCESS});
}

TEST_CASE("filter: refuses terminal input and line disciplines whatever the upper bits say") {
  const Bytes program = filter_of("workspace");
  for (const std::uint64_t request : {0x5412ULL, 0x541cULL, 0x5423ULL}) {
    CHECK(testing::answer(program, kIoctl, {0, request}) == fails(EPERM));
    CHECK(testing::answer(program, kIoctl, {0, request | 1ULL << 32}) == fails(EPERM));
    CHECK(testing::answer(program, kIoctl, {0, request | ~0ULL << 32}) == fails(EPERM));
  }
  for (const std::uint64_t request : {0x5401ULL, 0x5413ULL, 0x5411ULL, 0x5424ULL, 0ULL}) {
    CHECK(testing::answer(program, kIoctl, {0, request}) == kAllow);
  }
}

TEST_CASE("filter: allows the socket families of the profile and no other, in every spelling") {
  const Bytes scoped = filter_of("workspace", 6);
  const Bytes unscoped = filter_of("workspace", 5);
  const Bytes own = filter_of("sealed", 5);  // its namespace divides sockets, with Landlock or not
  for (std::uint64_t family = 0; family < 300; ++family) {
    CAPTURE(family);
    const bool inet = family == 2 || family == 10;
    const bool local = family == 1;
    const bool netlink = family == 16;
    const auto wanted = [](bool allowed) { return allowed ? kAllow : fails(EAFNOSUPPORT); };
    for (const std::uint64_t noise : {0ULL, 1ULL << 32, ~0ULL << 32}) {
      CHECK(testing::answer(scoped, kSocket, {family | noise}) == wanted(inet || local || netlink));
      CHECK(testing::answer(unscoped, kSocket, {family | noise}) == wanted(inet || netlink));
      CHECK(testing::answer(own, kSocket, {family | noise}) == wanted(inet || local || netlink));
      CHECK(testing::answer(unscoped, kSocketpair, {family | noise}) == wanted(local));
    }
  }
  CHECK(testing::answer(scoped, kSocket, {1, 02000001, 0}) == kAllow);  // flags don't matter
  CHECK(testing::answer(scoped, kSocket, {0x80000001}) == fails(EAFNOSUPPORT));
}

TEST_CASE("filter: refuses namespaces by clone, one flag at a time, and keeps threads and forks") {
  const Bytes program = filter_of("workspace");
  for (const unsigned bit : {17U, 25U, 26U, 27U, 28U, 29U, 30U}) {
    CHECK(testing::answer(program, kClone, {1ULL << bit | 17}) == fails(EPERM));
  }
  CHECK(testing::answer(program, kClone, {17}) == kAllow);        // fork
  CHECK(testing::answer(program, kClone, {0x4111}) == kAllow);    // vfork
  CHECK(testing::answer(program, kClone, {0x3d0f00}) == kAllow);  // pthread_create
  CHECK(testing::answer(program, kClone, {0x7e020000}) == fails(EPERM));
}

TEST_CASE("filter: refuses set-user-id and set-group-id modes where a mode counts") {
  const Bytes program = filter_of("workspace");
  struct Place {
    int number;
    std::size_t mode;
  };
  for (const Place& place :
       {Place{90, 1}, Place{91, 1}, Place{268, 2}, Place{85, 1}, Place{133, 1}, Place{259, 2}}) {
    CAPTURE(place.number);
    for (std::uint64_t mode = 0; mode < 010000; mode += 0111) {
      std::array<std::uint64_t, 6> arguments{};
      arguments[place.mode] = mode;
      CHECK(testing::answer(program, place.number, arguments) ==
            ((mode & 06000) != 0 ? fails(EPERM) : kAllow));
    }
  }
  for (const std::uint64_t making : {0100ULL, 020200000ULL}) {
    CHECK(testing::answer(program, kOpen, {0, making, 04755}) == fails(EPERM));
    CHECK(testing::answer(program, kOpenat, {0, 0, making | 01, 02755}) == fails(EPERM));
    CHECK(testing::answer(program, kOpenat, {0, 0, making | 01, 0644}) == kAllow);
  }
  CHECK(testing::answer(program, kOpenat, {0, 0, 0, 0xffff}) == kAllow);  // noise: makes nothing
  CHECK(testing::answer(program, kOpenat, {0, 0, 0200000, 0xffff}) == kAllow);  // O_DIRECTORY
}

TEST_CASE("filter: lets personality be asked and nothing of it be weakened") {
  const Bytes program = filter_of("workspace");
  CHECK(testing::answer(program, kPersonality, {0xffffffff}) == kAllow);
  CHECK(testing::answer(program, kPersonality, {0}) == kAllow);
  CHECK(testing::answer(program, kPersonality, {8}) == kAllow);
  for (const std::uint64_t value :
       {0x400000ULL, 0x40000ULL, 0x440000ULL, 0x80400000ULL, 0xfffffffeULL, 0xfffffffbULL}) {
    CHECK(testing::answer(program, kPersonality, {value}) == fails(EPERM));
    CHECK(testing::answer(program, kPersonality, {value | 1ULL << 40}) == fails(EPERM));
  }
}

TEST_CASE("filter: host has none") {
  CHECK(filter_of("host").empty());
}

TEST_CASE("bpf: refuses programs that run off their end or hold unknown steps") {
  CHECK_FALSE(testing::answer({}, 0).has_value());
  const sock_filter wild[] = {{0xffff, 0, 0, 0}};
  seccomp_data call{};
  CHECK_FALSE(testing::evaluate(wild, call).has_value());
}

}  // namespace rb
