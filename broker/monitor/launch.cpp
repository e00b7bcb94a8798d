#include "broker/monitor/launch.h"

#include <linux/filter.h>

#include <algorithm>
#include <utility>

#include "policy/builtin.h"
#include "protocol/wire.h"

namespace rb::mon {
namespace {

constexpr std::size_t kKeyBytes = 32;

Error refused(std::string_view rule) {
  return error(Code::Invalid, "launch: " + std::string(rule));
}

Fd* place_of(Launch& launch, monitor::Descriptor kind) {
  switch (kind) {
    case monitor::Descriptor::SCRIPT:
      return &launch.script;
    case monitor::Descriptor::OUTPUT:
      return &launch.output;
    case monitor::Descriptor::INDEX:
      return &launch.index;
    case monitor::Descriptor::FOLDER:
      return &launch.folder;
    case monitor::Descriptor::WORK:
      return &launch.work;
    case monitor::Descriptor::TREE:
      return &launch.tree;
    case monitor::Descriptor::LISTENER:
      return &launch.listener;
    case monitor::Descriptor::CGROUP:
      return &launch.cgroup;
    case monitor::Descriptor::GENERATED:
      return &launch.generated;
    case monitor::Descriptor::GRANT:  // the first that has none yet
      for (Grant& grant : launch.grants) {
        if (!grant.fd) {
          return &grant.fd;
        }
      }
      break;
    case monitor::Descriptor::UNSET:
      break;
  }
  return nullptr;
}

Status take_descriptors(Launch& launch, monitor::Launch::Reader from, std::vector<Fd>& fds) {
  if (from.getDescriptors().size() != fds.size()) {
    return refused("descriptors don't match their list");
  }
  std::size_t at = 0;
  for (const monitor::Descriptor kind : from.getDescriptors()) {
    Fd* place = place_of(launch, kind);
    if (place == nullptr || place->open()) {
      return refused("a descriptor is unknown or there twice");
    }
    *place = std::move(fds[at++]);
  }
  if (!launch.script || !launch.output || !launch.index || !launch.folder) {
    return refused("script, output, index or folder is missing");
  }
  return done();
}

bool take_strings(capnp::List<capnp::Data>::Reader from, std::vector<std::string>& to) {
  for (const capnp::Data::Reader entry : from) {
    to.emplace_back(as_text(ByteView(entry.begin(), entry.size())));
    if (to.back().find('\0') != std::string::npos) {
      return false;
    }
  }
  return true;
}

policy::Limits limits_of(monitor::Limits::Reader from) {
  policy::Limits limits;
  limits.timeout_ms = from.getTimeoutMs();
  limits.output_bytes = from.getOutputBytes();
  limits.processes = from.getProcesses();
  limits.memory_bytes = from.getMemoryBytes();
  limits.open_files = from.getOpenFiles();
  limits.file_bytes = from.getFileBytes();
  limits.tmp_bytes = from.getTmpBytes();
  limits.stop_grace_ms = from.getStopGraceMs();
  return limits;
}

bool is_whole(const Grant& grant) {
  return grant.fd && is_clean_path(grant.path);
}

Status check_paths(const Launch& launch) {
  if (!is_clean_path(launch.cwd)) {
    return refused("the folder to start in isn't an absolute path");
  }
  for (const std::string* path : {&launch.work_path, &launch.tree_path}) {
    if (!path->empty() && !is_clean_path(*path)) {
      return refused("a path isn't absolute and clean");
    }
  }
  if (!std::all_of(launch.grants.begin(), launch.grants.end(), is_whole)) {
    return refused("a grant has no descriptor or no clean path");
  }
  for (const std::string& path : launch.hidden) {
    if (!is_clean_path(path)) {
      return refused("a hidden path isn't absolute and clean");
    }
  }
  for (const std::string& path : launch.tool_folders) {
    if (!is_clean_path("/" + path)) {
      return refused("a tool folder isn't a clean relative path");
    }
  }
  if (launch.script_as != ScriptAs::Memory && !is_clean_path("/" + launch.script_name)) {
    return refused("the script's name isn't a clean relative path");
  }
  return done();
}

Status check(const Launch& launch) {
  if (launch.key.size() != kKeyBytes) {
    return refused("the key isn't 32 bytes");
  }
  if (launch.argv.empty() || !is_clean_path(launch.argv.front())) {
    return refused("the interpreter isn't an absolute path");
  }
  for (const std::string& entry : launch.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return refused("an environment entry has no name");
    }
  }
  const bool filtered = !launch.filter.empty() && launch.filter.size() % sizeof(sock_filter) == 0;
  if (launch.profile.sandboxed() && !filtered) {
    return refused("a sandbox needs a system-call filter");
  }
  return check_paths(launch);
}

Status read_script_as(Launch& launch, monitor::ScriptAs from) {
  switch (from) {
    case monitor::ScriptAs::MEMORY:
      launch.script_as = ScriptAs::Memory;
      return done();
    case monitor::ScriptAs::FILE:
      launch.script_as = ScriptAs::File;
      return done();
    case monitor::ScriptAs::IN_TREE:
      launch.script_as = ScriptAs::InTree;
      return done();
    case monitor::ScriptAs::UNSET:
      break;
  }
  return refused("how the script is handed over isn't said");
}

}  // namespace

bool is_clean_path(std::string_view path) {
  if (path.empty() || path.front() != '/' || path.find('\0') != std::string_view::npos) {
    return false;
  }
  for (std::size_t at = 1; path.size() > 1 && at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    at = end + 1;
  }
  return true;
}

Result<Launch> parse_launch(monitor::Launch::Reader from, std::vector<Fd> fds) {
  Launch launch;
  launch.execution = wire::text(from.getExecution());
  launch.session = wire::text(from.getSession());
  launch.key = wire::bytes(from.getKey());
  std::optional<policy::Profile> profile = policy::find_profile(wire::text(from.getProfile()));
  if (!profile) {
    return refused("no such profile");
  }
  launch.profile = std::move(*profile);
  if (!take_strings(from.getArgv(), launch.argv) ||
      !take_strings(from.getEnvironment(), launch.environment)) {
    return refused("a NUL in the arguments or the environment");
  }
  if (Status status = read_script_as(launch, from.getScript()); !status) {
    return status.failure();
  }
  launch.script_name = wire::text(from.getScriptName());
  launch.cwd = wire::text(from.getCwd());
  launch.home = wire::text(from.getHome());
  if (!is_clean_path(launch.home)) {
    launch.home.clear();  // a person's variable, not a rule's: then there is no home inside
  }
  launch.work_path = wire::text(from.getWorkPath());
  launch.tree_path = wire::text(from.getTreePath());
  launch.filter = wire::bytes(from.getFilter());
  launch.limits = limits_of(from.getLimits());
  launch.umask = from.getUmask() & 0777;
  for (const capnp::Text::Reader path : from.getHidden()) {
    launch.hidden.push_back(wire::text(path));
  }
  for (const capnp::Text::Reader path : from.getToolFolders()) {
    launch.tool_folders.push_back(wire::text(path));
  }
  for (const auto grant : from.getGrants()) {
    launch.grants.push_back({wire::text(grant.getPath()), grant.getWritable(), Fd()});
  }
  launch.use_pty = from.getUsePty();
  launch.is_check = from.getIsCheck();
  if (Status taken = take_descriptors(launch, from, fds); !taken) {
    return taken.failure();
  }
  if (Status checked = check(launch); !checked) {
    return checked.failure();
  }
  return launch;
}

}  // namespace rb::mon
