#include "tests/support/bpf.h"

#include <linux/audit.h>

#include <cstring>
#include <vector>

namespace rb::testing {
namespace {

struct Machine {
  std::uint32_t a = 0;
  std::uint32_t x = 0;
  std::array<std::uint32_t, BPF_MEMWORDS> memory{};
};

bool arithmetic(Machine& machine, const sock_filter& step) {
  const std::uint32_t operand = BPF_SRC(step.code) == BPF_X ? machine.x : step.k;
  switch (BPF_OP(step.code)) {
    case BPF_ADD:
      machine.a += operand;
      return true;
    case BPF_SUB:
      machine.a -= operand;
      return true;
    case BPF_AND:
      machine.a &= operand;
      return true;
    case BPF_OR:
      machine.a |= operand;
      return true;
    case BPF_XOR:
      machine.a ^= operand;
      return true;
    default:
      return false;
  }
}

std::optional<std::size_t> jump(const Machine& machine, const sock_filter& step) {
  if (BPF_OP(step.code) == BPF_JA) {
    return step.k;
  }
  const std::uint32_t operand = BPF_SRC(step.code) == BPF_X ? machine.x : step.k;
  bool holds = false;
  switch (BPF_OP(step.code)) {
    case BPF_JEQ:
      holds = machine.a == operand;
      break;
    case BPF_JGT:
      holds = machine.a > operand;
      break;
    case BPF_JGE:
      holds = machine.a >= operand;
      break;
    case BPF_JSET:
      holds = (machine.a & operand) != 0;
      break;
    default:
      return std::nullopt;
  }
  return holds ? step.jt : step.jf;
}

bool load(Machine& machine, const sock_filter& step, const seccomp_data& call) {
  const bool to_x = BPF_CLASS(step.code) == BPF_LDX;
  std::uint32_t value = 0;
  if (step.code == (BPF_LD | BPF_W | BPF_ABS)) {
    if (step.k % 4 != 0 || step.k + 4 > sizeof call) {
      return false;
    }
    std::memcpy(&value, reinterpret_cast<const char*>(&call) + step.k, sizeof value);
  } else if (BPF_MODE(step.code) == BPF_IMM) {
    value = step.k;
  } else if (BPF_MODE(step.code) == BPF_MEM && step.k < BPF_MEMWORDS) {
    value = machine.memory[step.k];
  } else {
    return false;
  }
  (to_x ? machine.x : machine.a) = value;
  return true;
}

bool plain(Machine& machine, const sock_filter& step, const seccomp_data& call) {
  switch (BPF_CLASS(step.code)) {
    case BPF_LD:
    case BPF_LDX:
      return load(machine, step, call);
    case BPF_ST:
    case BPF_STX:
      if (step.k >= BPF_MEMWORDS) {
        return false;
      }
      machine.memory[step.k] = BPF_CLASS(step.code) == BPF_ST ? machine.a : machine.x;
      return true;
    case BPF_ALU:
      return arithmetic(machine, step);
    case BPF_MISC:
      (BPF_MISCOP(step.code) == BPF_TAX ? machine.x : machine.a) =
          BPF_MISCOP(step.code) == BPF_TAX ? machine.a : machine.x;
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<std::uint32_t> evaluate(std::span<const sock_filter> program,
                                      const seccomp_data& call) {
  Machine machine;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    if (BPF_CLASS(step.code) == BPF_RET) {
      return BPF_RVAL(step.code) == BPF_A ? machine.a : step.k;
    }
    if (BPF_CLASS(step.code) == BPF_JMP) {
      const std::optional<std::size_t> distance = jump(machine, step);
      if (!distance) {
        return std::nullopt;
      }
      at += *distance;
    } else if (!plain(machine, step, call)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> answer(ByteView program, int number,
                                    std::array<std::uint64_t, 6> arguments) {
  std::vector<sock_filter> steps(program.size() / sizeof(sock_filter));
  std::memcpy(steps.data(), program.data(), steps.size() * sizeof(sock_filter));
  seccomp_data call{};
  call.nr = number;
  call.arch = AUDIT_ARCH_X86_64;
  std::memcpy(call.args, arguments.data(), sizeof call.args);
  return evaluate(steps, call);
}

}  // namespace rb::testing
