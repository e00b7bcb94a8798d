// bpf.h — evaluates a seccomp program without a kernel.   [tests]
// Knows the instructions that the kernel's checker admits in seccomp filters and nothing else.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "common/bytes.h"

namespace rb::testing {

// The program's return value for one call, or nothing for a program that isn't well-formed.
[[nodiscard]] std::optional<std::uint32_t> evaluate(std::span<const sock_filter> program,
                                                    const seccomp_data& call);
// The same for a program in bytes and a call of this architecture.
[[nodiscard]] std::optional<std::uint32_t> answer(ByteView program, int number,
                                                  std::array<std::uint64_t, 6> arguments = {});

}  // namespace rb::testing
