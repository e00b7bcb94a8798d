// environment.h — a session's environment, and what an execution gets of it.   [TRUSTED: broker]
// It lives in memory alone, and is wiped with its owner. Names that make a loader, a shell or an
// interpreter run something else never pass, whatever the profile: they come from outside, and what
// runs is what was shown.
// Source: DESIGN §4, §7; threats 24 to 27.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/bytes.h"
#include "common/result.h"

namespace rb::brk {

class Environment {
 public:
  Environment() = default;
  // From the opened box: a flat front::Environment. Invalid for anything over a limit, without "=",
  // or with a NUL; a relative cwd too.
  [[nodiscard]] static Result<Environment> from_wire(ByteView plain);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  Environment(Environment&&) noexcept = default;
  Environment& operator=(Environment&& other) noexcept;
  ~Environment();

  // "" when there is none.
  [[nodiscard]] std::string_view value(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }
  // Names that were left out.
  [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }
  [[nodiscard]] const std::string& cwd() const { return cwd_; }
  [[nodiscard]] std::uint32_t umask() const { return umask_; }

 private:
  void wipe();

  std::vector<std::string> variables_;  // "NAME=value", each name once
  std::vector<std::string> refused_;
  std::string cwd_;
  std::uint32_t umask_ = 0077;
};

// [A-Za-z_][A-Za-z0-9_]*
[[nodiscard]] bool is_variable_name(std::string_view name);

}  // namespace rb::brk
