#include "client/ctl/block_json.h"
#include "client/ctl/check_walk.h"
#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/lib/paths.h"
#include "client/lib/text.h"
#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using client::RunbookInfo;

constexpr OperandSpec kOperands[] = {
    {"DIR", "the runbooks below a folder instead", false, false, Complete::Folder}};

int list_folder(Context& context, const std::string& folder) {
  std::vector<Candidate> found;
  if (Status walked = find_runbooks(folder, found); !walked) {
    return context.fail(walked.failure());
  }
  for (const Candidate& candidate : found) {
    if (context.json) {
      JsonWriter line;
      line.begin_object().field("path", candidate.path);
      context.print(line.end_object().take() + "\n");
    } else {
      context.print(client::label(candidate.path) + "\n");
    }
  }
  return kYes;
}

std::string run_text(const client::RunInfo& run) {
  return run.number == 0 ? "" : std::to_string(run.number) + " " + client::label(run.status);
}

void print_list(const Context& context, const std::vector<RunbookInfo>& list) {
  client::Table table({"RUNBOOK", "TITLE", "BLOCKS", "RUN", "DIGEST", "PATH"});
  for (const RunbookInfo& info : list) {
    if (context.json) {
      context.print(listed_json(info) + "\n");
      continue;
    }
    table.add({client::label(info.name), client::shortened(client::label(info.title), 40),
               std::to_string(info.blocks.size()), run_text(info.run),
               to_hex(info.tree_digest).substr(0, 12),
               client::label(client::tilde(info.shown_path))});
  }
  if (!context.json) {
    context.print(table.text());
  }
}

int run_list(Context& context, const Arguments& arguments) {
  if (arguments.operands() > 0) {
    return list_folder(context, arguments.operand(0));
  }
  int status = kYes;
  std::vector<RunbookInfo> list;
  if (client::Client* daemon = context.running_daemon(status)) {
    Result<client::Answer> answer = daemon->ask(query_runbooks(context.session));
    const auto* refusal = answer ? std::get_if<client::Refusal>(&answer->value) : nullptr;
    const bool none = refusal != nullptr && refusal->reason == client::Reason::NO_SESSION &&
                      context.session.empty();
    if (!none) {
      auto runbooks = expect<client::Runbooks>(context, std::move(answer));
      if (!runbooks) {
        return runbooks.status;
      }
      list = std::move(runbooks->list);
    }
  }
  if (status == kYes) {
    print_list(context, list);
  }
  return status;
}

}  // namespace

const Command kList{
    "list", "the session's open runbooks, or those below a folder", kOperands, {}, "", run_list};

}  // namespace rb::ctl
