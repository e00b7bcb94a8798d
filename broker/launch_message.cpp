// What a script starts with, and the message that carries it to the monitor.
#include <map>

#include "broker/starting.h"
#include "policy/builtin.h"
#include "protocol/wire.h"

namespace rb::brk {
namespace {

void fill_limits(const policy::Limits& from, monitor::Limits::Builder into) {
  into.setTimeoutMs(from.timeout_ms);
  into.setOutputBytes(from.output_bytes);
  into.setProcesses(from.processes);
  into.setMemoryBytes(from.memory_bytes);
  into.setOpenFiles(from.open_files);
  into.setFileBytes(from.file_bytes);
  into.setTmpBytes(from.tmp_bytes);
  into.setStopGraceMs(from.stop_grace_ms);
}

template <typename List>
void fill_data(List into, const std::vector<std::string>& from) {
  for (unsigned i = 0; i < into.size(); ++i) {
    into.set(i, wire::data(as_bytes(from[i])));
  }
}

monitor::ScriptAs script_as(const Starting& start) {
  if (start.executable->kind == "file") {
    return monitor::ScriptAs::IN_TREE;
  }
  return start.interpreter.reads_memory ? monitor::ScriptAs::MEMORY : monitor::ScriptAs::FILE;
}

}  // namespace

void make_environment(Starting& start) {
  const Session& session = start.session();
  start.environment = policy::pass_variables(start.profile, session.environment->variables());
  start.cwd = start.markdown() ? start.runbook->folder_path : start.work_path;
  const auto set = [&start](const std::string& name, const std::string& value) {
    std::erase_if(start.environment,
                  [&](const std::string& entry) { return entry.starts_with(name + "="); });
    start.environment.push_back(name + "=" + value);
  };
  for (const std::string& name : start.grants.variables) {
    if (const std::string_view value = session.environment->value(name); !value.empty()) {
      set(name, std::string(value));
    }
  }
  for (const std::string& variable : start.joined.variables) {
    const std::size_t equals = variable.find('=');
    set(variable.substr(0, equals), variable.substr(equals + 1));
  }
  const std::map<std::string, std::string> own{
      {"SESSION_ID", session.id},       {"RUN_ID", std::to_string(start.run->number)},
      {"RUN_DIR", start.work_path},     {"STEP", ""},
      {"RUNBOOK", start.runbook->name}, {"BLOCK", start.block}};
  for (const auto& [name, value] : own) {
    set("RUNBOOKD_" + name, value);
    if (start.markdown()) {
      set("RUNSHEETS_" + name, value);
    }
  }
  set("RUNBOOK_WORK", start.work_path);
  set("RUNBOOK_OUTPUT", (start.profile.sandboxed() ? std::string(policy::kResultsFolder)
                                                   : start.execution_path + "/results") +
                            "/output");
  if (start.profile.work == policy::WorkFolder::AllowWrite) {  // elsewhere nothing shows it
    set("GENERATED_FILES", start.execution_path + "/generated");
  }
  set("PWD", start.cwd);
  std::erase_if(start.environment,
                [](const std::string& entry) { return entry.starts_with("OLDPWD="); });
}

Bytes launch_message(const Broker& broker, const Starting& start) {
  const Environment& session = *start.session().environment;
  return wire::build<monitor::ToMonitor>([&](auto root) {
    monitor::Launch::Builder launch = root.initLaunch();
    launch.setExecution(wire::text(start.execution->id));
    launch.setSession(wire::text(start.execution->session));
    launch.setKey(wire::data(start.execution->key));
    launch.setProfile(wire::text(start.profile.name));
    fill_data(launch.initArgv(static_cast<unsigned>(start.interpreter.argv.size())),
              start.interpreter.argv);
    launch.setScript(script_as(start));
    launch.setScriptName(wire::text(start.executable->kind == "file" ? start.executable->path
                                                                     : std::string("script")));
    fill_data(launch.initEnvironment(static_cast<unsigned>(start.environment.size())),
              start.environment);
    launch.setCwd(wire::text(start.cwd));
    launch.setHome(wire::text(std::string(session.value("HOME"))));
    launch.setWorkPath(wire::text(start.work_path));
    launch.setTreePath(wire::text(start.runbook->folder_path));
    launch.setFilter(wire::data(broker.facts.of(start.profile.name).filter));
    fill_limits(start.limits, launch.initLimits());
    launch.setUmask(policy::umask_of(start.profile, session.umask()));
    auto hidden = launch.initHidden(2);
    hidden.set(0, wire::text(broker.places.state_path()));
    hidden.set(1, wire::text(broker.places.runtime_path()));
    const auto tools = policy::tool_folders(start.profile);
    auto tool_folders = launch.initToolFolders(static_cast<unsigned>(tools.size()));
    for (unsigned i = 0; i < tools.size(); ++i) {
      tool_folders.set(i, wire::text(std::string(tools[i])));
    }
    launch.setUsePty(start.executable->use_pty);
    launch.setTreeWritable(!start.profile.sandboxed());
    launch.setIsCheck(start.executable->type == "check");
    auto grants = launch.initGrants(static_cast<unsigned>(start.grants.places.size()));
    for (unsigned i = 0; i < grants.size(); ++i) {
      grants[i].setPath(wire::text(start.grants.places[i].path));
      grants[i].setWritable(start.grants.places[i].writable);
    }
    auto kinds = launch.initDescriptors(static_cast<unsigned>(start.kinds.size()));
    for (unsigned i = 0; i < kinds.size(); ++i) {
      kinds.set(i, start.kinds[i]);
    }
  });
}

}  // namespace rb::brk
