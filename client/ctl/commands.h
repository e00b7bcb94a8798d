// commands.h — every verb of this version, in the order in which help lists them.
#pragma once

#include "client/ctl/command.h"

namespace rb::ctl {

extern const Command kInit, kCheck, kOpen, kClose, kList, kShow;
extern const Command kRun, kPs, kLogs, kAttach, kWait, kStop, kEvents;
extern const Command kSessionStart, kSessionNote, kSessionShow, kSessionLog, kSessionList;
extern const Command kSessionEnv, kSessionEnd;
extern const Command kRecordList, kRecordShow, kRecordVerify;
extern const Command kDoctor, kCompletion, kVersion, kHelp;

// All of them.
[[nodiscard]] std::span<const Command* const> commands();
// By name; nullptr when there is no such verb.
[[nodiscard]] const Command* find_command(std::string_view name);

}  // namespace rb::ctl
