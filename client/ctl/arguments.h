// arguments.h — words of the command line to the arguments of one verb.
// Only arguments.cpp includes CLI11. The common options are taken out into the context.
#pragma once

#include <string>
#include <vector>

#include "client/ctl/context.h"
#include "common/result.h"

namespace rb::ctl {

// --session ID, --json, --quiet, --help: every verb has them.
[[nodiscard]] std::span<const OptionSpec> common_options();

struct Parsed {
  Arguments arguments;
  bool help = false;
};

// Invalid with a sentence for the person who typed it.
[[nodiscard]] Result<Parsed> parse_arguments(const Command& command,
                                             const std::vector<std::string>& words,
                                             Context& context);

}  // namespace rb::ctl
