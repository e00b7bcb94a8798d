#include "broker/filter.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "common/io.h"
#include "policy/syscalls.h"

namespace rb::brk {
namespace {

constexpr std::uint32_t kBinaryTree = 2;                        // SCMP_FLTATR_CTL_OPTIMIZE
constexpr std::size_t kMostBytes = 4096 * sizeof(sock_filter);  // the kernel's BPF_MAXINSNS

using Context = std::unique_ptr<std::remove_pointer_t<scmp_filter_ctx>, decltype(&seccomp_release)>;

Error refused(std::string_view what, int code) {
  return Error{Code::Unsupported, "seccomp filter: " + std::string(what), -code};
}

Result<Context> fresh(std::uint32_t otherwise) {
  Context context(seccomp_init(otherwise), seccomp_release);
  if (!context) {
    return error(Code::Unsupported, "seccomp filter: init");
  }
  int code = seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  if (code == 0) {
    code = seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, kBinaryTree);
  }
  if (code != 0) {
    return refused("attributes", code);
  }
  return context;
}

Result<Bytes> exported(const Context& context) {
  const Fd file(::memfd_create("filter", MFD_CLOEXEC));
  if (!file) {
    return errno_error("memfd_create");
  }
  if (const int code = seccomp_export_bpf(context.get(), file.get()); code != 0) {
    return refused("export", code);
  }
  if (::lseek(file.get(), 0, SEEK_SET) < 0) {
    return errno_error("lseek");
  }
  return read_all(file.get(), kMostBytes);
}

Status add_names(const Context& context, std::string_view names, std::uint32_t action) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    const std::string name(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    const int number = seccomp_syscall_resolve_name(name.c_str());
    if (number == __NR_SCMP_ERROR) {
      return refused("unknown call " + name, -EINVAL);
    }
    if (const int code = seccomp_rule_add(context.get(), action, number, 0); code != 0) {
      return refused(name, code);
    }
  }
  return done();
}

// Which calls exist at all: everything that isn't named answers ENOSYS.
Result<Bytes> compile_calls() {
  Result<Context> context = fresh(SCMP_ACT_ERRNO(ENOSYS));
  if (!context) {
    return context.failure();
  }
  if (Status added = add_names(*context, policy::allowed_calls(), SCMP_ACT_ALLOW); !added) {
    return added.failure();
  }
  if (Status added = add_names(*context, policy::refused_calls(), SCMP_ACT_ERRNO(EPERM)); !added) {
    return added.failure();
  }
  for (const int number : policy::allowed_numbers()) {
    if (const int code = seccomp_rule_add(context->get(), SCMP_ACT_ALLOW, number, 0); code != 0) {
      return refused("call " + std::to_string(number), code);
    }
  }
  return exported(*context);
}

// Which uses of them are refused: everything that no rule names is allowed.
Result<Bytes> compile_arguments(const std::vector<policy::ArgumentRule>& rules) {
  Result<Context> context = fresh(SCMP_ACT_ALLOW);
  if (!context) {
    return context.failure();
  }
  const auto compare = [](const policy::ArgumentRule::Test& test) {
    return scmp_arg_cmp{test.argument, SCMP_CMP_MASKED_EQ, test.mask, test.value};
  };
  for (const policy::ArgumentRule& rule : rules) {
    const std::string name(rule.call);
    const int number = seccomp_syscall_resolve_name(name.c_str());
    const scmp_arg_cmp tests[] = {compare(rule.test), compare(rule.second)};
    const auto action = SCMP_ACT_ERRNO(static_cast<std::uint16_t>(rule.errnum));
    const int code =
        seccomp_rule_add_array(context->get(), action, number, rule.also ? 2 : 1, tests);
    if (code != 0) {
      return refused("arguments of " + name, code);
    }
  }
  return exported(*context);
}

// One program that asks `first` and, where that allows, `second`: an allowing return of the first
// becomes a jump behind its end. (libseccomp itself can't say "refuse these uses of an allowed call
// and answer ENOSYS to unknown ones" with masks in one filter.)
Bytes joined(const Bytes& first, const Bytes& second) {
  std::vector<sock_filter> code((first.size() + second.size()) / sizeof(sock_filter));
  std::memcpy(code.data(), first.data(), first.size());
  std::memcpy(code.data() + first.size() / sizeof(sock_filter), second.data(), second.size());
  const std::size_t end = first.size() / sizeof(sock_filter);
  for (std::size_t i = 0; i < end; ++i) {
    if (code[i].code == (BPF_RET | BPF_K) && code[i].k == SECCOMP_RET_ALLOW) {
      code[i] = sock_filter{BPF_JMP | BPF_JA, 0, 0, static_cast<std::uint32_t>(end - i - 1)};
    }
  }
  Bytes out(code.size() * sizeof(sock_filter));
  std::memcpy(out.data(), code.data(), out.size());
  return out;
}

bool is_scoped(const FilterFacts& facts) {
  return facts.landlock_abi >= kSocketScopesSince;
}

}  // namespace

bool has_unix_sockets(const policy::Profile& profile, const FilterFacts& facts) {
  return policy::has_unix_sockets(profile, is_scoped(facts));
}

Result<Bytes> compile_filter(const policy::Profile& profile, const FilterFacts& facts) {
  if (!profile.sandboxed()) {
    return Bytes{};
  }
  const bool scoped = is_scoped(facts);
  const Result<Bytes> arguments = compile_arguments(policy::argument_rules(profile, scoped));
  if (!arguments) {
    return arguments.failure();
  }
  const Result<Bytes> calls = compile_calls();
  if (!calls) {
    return calls.failure();
  }
  Bytes program = joined(*arguments, *calls);
  if (program.size() > kMostBytes) {
    return error(Code::Unsupported, "seccomp filter: longer than the kernel takes");
  }
  return program;
}

}  // namespace rb::brk
