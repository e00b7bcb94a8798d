#include "client/ctl/follow.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "client/lib/text.h"
#include "common/io.h"
#include "common/json_writer.h"

namespace rb::ctl {
namespace {

using namespace std::chrono_literals;
using client::Ended;

constexpr Nanos kQuietFor = 1s;  // then a clock shows that something goes on
constexpr Nanos kTickEvery = 200ms;

// Bytes at the end that begin a character without ending it.
std::size_t unfinished(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0) == 0xC0) {
      const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
      return length > back ? back : 0;
    }
    if ((byte & 0xC0) != 0x80) {
      return 0;
    }
  }
  return 0;
}

}  // namespace

Show show_for(const Context& context) {
  if (context.json) {
    return Show::Json;
  }
  return context.terminal.out ? Show::Terminal : Show::Raw;
}

Follow::Follow(Context& context, client::Client& daemon, Show show)
    : context_(context),
      daemon_(daemon),
      show_(show),
      out_(context.loop(), STDOUT_FILENO),
      encoder_(context.terminal.colour_out, "  "),
      clock_(context.loop(), [this] { tick(); }) {}

void Follow::subscribe(const std::string& session, bool output, std::uint64_t from) {
  client::Subscription wanted;
  wanted.session = session;
  wanted.output = output;
  wanted.from = from;
  wanted.on_event = [this](const client::EventLine& line) { on_event(line); };
  wanted.on_progress = [this](const client::Progress& hint) {
    if (follower_ && hint.execution == subject_.execution) {
      follower_->grew();
    }
  };
  daemon_.subscribe(std::move(wanted));
}

void Follow::on_event(const client::EventLine& line) {
  const Result<client::Event> event = client::parse_event(line.json);
  if (!event) {
    return;
  }
  if (event->type == "started") {
    scripts_[event->execution] = event->fields.text_at("script_sha256");
  } else if (event->type == "finished") {
    ended_[event->execution] = client::ended_from(*event);
  }
}

void Follow::begin(const Subject& subject, Fd output) {
  subject_ = subject;
  left_ = false;
  began_ = spoke_ = boot_now();
  if (output && show_ != Show::Nothing) {
    follower_ = std::make_unique<client::OutputFollower>(
        context_.loop(), std::move(output), 0, out_,
        [this](std::uint64_t offset, ByteView piece) { show_piece(offset, piece); });
  }
  if (context_.terminal.err && context_.terminal.colour_err && show_ != Show::Nothing &&
      !context_.quiet) {
    clock_.arm(kQuietFor);
  }
}

Result<Ended> Follow::until_end(const Subject& subject, Fd output) {
  begin(subject, std::move(output));
  if (follower_) {
    follower_->grew();
  }
  while (ended_.count(subject.execution) == 0 && !left_) {
    if (daemon_.lost()) {
      end_output();
      return error(Code::Closed, "the daemon is gone; the execution may go on");
    }
    context_.loop().turn(true);
  }
  if (left_) {
    end_output();
    return error(Code::Closed, "");
  }
  const Ended ended = ended_.at(subject.execution);
  std::optional<Status> shown;
  if (follower_) {
    follower_->finish(ended.output_bytes, [&](Status status) { shown = std::move(status); });
  }
  while (follower_ && !shown && !left_) {
    context_.loop().turn(true);
  }
  end_output();
  if (shown && !*shown) {
    return shown->failure();
  }
  return ended;
}

Status Follow::show_all(const Subject& subject, Fd output, std::uint64_t length) {
  begin(subject, std::move(output));
  std::optional<Status> shown;
  if (follower_) {
    follower_->finish(length, [&](Status status) { shown = std::move(status); });
  }
  while (follower_ && !shown && !left_) {
    context_.loop().turn(true);
  }
  end_output();
  return shown ? *shown : done();
}

void Follow::leave() {
  left_ = true;
}

std::string Follow::script_sha256(const std::string& execution) const {
  const auto found = scripts_.find(execution);
  return found == scripts_.end() ? "" : found->second;
}

void Follow::show_piece(std::uint64_t offset, ByteView piece) {
  spoke_ = boot_now();
  if (clock_shown_) {
    settle();
  }
  switch (show_) {
    case Show::Nothing:
      return;
    case Show::Terminal:
      out_.push(encoder_.encode(piece));
      return;
    case Show::Raw:
      out_.push(as_text(piece));
      return;
    case Show::Json:
      show_json(offset, piece);
      return;
  }
}

// One line a piece; a character that a piece cuts in two goes with the next.
void Follow::show_json(std::uint64_t offset, ByteView piece) {
  std::string text = std::exchange(held_, "");
  offset -= text.size();
  text += as_text(piece);
  const std::size_t cut = unfinished(text);
  held_ = text.substr(text.size() - cut);
  text.resize(text.size() - cut);
  if (text.empty()) {
    return;
  }
  JsonWriter line;
  line.begin_object().field("event", "output").field("execution", subject_.execution);
  line.field("block", subject_.block).field("at", wall_text(wall_now_ms()));
  line.field("offset", offset);
  if (is_utf8(text)) {
    line.field("text", text);
  } else {
    line.field("base64", to_base64(as_bytes(text)));
  }
  write_json(line.end_object().take());
}

void Follow::write_json(const std::string& line) {
  out_.push(line + "\n");
}

void Follow::end_output() {
  if (show_ == Show::Json && !held_.empty()) {
    const std::string rest = std::exchange(held_, "");
    JsonWriter line;
    line.begin_object().field("event", "output").field("execution", subject_.execution);
    line.field("block", subject_.block).field("at", wall_text(wall_now_ms()));
    line.field("base64", to_base64(as_bytes(rest)));
    write_json(line.end_object().take());
  }
  clock_.disarm();
  settle();
  follower_.reset();
}

void Follow::settle() {
  if (clock_shown_) {
    clock_shown_ = false;
    (void)write_all(STDERR_FILENO, as_bytes("\r\x1b[K"));
  }
  if (show_ == Show::Terminal && follower_) {
    const bool open_line = !encoder_.at_line_start();
    std::string rest = encoder_.finish();
    if (open_line) {
      rest += encoder_.encode(as_bytes("\n"));
    }
    out_.push(rest);
  }
  out_.flush();
}

// While the script says nothing and no line stands open, a clock shows that it is at work.
void Follow::tick() {
  clock_.arm(kTickEvery);
  const Nanos now = boot_now();
  if (now - spoke_ < kQuietFor || (show_ == Show::Terminal && !encoder_.at_line_start())) {
    return;
  }
  static constexpr std::array<const char*, 4> kTurning = {"◐", "◓", "◑", "◒"};
  const auto turn = static_cast<std::size_t>((now - began_) / kTickEvery) % kTurning.size();
  const std::string text =
      std::string("\r\x1b[K  ") +
      context_.terminal.talk(
          client::Style::Dim,
          std::string(kTurning[turn]) + " " +
              client::duration_text(std::chrono::duration_cast<Millis>(now - began_)));
  (void)write_all(STDERR_FILENO, as_bytes(text));
  clock_shown_ = true;
}

}  // namespace rb::ctl
