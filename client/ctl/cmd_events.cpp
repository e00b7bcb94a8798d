#include <cstdlib>

#include "client/ctl/commands.h"
#include "client/ctl/event_stream.h"

namespace rb::ctl {
namespace {

constexpr OptionSpec kOptions[] = {
    {"--follow", 'f', "", "go on until Ctrl-C"},
    {"--from", 0, "N", "from this number on (1)"},
};

constexpr const char* kMore =
    "  An event is a line of the session's journal, its number the line's. With --json the lines\n"
    "  are printed as they are kept.\n";

int run_events(Context& context, const Arguments& arguments) {
  std::uint64_t from = 1;
  if (const auto text = arguments.value("--from")) {
    char* end = nullptr;
    from = std::strtoull(text->c_str(), &end, 10);
    if (text->empty() || *end != '\0' || from == 0 || (*text)[0] == '-') {
      return context.fail(kFailure, "--from takes an event's number, 1 or more");
    }
  }
  int status = kYes;
  client::Client* daemon = context.running_daemon(status);
  if (daemon == nullptr) {
    return status;
  }
  return print_events(context, *daemon, from, arguments.has("--follow"));
}

}  // namespace

const Command kEvents{"events",  "what happened in the session, as it happens", {}, kOptions, kMore,
                      run_events};

}  // namespace rb::ctl
