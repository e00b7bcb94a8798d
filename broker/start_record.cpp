// A start as its journal tells of it, and its script on disk.
#include <unistd.h>

#include "broker/starting.h"
#include "common/folder.h"
#include "common/io.h"
#include "protocol/limits.h"

namespace rb::brk {
namespace {

void write_script(const Bytes& script, JsonWriter& line) {
  line.field("script_sha256", sha256(script).hex());
  if (script.size() > limits::kScriptInJournalBytes) {
    return;
  }
  if (is_utf8(as_text(script))) {
    line.field("script", as_text(script));
  } else {
    line.field("script_base64", to_base64(script));
  }
}

}  // namespace

Result<std::uint64_t> record_run(const Starting& start) {
  Session& session = start.session();
  JsonWriter line = session.journal->begin("run-opened", &start.call->actor);
  line.field("run", start.run->number).field("runbook", start.run->runbook);
  line.field("tree_digest", start.runbook->tree.hex()).field("work", start.work_path);
  return session.journal->append(std::move(line));
}

JsonWriter start_line(const Starting& start) {
  JsonWriter line = start.session().journal->begin("started", &start.call->actor);
  line.field("execution", start.execution->id).field("run", start.run->number);
  line.field("runbook", start.runbook->name).field("block", start.block);
  line.field("block_type", start.executable->type).field("block_line", start.executable->line);
  line.field("digest", start.executable->digest.hex());
  line.field("tree_digest", start.runbook->tree.hex()).field("request", start.call->request_hex);
  line.key("inputs").begin_object();
  for (const auto& [name, value] : start.joined.inputs) {
    line.field(name, as_bytes(value));
  }
  line.end_object().field("verbatim", start.verbatim).field("profile", start.profile.name);
  line.key("limits").begin_object();
  line.field("timeout_ms", start.limits.timeout_ms);
  line.field("output_bytes", start.limits.output_bytes);
  line.field("processes", start.limits.processes).field("memory_bytes", start.limits.memory_bytes);
  line.field("open_files", start.limits.open_files).field("tmp_bytes", start.limits.tmp_bytes);
  line.field("stop_grace_ms", start.limits.stop_grace_ms).end_object();
  line.field("interpreter", start.interpreter.argv.front());
  line.field("interpreter_sha256", start.interpreter.sha256.hex());
  line.key("argv").begin_array();
  for (const std::string& word : start.interpreter.argv) {
    line.text(word);
  }
  line.end_array().field("cwd", start.cwd).field("work", start.work_path);
  line.key("grants").begin_array();
  for (const Grant& grant : start.grants.places) {
    line.begin_object().field("set", grant.set).field("path", grant.path);
    line.field("writable", grant.writable).end_object();
  }
  line.end_array();
  line.key("environment_names").begin_array();
  for (const std::string& variable : start.environment) {
    line.text(std::string_view(variable).substr(0, variable.find('=')));
  }
  line.end_array();
  write_script(start.joined.script, line);
  return line;
}

Status write_script_file(const Starting& start) {
  if (Status written = write_all(start.script_file.get(), start.joined.script); !written) {
    return written;
  }
  if (start.joined.script.size() <= limits::kScriptInJournalBytes) {
    return done();
  }
  const Result<Fd> folder = open_beneath(start.session().executions_folder.get(),
                                         start.execution->id, O_RDONLY | O_DIRECTORY);
  const bool synced =
      folder && ::fsync(start.script_file.get()) == 0 && ::fsync(folder->get()) == 0;
  return synced ? done() : Status(errno_error("sync the script"));
}

}  // namespace rb::brk
