#include <fcntl.h>
#include <unistd.h>

#include "client/ctl/commands.h"
#include "client/ctl/report.h"
#include "client/ctl/runner.h"
#include "client/ctl/target.h"
#include "client/lib/paths.h"
#include "client/lib/text.h"
#include "protocol/limits.h"

namespace rb::ctl {
namespace {

constexpr OperandSpec kOperands[] = {
    {"PATH|RUNBOOK", "a runbook's file or folder; or the name of an open one, or its run's number",
     true, false, Complete::Runbook},
    {"BLOCK", "only these blocks, in the document's order", false, true, Complete::Block},
};

constexpr OptionSpec kOptions[] = {
    {"--input", 'i', "[ID.]NAME=VALUE", "a value for an input", Complete::Nothing, true},
    {"--inputs", 0, "FILE", "values from a JSON object; - is standard input", Complete::Path, true},
    {"--profile", 'p', "NAME", "the sandbox, instead of each block's own", Complete::Profile},
    {"--work", 0, "DIR", "an existing folder as the work folder", Complete::Folder},
    {"--with", 0, "NAMES", "credentials to show: sets by name, as kube,aws", Complete::Nothing,
     true},
    {"--read", 0, "PATH", "a folder or file to show", Complete::Path, true},
    {"--write", 0, "PATH", "a folder or file that scripts may change", Complete::Path, true},
    {"--socket", 0, "PATH", "a socket that scripts may connect to", Complete::Path, true},
    {"--new", 0, "", "close the open run and begin the next"},
    {"--timeout", 0, "DUR", "a time limit for each block: 90s, 5m, 2h"},
    {"--keep-going", 'k', "", "go on after a block that didn't pass"},
    {"--detach", 'd', "", "start one block, print its execution's id and leave"},
    {"--verbatim", 0, "", "insert values into scripts as they are"},
};

constexpr const char* kMore =
    "  runbookctl run ops/deploy/runbook.mdx\n"
    "  runbookctl run ops/deploy check-cluster --input cluster=blue\n"
    "  runbookctl run deploy --keep-going --json\n"
    "  runbookctl run deploy --with kube,aws --write ~/src/billing\n"
    "\n"
    "  Credentials by name: aws, docker-config, gcloud, gh, git, kube, netrc, npm, pip, postgres,\n"
    "  ssh-agent. docs/SECURITY.md says what each shows.\n"
    "\n"
    "  Blocks run in the document's order; the first that doesn't pass ends the run. Ctrl-C stops\n"
    "  the running block politely, a second one at once. The exit status is the script's own; 124\n"
    "  for a time limit, 125 for a wrong command line or a failing daemon, 126 for what was "
    "refused,\n"
    "  127 where there is no such runbook or block, 130 and 143 for what was stopped by you or\n"
    "  somebody else.\n";

// "aws,kube" and given twice alike.
std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  std::vector<std::string> out;
  for (const std::string& list : lists) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      if (end > at) {
        out.push_back(list.substr(at, end - at));
      }
      at = end + 1;
    }
  }
  return out;
}

// A script that may write somewhere can leave a link there for the day when its place is granted.
int open_place(const Context& context, const std::string& option, const std::string& path,
               int flags, Fd& into) {
  const std::string link = client::link_on_the_way(path);
  if (!link.empty()) {
    return context.fail(kRefused, option + " " + path + ": " + client::tilde(link) +
                                      " is a link, and it leads to " + client::resolved(path) +
                                      ". Give that path if it is the one you mean");
  }
  into = Fd(::open(path.c_str(), O_PATH | O_CLOEXEC | flags));
  return into ? kYes : context.fail(kFailure, errno_error(option + " " + path).text());
}

int open_places(const Context& context, const Arguments& arguments, RunOptions& options) {
  if (const auto folder = arguments.value("--work")) {
    if (const int opened = open_place(context, "--work", *folder, O_DIRECTORY, options.work);
        opened != kYes) {
      return opened;
    }
    options.work_path = client::resolved(*folder);
  }
  for (const auto& [option, places] :
       {std::pair{"--read", &options.read}, std::pair{"--write", &options.write},
        std::pair{"--socket", &options.sockets}}) {
    for (const std::string& path : arguments.values(option)) {
      if (options.read.size() + options.write.size() + options.sockets.size() == limits::kGrants) {
        return context.fail(kRefused,
                            "at most " + std::to_string(limits::kGrants) +
                                " places can be granted: name a folder that holds several");
      }
      if (const int opened = open_place(context, option, path, 0, places->emplace_back());
          opened != kYes) {
        return opened;
      }
    }
  }
  return kYes;
}

Got<RunOptions> options_from(const Context& context, const Arguments& arguments) {
  Got<RunOptions> out;
  RunOptions options;
  options.profile = arguments.value("--profile").value_or("");
  options.new_run = arguments.has("--new");
  options.keep_going = arguments.has("--keep-going");
  options.verbatim = arguments.has("--verbatim");
  if (const auto text = arguments.value("--timeout")) {
    const auto span = client::parse_duration(*text);
    if (!span || span->count() == 0) {
      out.status = context.fail(kFailure, "--timeout takes a duration like 90s, 5m or 1h30m");
      return out;
    }
    options.timeout_ms = static_cast<std::uint64_t>(span->count());
  }
  options.with = names_in(arguments.values("--with"));
  if (const int opened = open_places(context, arguments, options); opened != kYes) {
    out.status = opened;
    return out;
  }
  out.value = std::move(options);
  return out;
}

void say_root(const Context& context) {
  if (::geteuid() == 0) {
    context.talk(context.terminal.talk(client::Style::Warn,
                                       "as root: file permissions bind nothing, and the profile "
                                       "`host` changes the whole machine"));
  }
}

int start_detached(Context& context, Runner& runner, const std::vector<Step>& steps) {
  const auto blocks = blocks_of(steps);
  if (blocks.size() == 1) {
    return runner.detach(*blocks[0]);
  }
  return context.fail(
      kFailure, blocks.empty() ? "nothing in it can be run" : "--detach starts one block: name it");
}

int run_run(Context& context, const Arguments& arguments) {
  const Got<RunOptions> options = options_from(context, arguments);
  if (!options) {
    return options.status;
  }
  client::Client* daemon = context.daemon();
  if (daemon == nullptr) {
    return kFailure;
  }
  say_root(context);
  Got<client::Opened> opened = find_runbook(context, *daemon, arguments.operand(0));
  if (!opened) {
    return opened.status;
  }
  const bool detach = arguments.has("--detach");
  if (!detach && opened->vetted) {
    context.talk(heading_text(*opened, context.terminal));
  }
  if (!say_problems(context, *opened)) {
    return context.fail(kRefused, "refused: nothing of it can run until this is mended");
  }
  Got<std::vector<Step>> steps = plan_run(context, *opened, arguments.operands_from(1));
  if (!steps) {
    return steps.status;
  }
  Got<Inputs> inputs = Inputs::from_arguments(context, arguments, blocks_of(*steps));
  if (!inputs) {
    return inputs.status;
  }
  if (const int missing = inputs->complete(context, blocks_of(*steps)); missing != kYes) {
    return missing;
  }
  Runner runner(context, *daemon, *opened, *options.value, *inputs);
  return detach ? start_detached(context, runner, *steps) : runner.run(*steps);
}

}  // namespace

const Command kRun{"run", "run a runbook's blocks, in order", kOperands, kOptions, kMore, run_run};

}  // namespace rb::ctl
