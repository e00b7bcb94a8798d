// completion.h — completion scripts, written from the table of verbs alone.
#pragma once

#include <string>
#include <string_view>

namespace rb::ctl {

// "" for a shell that isn't known.
[[nodiscard]] std::string completion_script(std::string_view shell);

}  // namespace rb::ctl
