#include "tests/support/allowed_calls_table.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "tests/support/bpf.h"

namespace rb::testing {
namespace {

using confine::Filter;

enum class If { Always, NotExecutable, AnonymousData, SafeCommand, ByDescriptor, SetFilter };

struct Allowed {
  Filter filter;
  int number;
  If condition;
};

constexpr std::array kTable = {
#define CALL(filter, number, name, condition) Allowed{Filter::filter, number, If::condition},
#include "tests/support/allowed_calls.inc"
#undef CALL
};

using Arguments = std::array<std::uint64_t, 6>;
constexpr std::uint64_t kHigh = std::uint64_t{1} << 32;  // the kernel ignores it in an int

struct Cases {
  std::vector<Arguments> admitted;
  std::vector<Arguments> refused;
};

Cases cases_of(If condition) {
  switch (condition) {
    case If::Always:
      return {{{}, {~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL}}, {}};
    case If::NotExecutable:
      return {{{0, 0, PROT_READ}, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE}},
              {{0, 0, PROT_EXEC}, {0, 0, PROT_READ | PROT_EXEC, MAP_ANONYMOUS}}};
    case If::AnonymousData:
      return {{{0, 0, PROT_READ, MAP_ANONYMOUS}, {0, 0, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS}},
              {{0, 0, PROT_READ, MAP_PRIVATE}, {0, 0, PROT_EXEC, MAP_ANONYMOUS}}};
    case If::SafeCommand:
      return {{{3, F_GETFL}, {3, F_SETFL}, {3, F_DUPFD_CLOEXEC}, {3, F_ADD_SEALS}},
              {{3, F_SETOWN}, {3, F_DUPFD}, {3, F_SETLK}, {3, F_SETSIG}, {3, F_SETOWN | kHigh}}};
    case If::ByDescriptor:
      return {{{3, 0, 0, AT_EMPTY_PATH}},
              {{3, 0, 0, 0}, {3, 0, 0, AT_SYMLINK_NOFOLLOW}, {3, 0, 0, kHigh}}};
    case If::SetFilter:
      return {{{1, 0, 1}}, {{0, 0, 1}, {2, 0, 1}, {3, 0, 1}}};
  }
  return {};
}

bool allowed(const std::vector<Bytes>& programs, int number, const Arguments& arguments,
             std::uint32_t architecture) {
  return std::all_of(programs.begin(), programs.end(), [&](const Bytes& program) {
    seccomp_data call{};
    call.nr = number;
    call.arch = architecture;
    std::copy(arguments.begin(), arguments.end(), call.args);
    std::vector<sock_filter> steps(program.size() / sizeof(sock_filter));
    std::memcpy(steps.data(), program.data(), steps.size() * sizeof(sock_filter));
    const auto answer = evaluate(steps, call);
    return answer && *answer == SECCOMP_RET_ALLOW;
  });
}

// Whatever isn't allowed must end the process: at least one program says so.
bool killed(const std::vector<Bytes>& programs, int number, const Arguments& arguments,
            std::uint32_t architecture) {
  return std::any_of(programs.begin(), programs.end(), [&](const Bytes& program) {
    seccomp_data call{};
    call.nr = number;
    call.arch = architecture;
    std::copy(arguments.begin(), arguments.end(), call.args);
    std::vector<sock_filter> steps(program.size() / sizeof(sock_filter));
    std::memcpy(steps.data(), program.data(), steps.size() * sizeof(sock_filter));
    const auto answer = evaluate(steps, call);
    return answer && *answer == SECCOMP_RET_KILL_PROCESS;
  });
}

class Comparison {
 public:
  explicit Comparison(const std::vector<Bytes>& programs) : programs_(programs) {}

  void must_allow(int number, const Arguments& arguments) {
    if (!allowed(programs_, number, arguments, AUDIT_ARCH_X86_64)) {
      found_.push_back("call " + std::to_string(number) + " is refused");
    }
  }
  void must_kill(int number, const Arguments& arguments,
                 std::uint32_t architecture = AUDIT_ARCH_X86_64) {
    if (!killed(programs_, number, arguments, architecture)) {
      found_.push_back("call " + std::to_string(number) + " doesn't end the process");
    }
  }
  [[nodiscard]] std::vector<std::string> found() const { return found_; }

 private:
  const std::vector<Bytes>& programs_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> differences(const std::vector<Bytes>& programs, Filter expected) {
  Comparison comparison(programs);
  for (int number = 0; number <= 600; ++number) {
    const auto row = std::find_if(kTable.begin(), kTable.end(), [&](const Allowed& each) {
      return each.filter == expected && each.number == number;
    });
    if (row == kTable.end()) {
      comparison.must_kill(number, {});
      comparison.must_kill(number, {1, 1, 1, 1, 1, 1});
    } else {
      const Cases cases = cases_of(row->condition);
      for (const Arguments& arguments : cases.admitted) {
        comparison.must_allow(number, arguments);
      }
      for (const Arguments& arguments : cases.refused) {
        comparison.must_kill(number, arguments);
      }
    }
    comparison.must_kill(number | 0x40000000, {});
    comparison.must_kill(number, {}, AUDIT_ARCH_I386);
  }
  return comparison.found();
}

}  // namespace rb::testing
