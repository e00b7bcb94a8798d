#include "client/ctl/run_plan.h"

#include <algorithm>

#include "client/lib/escape.h"
#include "client/lib/text.h"

namespace rb::ctl {
namespace {

using client::BlockInfo;
using client::Opened;

// Blocks that nobody would expect to run: fences that are shown, forms, remarks.
bool only_shown(const BlockInfo& block) {
  return block.kind == "display" || block.kind == "expect" || block.type == "inputs" ||
         block.type == "admonition" || block.type == "iframe";
}

// A person has to do something first: complete the block, or confirm it.
bool needs_somebody(const Opened& opened, const BlockInfo& block) {
  if (block.kind == "destructive" || block.kind == "terminal") {
    return true;
  }
  return std::any_of(opened.problems.begin(), opened.problems.end(),
                     [&](const client::Problem& problem) {
                       return problem.severity == client::Severity::Error &&
                              !problem.block.empty() && problem.block == block.id;
                     });
}

std::string why_not(const Opened& opened, const BlockInfo& block) {
  if (!block.why_not.empty()) {
    return client::label(block.why_not);
  }
  for (const client::Problem& problem : opened.problems) {
    if (problem.block == block.id && problem.severity == client::Severity::Error) {
      return client::label(problem.text);
    }
  }
  return only_shown(block) ? "it is only shown" : "it can't be run";
}

Step step_for(const Opened& opened, const BlockInfo& block) {
  Step out;
  out.block = &block;
  out.runs = block.runnable;
  if (!out.runs) {
    out.why_not = why_not(opened, block);
    out.stops_here = needs_somebody(opened, block);
  }
  return out;
}

}  // namespace

const BlockInfo* find_block(const Context& context, const client::RunbookInfo& info,
                            const std::string& name) {
  const BlockInfo* found = nullptr;
  std::vector<std::string> ids;
  unsigned fits = 0;
  for (const BlockInfo& block : info.blocks) {
    if (block.id == name) {
      return &block;
    }
    ids.push_back(block.id);
    if (!name.empty() && block.id.compare(0, name.size(), name) == 0) {
      ++fits;
      found = &block;
    }
  }
  if (fits == 1) {
    return found;
  }
  const std::string near = client::closest(name, ids);
  const std::string what = fits == 0 ? "no block " : "several blocks begin with ";
  (void)context.fail(
      kUnknown,
      what + client::label(name) + " in " + client::label(info.name) +
          (fits > 0 || near.empty() ? "" : "; did you mean " + client::label(near) + "?"));
  return nullptr;
}

Got<std::vector<Step>> plan_run(const Context& context, const Opened& opened,
                                const std::vector<std::string>& names) {
  Got<std::vector<Step>> out;
  std::vector<const BlockInfo*> wanted;
  for (const std::string& name : names) {
    const BlockInfo* block = find_block(context, opened.info, name);
    if (block == nullptr) {
      out.status = kUnknown;
      return out;
    }
    if (!block->runnable) {
      out.status = context.fail(
          kRefused, client::label(block->id) + " isn't run: " + why_not(opened, *block));
      return out;
    }
    wanted.push_back(block);
  }
  std::vector<Step> steps;
  for (const BlockInfo& block : opened.info.blocks) {
    const bool chosen = names.empty() ? block.runnable || !only_shown(block)
                                      : std::count(wanted.begin(), wanted.end(), &block) > 0;
    if (chosen) {
      steps.push_back(step_for(opened, block));
    }
  }
  out.value = std::move(steps);
  return out;
}

std::vector<const BlockInfo*> blocks_of(const std::vector<Step>& steps) {
  std::vector<const BlockInfo*> out;
  for (const Step& step : steps) {
    if (step.runs) {
      out.push_back(step.block);
    }
  }
  return out;
}

}  // namespace rb::ctl
