#include "client/ctl/target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "client/ctl/report.h"
#include "client/lib/escape.h"
#include "client/lib/paths.h"
#include "protocol/folder_id.h"

namespace rb::ctl {
namespace {

using client::Opened;

struct Place {
  std::string folder;
  std::string name;  // "" where the path is the folder itself
};

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool looks_like_path(const std::string& word) {
  return word.find('/') != std::string::npos || word == "." || word == ".." ||
         ends_with(word, ".mdx") || ends_with(word, ".md");
}

bool is_number(const std::string& word) {
  return !word.empty() && word.size() < 10 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Result<Place> place_of(const std::string& path) {
  struct stat facts {};
  if (path.empty()) {
    return error(Code::NotFound, "an empty path is no runbook");
  }
  if (::stat(path.c_str(), &facts) < 0) {
    Error failure = errno_error(path);
    failure.code =
        failure.errnum == ENOENT || failure.errnum == ENOTDIR ? Code::NotFound : Code::System;
    return failure;
  }
  if (S_ISDIR(facts.st_mode)) {
    if (client::resolved(path) == "/") {
      return error(Code::Refused, "the root of the file system is no runbook's folder");
    }
    if (::access((path + "/runbook.mdx").c_str(), F_OK) < 0 &&
        ::access((path + "/runbook.md").c_str(), F_OK) < 0) {
      return error(Code::NotFound, path + " holds neither runbook.mdx nor runbook.md");
    }
    return Place{path, ""};
  }
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return Place{".", path};
  }
  return Place{slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

// The runbook of an open run's number; "" when no run bears it.
std::string runbook_of_run(Context& context, client::Client& daemon, const std::string& number) {
  Result<client::Answer> answer = daemon.ask(client::Query(query_runbooks(context.session)));
  const auto* list = answer ? std::get_if<client::Runbooks>(&answer->value) : nullptr;
  if (list != nullptr) {
    for (const client::RunbookInfo& info : list->list) {
      if (info.run.number != 0 && std::to_string(info.run.number) == number) {
        return info.name;
      }
    }
  }
  return "";
}

}  // namespace

Got<Opened> open_path(Context& context, client::Client& daemon, const std::string& path) {
  Got<Opened> out;
  const Result<Place> place = place_of(path);
  if (!place) {
    out.status = context.fail(place.failure());
    return out;
  }
  const Fd folder(::open(place->folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    out.status = context.fail(errno_error("open " + place->folder));
    return out;
  }
  const std::string absolute = client::resolved(place->folder);
  const auto make = [&] {
    client::Operation operation;
    operation.session = context.session;
    operation.fill = [name = place->name, path, absolute, folder = folder.get()](
                         rb::front::Operation::Builder into, const client::Greeting&) {
      auto open = into.initOpen();
      open.setName(name);
      open.setShownPath(path);
      open.setFolderPath(absolute);
      say_place(open.initFolder(), folder);
    };
    Result<Fd> copy = folder.duplicate();
    if (copy) {
      operation.fds.push_back(std::move(*copy));
    }
    return operation;
  };
  return expect<Opened>(context, act_in_session(context, daemon, make));
}

Got<Opened> find_runbook(Context& context, client::Client& daemon, const std::string& word) {
  if (looks_like_path(word)) {
    return open_path(context, daemon, word);
  }
  std::string name = word;
  if (is_number(word)) {
    const std::string runbook = runbook_of_run(context, daemon, word);
    name = runbook.empty() ? word : runbook;
  }
  Result<client::Answer> known = daemon.ask(query_runbook(context.session, name));
  const auto* refusal = known ? std::get_if<client::Refusal>(&known->value) : nullptr;
  if (refusal != nullptr && exit_for(refusal->reason) == kUnknown &&
      ::access(word.c_str(), F_OK) == 0) {
    return open_path(context, daemon, word);  // a bare folder or file name
  }
  return expect<Opened>(context, std::move(known));
}

bool say_problems(const Context& context, const Opened& opened) {
  for (const client::Problem& problem : opened.problems) {
    std::string text = problem_text(problem, opened.info.shown_path, context.terminal.colour_err);
    text.pop_back();  // hint ends the line
    if (problem.severity == client::Severity::Warning) {
      context.talk(text);
    } else {
      context.hint(text);
    }
  }
  return opened.vetted;
}

}  // namespace rb::ctl
