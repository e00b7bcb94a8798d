#include "client/ctl/block_json.h"

#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using client::BlockInfo;
using client::InputInfo;
using client::RunbookInfo;

void add_input(JsonWriter& out, const InputInfo& input) {
  out.begin_object().field("name", input.name).field("type", input.type);
  out.field("description", input.description).field("required", input.required);
  if (input.has_default) {
    out.field("default", ByteView(input.default_value));
  } else {
    out.key("default").null();
  }
  out.key("options").begin_array();
  for (const std::string& option : input.options) {
    out.text(option);
  }
  out.end_array().field("sensitive", input.sensitive);
  out.field("inputs_id", input.inputs_id).end_object();
}

void add_block(JsonWriter& out, const BlockInfo& block) {
  out.begin_object().field("id", block.id).field("type", block.type).field("line", block.line);
  out.field("kind", block.kind).field("language", block.language);
  out.field("script", ByteView(block.script));
  if (block.digest.empty()) {
    out.key("digest").null();
  } else {
    out.field("digest", to_hex(block.digest));
  }
  out.field("title", block.title).field("path", block.path).field("profile", block.profile);
  out.field("runnable", block.runnable).field("why_not", block.why_not);
  out.field("state", block.state).key("inputs").begin_array();
  for (const InputInfo& input : block.inputs) {
    add_input(out, input);
  }
  out.end_array().end_object();
}

void add_run(JsonWriter& out, const client::RunInfo& run) {
  if (run.number == 0) {
    out.null();
    return;
  }
  out.begin_object().field("number", run.number).field("runbook", run.runbook);
  out.field("status", run.status).field("folder", run.folder).field("work", run.work);
  out.end_object();
}

void add_head(JsonWriter& out, const RunbookInfo& info) {
  out.field("runbook", info.name).field("title", info.title).field("path", info.shown_path);
  out.field("digest", to_hex(info.tree_digest)).field("bound", info.bound);
  out.field("format", info.format).key("run");
  add_run(out, info.run);
}

void add_blocks(JsonWriter& out, const RunbookInfo& info, const std::string& only) {
  out.key("blocks").begin_array();
  for (const BlockInfo& block : info.blocks) {
    if (only.empty() || only == block.id) {
      add_block(out, block);
    }
  }
  out.end_array();
}

const char* severity_name(client::Severity severity) {
  switch (severity) {
    case client::Severity::Refusal:
      return "refusal";
    case client::Severity::Error:
      return "error";
    case client::Severity::Warning:
      return "warning";
  }
  return "refusal";
}

}  // namespace

std::string runbook_json(const RunbookInfo& info, const std::string& only_block) {
  JsonWriter out;
  out.begin_object();
  add_head(out, info);
  add_blocks(out, info, only_block);
  return out.end_object().take();
}

std::string opened_json(const client::Opened& opened) {
  JsonWriter out;
  out.begin_object();
  add_head(out, opened.info);
  out.field("vetted", opened.vetted).field("new", opened.is_new);
  add_blocks(out, opened.info, "");
  out.key("problems").begin_array();
  for (const client::Problem& problem : opened.problems) {
    out.begin_object().field("severity", severity_name(problem.severity));
    out.field("file", problem.file).field("line", problem.line).field("column", problem.column);
    out.field("code", problem.code).field("message", problem.text).field("block", problem.block);
    out.end_object();
  }
  return out.end_array().end_object().take();
}

std::string run_json(const client::RunInfo& run) {
  JsonWriter out;
  add_run(out, run);
  return out.take();
}

std::string listed_json(const RunbookInfo& info) {
  JsonWriter out;
  out.begin_object();
  add_head(out, info);
  out.field("blocks", static_cast<std::uint64_t>(info.blocks.size()));
  return out.end_object().take();
}

}  // namespace rb::ctl
