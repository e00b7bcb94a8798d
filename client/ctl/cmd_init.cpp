#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/ctl/scaffold.h"
#include "client/lib/escape.h"
#include "common/io.h"

namespace rb::ctl {
namespace {

namespace fs = std::filesystem;

constexpr OperandSpec kOperands[] = {
    {"PATH", "a folder, or a file that ends in .mdx or .md", true, false, Complete::Path}};
constexpr OptionSpec kOptions[] = {
    {"--title", 't', "TITLE", "of the runbook; made from the name without it"},
    {"--markdown", 'm', "", "runbook.md in the folder instead of runbook.mdx"},
};
constexpr const char* kMore =
    "  Writes a runbook that vets and runs, to be filled in. Nothing that exists is overwritten: "
    "a\n"
    "  folder must be new or empty, a file must be new.\n"
    "  runbookctl init ops/deploy && runbookctl check --strict ops/deploy\n"
    "  runbookctl init notes/rotate-keys.md\n";

struct Plan {
  fs::path folder;
  bool alone = false;  // one file, in a folder that may hold others
  std::vector<ScaffoldFile> files;
};

Result<Plan> plan_for(const std::string& path, const Arguments& arguments) {
  fs::path target = fs::path(path).lexically_normal();
  if (!target.has_filename()) {  // "ops/deploy/"
    target = target.parent_path();
  }
  std::error_code failed;
  fs::path whole = fs::absolute(target, failed).lexically_normal();
  whole = whole.has_filename() ? whole : whole.parent_path();  // "." ends in a slash now
  const std::string name = whole.filename().string();
  if (path.empty() || failed || name.empty()) {
    return error(Code::Invalid, "PATH needs a name");
  }
  const bool markdown = target.extension() == ".md";
  const bool alone = markdown || target.extension() == ".mdx";
  if (alone && arguments.has("--markdown") && !markdown) {
    return error(Code::Invalid, "--markdown and a name that ends in .mdx exclude each other");
  }
  const Flavour flavour =
      markdown || arguments.has("--markdown") ? Flavour::Markdown : Flavour::Mdx;
  const std::string title = arguments.value("--title").value_or(title_from_name(name));
  const std::string main = alone ? name : flavour == Flavour::Mdx ? "runbook.mdx" : "runbook.md";
  const fs::path folder = !alone ? target : target.has_parent_path() ? target.parent_path() : ".";
  return Plan{folder, alone, scaffold(flavour, main, title, alone)};
}

// Before anything is written: nothing of it may be there.
Status nothing_there(const Plan& plan) {
  std::error_code failed;
  if (!plan.alone && fs::exists(fs::symlink_status(plan.folder, failed))) {
    if (!fs::is_directory(plan.folder, failed)) {
      return error(Code::Invalid, plan.folder.string() + " exists and isn't a folder");
    }
    if (!fs::is_empty(plan.folder, failed)) {
      return error(Code::Invalid, plan.folder.string() + " isn't empty: nothing was written");
    }
  }
  return done();
}

Status write_new(const fs::path& path, const ScaffoldFile& file) {
  std::error_code failed;
  fs::create_directories(path.parent_path().empty() ? "." : path.parent_path(), failed);
  if (failed) {
    return error(Code::System, path.parent_path().string() + ": " + failed.message());
  }
  const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Fd out(::open(path.c_str(), flags, file.executable ? 0777 : 0666));
  if (!out) {
    return errno == EEXIST
               ? Status(error(Code::Invalid, path.string() + " exists: it was left alone"))
               : Status(errno_error(path.string()));
  }
  if (Status written = write_all(out.get(), as_bytes(file.text)); !written) {
    const Error why = within(path.string(), written.failure());
    (void)::unlink(path.c_str());  // half a runbook is worse than none
    return why;
  }
  return done();
}

int run_init(Context& context, const Arguments& arguments) {
  const std::string path = arguments.operand(0);
  const Result<Plan> plan = plan_for(path, arguments);
  if (!plan) {
    return context.fail(plan.failure());
  }
  if (Status free = nothing_there(*plan); !free) {
    return context.fail(free.failure());
  }
  for (const ScaffoldFile& file : plan->files) {
    const fs::path target = (plan->folder / file.path).lexically_normal();
    if (Status written = write_new(target, file); !written) {
      return context.fail(written.failure());
    }
    context.print(client::label(target.string()) + "\n");
  }
  context.hint("next: edit it, then runbookctl check --strict " + client::label(path) +
               ", then runbookctl run " + client::label(path));
  return kYes;
}

}  // namespace

const Command kInit{"init",  "write a new runbook to start from", kOperands, kOptions, kMore,
                    run_init};

}  // namespace rb::ctl
