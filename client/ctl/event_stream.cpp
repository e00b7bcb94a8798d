#include "client/ctl/event_stream.h"

#include <unistd.h>

#include "client/lib/escape.h"
#include "client/lib/events.h"
#include "client/lib/out.h"

namespace rb::ctl {
namespace {

void print_event(const Context& context, client::Out& out, const client::EventLine& line) {
  if (context.json) {
    out.push(line.json + "\n");  // the journal's own bytes: what the record holds
    return;
  }
  const Result<client::Event> event = client::parse_event(line.json);
  out.push((event ? client::event_text(*event)
                  : std::to_string(line.number) + "  " + client::label(line.json)) +
           "\n");
}

}  // namespace

int print_events(Context& context, client::Client& daemon, std::uint64_t from, bool follow) {
  Got<client::SessionInfo> session = find_session(context, daemon);
  if (!session) {
    return session.status;
  }
  client::Out out(context.loop(), STDOUT_FILENO);
  std::uint64_t seen = 0;
  client::Subscription wanted;
  wanted.session = session->id;
  wanted.from = from == 0 ? 1 : from;
  wanted.on_event = [&](const client::EventLine& line) {
    seen = line.number;
    print_event(context, out, line);
  };
  const std::uint64_t last = session->last_event;
  daemon.subscribe(std::move(wanted));
  while ((follow || (seen < last && from <= last)) && !daemon.lost()) {
    context.loop().turn(true);
  }
  out.flush();
  return daemon.lost() ? context.fail(kFailure, "the daemon is gone") : int{kYes};
}

}  // namespace rb::ctl
