#include "client/ctl/check_report.h"

#include "client/ctl/command.h"
#include "client/ctl/report.h"
#include "client/lib/escape.h"
#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using client::Problem;
using client::Severity;

void add_text_or_null(JsonWriter& out, const char* name, const std::string& value) {
  value.empty() ? out.key(name).null() : out.field(name, value);
}

void add_block(JsonWriter& out, const CheckedBlock& block) {
  out.begin_object().field("id", block.id).field("type", block.type).field("line", block.line);
  out.field("kind", block.kind).field("language", block.language).key("flags").begin_array();
  for (const std::string& flag : block.flags) {
    out.text(flag);
  }
  out.end_array().field("executable", block.executable);
  add_text_or_null(out, "script_sha256", block.script_sha256);
  add_text_or_null(out, "digest", block.digest);
  out.end_object();
}

void add_problem(JsonWriter& out, const Problem& problem) {
  out.begin_object().field("line", problem.line).field("column", problem.column);
  out.field("code", problem.code);
  if (problem.severity != Severity::Warning) {
    add_text_or_null(out, "construct",
                     problem.severity == Severity::Refusal ? problem.construct : "");
  }
  out.field("message", problem.text);
  add_text_or_null(out, "block", problem.block);
  out.end_object();
}

void add_problems(JsonWriter& out, const Checked& checked, bool warnings) {
  out.begin_array();
  for (const Severity severity : {Severity::Refusal, Severity::Error, Severity::Warning}) {
    for (const Problem& problem : checked.problems) {
      if (problem.severity == severity && (severity == Severity::Warning) == warnings) {
        add_problem(out, problem);
      }
    }
  }
  out.end_array();
}

}  // namespace

std::string checked_json(const Checked& checked) {
  JsonWriter out;
  out.begin_object().field("file", checked.path).field("ok", checked.vetted);
  out.field("format", checked.format).key("blocks").begin_array();
  for (const CheckedBlock& block : checked.blocks) {
    add_block(out, block);
  }
  out.end_array().key("errors");
  if (checked.failure.empty()) {
    add_problems(out, checked, false);
  } else {
    out.begin_array().begin_object().field("line", 1).field("column", 1);
    out.field("code", "unchecked").key("construct").null().field("message", checked.failure);
    out.key("block").null().end_object().end_array();
  }
  out.key("warnings");
  add_problems(out, checked, true);
  return out.end_object().take();
}

std::string checked_text(const Checked& checked, bool colour) {
  std::string out;
  if (!checked.failure.empty()) {
    out += client::label(checked.path) + ": couldn't be checked: " + checked.failure + "\n";
  }
  for (const Problem& problem : checked.problems) {
    out += problem_text(problem, checked.path, colour);
  }
  return out;
}

std::string check_summary(const std::vector<Checked>& all) {
  unsigned refused = 0;
  unsigned errors = 0;
  unsigned warnings = 0;
  unsigned unchecked = 0;
  for (const Checked& one : all) {
    if (!one.failure.empty()) {
      ++unchecked;
    } else if (!one.vetted) {
      ++refused;
    } else if (one.any(Severity::Error)) {
      ++errors;
    } else if (one.any(Severity::Warning)) {
      ++warnings;
    }
  }
  std::string out = std::to_string(all.size()) + (all.size() == 1 ? " file:" : " files:");
  const std::size_t bare = out.size();
  const auto add = [&](unsigned count, const char* what) {
    if (count > 0) {
      out += (out.size() == bare ? " " : ", ") + std::to_string(count) + " " + what;
    }
  };
  add(unchecked, "unchecked");
  add(refused, "refused");
  add(errors, "with errors");
  add(warnings, "with warnings");
  return out.size() == bare ? out + " nothing to complain about" : out;
}

int check_status(const std::vector<Checked>& all, bool strict) {
  int status = kYes;
  for (const Checked& one : all) {
    if (!one.failure.empty()) {
      return kFailure;
    }
    if (!one.vetted || one.any(Severity::Error)) {
      status = kRefused;
    } else if (strict && status == kYes && one.any(Severity::Warning)) {
      status = kNo;
    }
  }
  return status;
}

}  // namespace rb::ctl
