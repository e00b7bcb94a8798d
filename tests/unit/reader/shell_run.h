// shell_run.h — joins a script as the broker does and runs it in a folder of its own.  [tests]
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon/reader/model.h"

namespace rb::test {

using Values = std::map<std::string, std::string>;

// The rules of DESIGN §6, written a second time, apart from the broker's.
struct JoinedScript {
  bool refused = false;
  std::string script;
  std::vector<std::string> environment;  // RB_1=...
};
[[nodiscard]] JoinedScript join_script(const std::string& script,
                                       const std::vector<rdr::Piece>& trace, const Values& values);
// What the place of the piece lets through.
[[nodiscard]] bool accepts(const rdr::Piece& piece, const std::string& value);

struct ShellResult {
  int status = -1;
  std::string output;
  std::string errors;
  std::vector<std::string> files;  // what stands in its folder afterwards
};
// `shell` is looked up on PATH; standard input is empty; ended after 10 s.
[[nodiscard]] ShellResult run_shell(const std::string& shell, const JoinedScript& joined);
[[nodiscard]] bool has_program(const std::string& name);

}  // namespace rb::test
