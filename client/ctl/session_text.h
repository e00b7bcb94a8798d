// session_text.h — sessions for people and for scripts.
#pragma once

#include <string>
#include <vector>

#include "client/lib/model.h"

namespace rb::ctl {

[[nodiscard]] std::string session_json(const client::SessionInfo& session);
[[nodiscard]] std::string sessions_json(const std::vector<client::SessionInfo>& list);
[[nodiscard]] std::string session_text(const client::SessionInfo& session);
[[nodiscard]] std::string sessions_text(const std::vector<client::SessionInfo>& list);
// What stands on the screen at the end: the record's place and its head.
[[nodiscard]] std::string ended_text(const client::SessionInfo& session);

}  // namespace rb::ctl
