// A journal line as a taken-over front may send it: it is refused, or becomes one line of text
// that a terminal can't act on; and what it says of an end has an exit status.
#include "client/lib/events.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto event = rb::client::parse_event(rb::as_text({data, size}));
  if (!event.ok()) {
    rb::fuzz::must(!event.failure().what.empty());
    return 0;
  }
  const std::string text = rb::client::event_text(*event);
  for (const char c : text) {
    rb::fuzz::must(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  }
  rb::fuzz::must(rb::is_utf8(text));
  const rb::client::Ended ended = rb::client::ended_from(*event);
  static_cast<void>(rb::client::exit_status(ended, false));
  static_cast<void>(rb::client::ending_text(ended));
  rb::fuzz::planted(ended.outcome == rb::client::Outcome::FAILED && ended.output_bytes > 0);
  return 0;
}
