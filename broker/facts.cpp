#include "broker/facts.h"

#include "broker/filter.h"
#include "broker/monitor/probe.h"
#include "policy/builtin.h"

namespace rb::brk {

Facts Facts::probe() {
  Facts out;
  const mon::Facts machine = mon::probe();
  for (const policy::Profile& profile : policy::builtin_profiles()) {
    OfProfile& facts = out.profiles_[profile.name];
    facts.notice = policy::what_does_not_bind(profile, machine.root);
    if (!profile.sandboxed()) {
      continue;
    }
    Result<Bytes> filter = compile_filter(profile, {machine.landlock_abi});
    facts.unix_sockets = has_unix_sockets(profile, {machine.landlock_abi});
    facts.missing = machine.missing();
    if (filter) {
      facts.filter = std::move(*filter);
    } else if (facts.missing.empty()) {
      facts.missing = filter.failure().text();
    }
    if (facts.missing.empty()) {
      const std::string why = mon::try_launch(profile, facts.filter);
      facts.missing = why.empty() ? "" : "this machine refuses it (" + why + ")";
    }
  }
  return out;
}

const Facts::OfProfile& Facts::of(const std::string& profile) const {
  static const OfProfile unknown{"no such profile", "", false, {}};
  const auto found = profiles_.find(profile);
  return found == profiles_.end() ? unknown : found->second;
}

}  // namespace rb::brk
