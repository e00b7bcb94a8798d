// launch.h — one Launch message as a value of ours.   [TRUSTED: monitor]
// In:     a message of the broker and its descriptors, or the same bytes passed on to PID 1.
// Out:    Launch, with everything in it that a rule can check checked: paths are absolute and
//         clean, strings hold no NUL, descriptors are there, a sandboxed profile has a filter.
// Errors: Invalid, naming the rule; the caller answers setupFailed and nothing is built.
// Source: protocol/monitor.capnp.
#pragma once

#include <protocol/monitor.capnp.h>

#include <string>
#include <vector>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/result.h"
#include "policy/profile.h"

namespace rb::mon {

enum class ScriptAs { Memory, File, InTree };

// A folder, file or socket that the operator added.
struct Grant {
  std::string path;  // inside
  bool writable = false;
  Fd fd;  // O_PATH
};

struct Launch {
  std::string execution;
  std::string session;
  Bytes key;
  policy::Profile profile;
  std::vector<std::string> argv;  // without the script's place
  ScriptAs script_as = ScriptAs::Memory;
  std::string script_name;  // file name; with InTree relative to the tree
  std::vector<std::string> environment;
  std::string cwd;
  std::string home;       // "" when there is none to show
  std::string work_path;  // "" when there is none
  std::string tree_path;  // "" when none is mounted
  // Not in the message: where the descriptors lie, asked of the kernel.
  std::string generated_path;
  std::string host_script;  // outside a sandbox; set by PID 1
  Bytes filter;
  policy::Limits limits;
  unsigned umask = 077;
  std::vector<std::string> hidden;
  std::vector<std::string> tool_folders;
  bool use_pty = false;
  bool is_check = false;

  Fd script;
  Fd output;
  Fd index;
  Fd folder;
  Fd work;
  Fd tree;
  Fd listener;
  Fd cgroup;
  Fd generated;
  std::vector<Grant> grants;
};

[[nodiscard]] Result<Launch> parse_launch(monitor::Launch::Reader from, std::vector<Fd> fds);

// "/a/b": absolute, no empty part, no "." and "..", no NUL; "/" itself counts.
[[nodiscard]] bool is_clean_path(std::string_view path);

}  // namespace rb::mon
