// run_plan.h — which blocks a `run` goes through, in document order.
// Display blocks aren't steps. A block that can't run yet is a step that is passed over with a
// note; one that a person must look at first (incomplete, destructive, terminal) ends the run
// there.
#pragma once

#include <string>
#include <vector>

#include "client/ctl/context.h"

namespace rb::ctl {

struct Step {
  const client::BlockInfo* block = nullptr;  // of the opened runbook, which must live as long
  bool runs = false;
  bool stops_here = false;  // the run ends before it, with 126
  std::string why_not;
};

// `names`: ids or unique prefixes; empty for all. kUnknown for a name that no block has, kRefused
// for a named block that can't run; both are said.
[[nodiscard]] Got<std::vector<Step>> plan_run(const Context& context, const client::Opened& opened,
                                              const std::vector<std::string>& names);

// The blocks that will be started.
[[nodiscard]] std::vector<const client::BlockInfo*> blocks_of(const std::vector<Step>& steps);

// The block of that id or unique prefix; nullptr after it was said why not.
[[nodiscard]] const client::BlockInfo* find_block(const Context& context,
                                                  const client::RunbookInfo& info,
                                                  const std::string& name);

}  // namespace rb::ctl
