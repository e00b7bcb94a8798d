// builtin.h — the profiles that come with the product, and what they list by name.   [TRUSTED]
// Pure: no file is read. A name that isn't listed here is no profile.
// Source: DESIGN §7; threats 11 to 15.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/profile.h"

namespace rb::policy {

[[nodiscard]] std::optional<Profile> find_profile(std::string_view name);
// All, widest last: inspect, workspace, sealed, host.
[[nodiscard]] std::vector<Profile> builtin_profiles();
// What a profile doesn't bind here, in words, or "". `root`: the daemon's uid is 0.
[[nodiscard]] std::string what_does_not_bind(const Profile& profile, bool root);

// Where a sandbox has the folder of $RUNBOOK_OUTPUT: in memory, private, and read back at the end.
inline constexpr std::string_view kResultsFolder = "/run/runbook/results";

// Markdown blocks have a shorter default timeout than MDX blocks.
[[nodiscard]] Limits default_limits(const Profile& profile, bool markdown);

// Folders of / that are shown read-only where they exist, relative. Parts of /var by name only:
// logs, spools and caches aren't for scripts.
[[nodiscard]] std::span<const std::string_view> system_folders();
// Folders below home that hold tools and no credentials, shown read-only where they exist.
[[nodiscard]] std::span<const std::string_view> tool_folders(const Profile& profile);
[[nodiscard]] std::uint32_t umask_of(const Profile& profile, std::uint32_t session);
// Names of files and folders that tools execute by themselves, or take commands from, when somebody
// works beside them: read-only below every folder that an operator lets scripts change.
[[nodiscard]] std::span<const std::string_view> protected_names();

// What an execution gets of the session's variables ("NAME=value"), in their order. Entries
// without a name or '=' and exported shell functions never pass a list.
[[nodiscard]] std::vector<std::string> pass_variables(const Profile& profile,
                                                      const std::vector<std::string>& session);
// A name that makes a loader, shell or interpreter run or load something: it passes from nowhere.
[[nodiscard]] bool is_loader_variable(std::string_view name);
// False also for names that come near one.
[[nodiscard]] bool may_be_input(std::string_view name);

}  // namespace rb::policy
