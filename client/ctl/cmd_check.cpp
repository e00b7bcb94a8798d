#include <list>

#include "client/ctl/check_report.h"
#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/lib/paths.h"

namespace rb::ctl {
namespace {

constexpr std::size_t kAtOnce = 2;

constexpr OperandSpec kOperands[] = {
    {"PATH", "files, or folders with runbooks below them", true, true, Complete::Path}};
constexpr OptionSpec kOptions[] = {{"--strict", 0, "", "warnings count: exit status 1"}};

constexpr const char* kMore =
    "  Vets runbooks without a daemon; nothing of them runs, and they are parsed in a jail. Below "
    "a\n"
    "  folder every .md and .mdx is checked, but where there is a runbook.mdx or runbook.md only\n"
    "  that. Exit status: 126 when anything is refused or a block has an error.\n";

// Keeps a few jobs going and hands the results over in the order of the candidates.
class Checking {
 public:
  Checking(Loop& loop, const std::vector<Candidate>& candidates)
      : loop_(loop), candidates_(candidates), results_(candidates.size()) {}

  template <typename Each>
  std::vector<Checked> all(Each each) {
    std::size_t told = 0;
    while (told < candidates_.size()) {
      while (next_ < candidates_.size() && active_ < kAtOnce) {
        begin(next_++);
      }
      loop_.turn(true);
      for (; told < next_ && results_[told]; ++told) {
        each(*results_[told]);
        jobs_.remove_if([&](const auto& job) { return job.first == told; });
      }
    }
    std::vector<Checked> out;
    for (auto& result : results_) {
      out.push_back(std::move(*result));
    }
    return out;
  }

 private:
  void begin(std::size_t index) {
    ++active_;
    jobs_.emplace_back(
        index, std::make_unique<CheckJob>(loop_, client::program_folder(), candidates_[index],
                                          [this, index](Checked checked) {
                                            --active_;
                                            results_[index] = std::move(checked);
                                          }));
  }

  Loop& loop_;
  const std::vector<Candidate>& candidates_;
  std::vector<std::optional<Checked>> results_;
  std::list<std::pair<std::size_t, std::unique_ptr<CheckJob>>> jobs_;
  std::size_t next_ = 0;
  std::size_t active_ = 0;
};

int run_check(Context& context, const Arguments& arguments) {
  std::vector<Candidate> candidates;
  for (const std::string& path : arguments.operands_from(0)) {
    if (Status found = find_runbooks(path, candidates); !found) {
      return context.fail(found.failure());
    }
  }
  if (candidates.empty()) {
    return context.fail(kUnknown, "no .md or .mdx file there");
  }
  const std::vector<Checked> all =
      Checking(context.loop(), candidates).all([&](const Checked& checked) {
        context.print(context.json ? checked_json(checked) + "\n"
                                   : checked_text(checked, context.terminal.colour_out));
      });
  if (!context.json) {
    context.hint(check_summary(all));
  }
  return check_status(all, arguments.has("--strict"));
}

}  // namespace

const Command kCheck{"check",  "vet runbooks without a daemon", kOperands, kOptions, kMore,
                     run_check};

}  // namespace rb::ctl
