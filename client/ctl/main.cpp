// runbookctl: finds the verb in the table, parses its words, runs it.
#include <fcntl.h>
#include <unistd.h>

#include <clocale>
#include <string>
#include <vector>

#include "client/ctl/arguments.h"
#include "client/ctl/commands.h"
#include "client/ctl/context.h"
#include "client/ctl/help.h"

namespace rb::ctl {
namespace {

struct Chosen {
  const Command* command = nullptr;
  std::vector<std::string> words;  // that follow the verb
};

// A verb is one word or two: "ps", "session start".
Chosen choose(const std::vector<std::string>& words) {
  Chosen out;
  std::size_t used = 0;
  if (words.size() >= 2) {
    out.command = find_command(words[0] + " " + words[1]);
    used = 2;
  }
  if (out.command == nullptr) {
    out.command = find_command(words[0]);
    used = 1;
  }
  out.words.assign(words.begin() + static_cast<std::ptrdiff_t>(std::min(used, words.size())),
                   words.end());
  return out;
}

// "session" or "record" alone: what may follow.
std::string second_words(const std::string& first) {
  std::string out;
  for (const Command* command : commands()) {
    const std::string name = command->name;
    if (name.compare(0, first.size() + 1, first + " ") == 0) {
      out += (out.empty() ? "" : ", ") + name.substr(first.size() + 1);
    }
  }
  return out;
}

int refuse_verb(const Context& context, const std::vector<std::string>& words) {
  const std::string seconds = second_words(words[0]);
  if (!seconds.empty()) {
    return context.fail(kFailure, "`" + words[0] + "` needs one of: " + seconds);
  }
  return context.fail(kFailure, unknown_verb(words[0]));
}

int run(std::vector<std::string> words) {
  Context context;
  if (words.empty() || words[0] == "--help" || words[0] == "-h") {
    context.print(help_overview(context.terminal));
    return words.empty() ? kFailure : kYes;
  }
  if (words[0] == "--version" || words[0] == "-V") {
    words[0] = "version";
  }
  const Chosen chosen = choose(words);
  if (chosen.command == nullptr) {
    return refuse_verb(context, words);
  }
  Result<Parsed> parsed = parse_arguments(*chosen.command, chosen.words, context);
  if (!parsed) {
    return context.fail(kFailure, parsed.failure().what);
  }
  if (parsed->help) {
    context.print(help_of(*chosen.command, context.terminal));
    return kYes;
  }
  return chosen.command->run(context, parsed->arguments);
}

// Whatever is opened later must not become a standard stream that was closed when we started.
void fill_standard_streams() {
  for (int fd = ::open("/dev/null", O_RDWR | O_CLOEXEC); fd >= 0;
       fd = ::open("/dev/null", O_RDWR | O_CLOEXEC)) {
    if (fd > STDERR_FILENO) {
      ::close(fd);
      return;
    }
  }
}

}  // namespace
}  // namespace rb::ctl

int main(int argc, char** argv) {
  rb::ctl::fill_standard_streams();
  std::setlocale(LC_TIME, "");
  return rb::ctl::run(std::vector<std::string>(argv + 1, argv + argc));
}
