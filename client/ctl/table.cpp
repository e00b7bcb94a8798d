#include <array>

#include "client/ctl/commands.h"

namespace rb::ctl {
namespace {

constexpr std::array<const Command*, 27> kTable = {
    &kInit,       &kCheck,        &kOpen,        &kClose,       &kList,         &kShow,
    &kRun,        &kPs,           &kLogs,        &kAttach,      &kWait,         &kStop,
    &kEvents,     &kSessionStart, &kSessionNote, &kSessionShow, &kSessionLog,   &kSessionList,
    &kSessionEnv, &kSessionEnd,   &kRecordList,  &kRecordShow,  &kRecordVerify, &kDoctor,
    &kCompletion, &kVersion,      &kHelp};

}  // namespace

std::span<const Command* const> commands() {
  return kTable;
}

const Command* find_command(std::string_view name) {
  for (const Command* command : kTable) {
    if (name == command->name) {
      return command;
    }
  }
  return nullptr;
}

}  // namespace rb::ctl
