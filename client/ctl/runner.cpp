#include "client/ctl/runner.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <optional>

#include "client/ctl/explain.h"
#include "client/ctl/report.h"
#include "client/ctl/stopping.h"
#include "client/lib/paths.h"
#include "client/lib/text.h"
#include "common/json_writer.h"
#include "policy/builtin.h"
#include "protocol/folder_id.h"
#include "protocol/wire.h"

namespace rb::ctl {
namespace {

using client::BlockInfo;
using client::Ended;
using client::Outcome;
using client::Started;
using client::Style;

}  // namespace

namespace {

void fill_texts(const std::vector<std::string>& from, capnp::List<capnp::Text>::Builder into) {
  for (unsigned i = 0; i < into.size(); ++i) {
    into.set(i, wire::text(from[i]));
  }
}

void say_places(const std::vector<Fd>& from, capnp::List<rb::front::FolderId>::Builder into) {
  for (unsigned i = 0; i < into.size(); ++i) {
    say_place(into[i], from[i].get());
  }
}

// As the kernel has them.
std::vector<std::string> names_of(const std::vector<Fd>& places) {
  std::vector<std::string> out;
  for (const Fd& place : places) {
    out.push_back(client::resolved("/proc/self/fd/" + std::to_string(place.get())));
  }
  return out;
}

}  // namespace

Runner::Runner(Context& context, client::Client& daemon, const client::Opened& opened,
               const RunOptions& options, const Inputs& inputs)
    : context_(context),
      daemon_(daemon),
      opened_(opened),
      options_(options),
      inputs_(inputs),
      follow_(context, daemon, show_for(context)),
      interrupt_(context.loop(), SIGINT, [this] { on_interrupt(); }),
      session_(context.session) {}

client::Operation Runner::start_operation(const BlockInfo& block) {
  client::Operation out;
  out.session = session_;
  const bool fresh = options_.new_run && !begun_;
  out.fill = [this, &block, fresh, given = inputs_.for_block(block)](
                 rb::front::Operation::Builder into, const client::Greeting& greeting) {
    auto start = into.initStart();
    start.setRunbook(wire::text(opened_.info.name));
    start.setBlock(wire::text(block.id));
    start.setDigest(wire::data(block.digest));
    start.setProfile(wire::text(options_.profile));
    start.setTimeoutMs(options_.timeout_ms);
    start.setNewRun(fresh);
    start.setVerbatim(options_.verbatim);
    start.setWorkGiven(options_.work.open());
    start.setWorkPath(wire::text(options_.work_path));
    fill_texts(options_.with, start.initWith(static_cast<unsigned>(options_.with.size())));
    say_places(options_.read, start.initRead(static_cast<unsigned>(options_.read.size())));
    say_places(options_.write, start.initWrite(static_cast<unsigned>(options_.write.size())));
    say_places(options_.sockets, start.initSockets(static_cast<unsigned>(options_.sockets.size())));
    if (options_.work) {
      say_place(start.initWork(), options_.work.get());
    }
    client::fill_inputs(into, given, greeting);
  };
  const auto add = [&out](const Fd& place) {
    if (Result<Fd> copy = place.duplicate()) {
      out.fds.push_back(std::move(*copy));
    }
  };
  if (options_.work) {
    add(options_.work);
  }
  for (const auto* places : {&options_.read, &options_.write, &options_.sockets}) {
    std::for_each(places->begin(), places->end(), add);
  }
  return out;
}

Got<Started> Runner::start(const BlockInfo& block) {
  Got<Started> out;
  Result<client::Answer> answer =
      act_in_session(context_, daemon_, [&] { return start_operation(block); });
  if (const auto* refusal = answer ? std::get_if<client::Refusal>(&answer->value) : nullptr) {
    json_refused(block, client::name_of(refusal->reason), refusal->text);
  }
  return expect<Started>(context_, std::move(answer));
}

int Runner::detach(const BlockInfo& block) {
  Got<Started> started = start(block);
  if (!started) {
    return started.status;
  }
  context_.print(client::label(started->execution) + "\n");
  return kYes;
}

int Runner::run(const std::vector<Step>& steps) {
  follow_.subscribe(session_, true);
  std::size_t number = 0;
  for (const Step& step : steps) {
    ++number;
    if (ends_) {
      ++not_run_;
    } else if (step.runs) {
      run_step(step, number, steps.size());
    } else {
      pass_over(step, number, steps.size());
    }
  }
  if (status_ == kYes && passed_ == 0 && not_run_ > 0) {
    status_ = kRefused;  // there was something to run and none of it can
  }
  if (context_.json) {
    json_total();
  } else {
    say_total();
  }
  return status_;
}

void Runner::settle_status(int status) {
  if (status_ == kYes) {
    status_ = status;
  }
  if (!options_.keep_going) {
    ends_ = true;
  }
}

void Runner::pass_over(const Step& step, std::size_t number, std::size_t of) {
  ++not_run_;
  context_.talk("\n  " + std::to_string(number) + "/" + std::to_string(of) + "  " +
                context_.terminal.talk(Style::Bold, client::label(step.block->id)) +
                "  not run: " + step.why_not);
  json_refused(*step.block, step.stops_here ? "incomplete" : "not-runnable", step.why_not);
  if (step.stops_here) {
    ++refused_;
    first_bad_ = first_bad_.empty() ? client::label(step.block->id) + ": refused" : first_bad_;
    settle_status(kRefused);
  }
}

void Runner::run_step(const Step& step, std::size_t number, std::size_t of) {
  const BlockInfo& block = *step.block;
  say_header(block, options_.profile.empty() ? block.profile : options_.profile, number, of);
  Got<Started> started = start(block);
  if (!started) {
    ++refused_;
    first_bad_ = first_bad_.empty() ? client::label(block.id) + ": refused" : first_bad_;
    settle_status(started.status);
    ends_ = ends_ || daemon_.lost();
    return;
  }
  watch(block, std::move(started));
}

void Runner::watch(const BlockInfo& block, Got<Started> started) {
  begun_ = true;
  run_ = started->run;
  session_ = started->session;
  executing_ = started->execution;
  daemon_.expect_event(session_, started->event);
  if (!started->notice.empty()) {
    context_.talk("  " + context_.terminal.talk(Style::Dim, client::label(started->notice)));
  }
  if (context_.json) {
    json_started(block, *started);
  }
  if (interrupts_ > 0) {  // while the start was under way
    send_stop(polite_grace_ms());
  }
  Fd output = started.fds.empty() ? Fd() : std::move(started.fds[0]);
  const Result<Fd> again = output ? output.duplicate() : Result<Fd>(Fd());
  const Result<Ended> ended =
      follow_.until_end({executing_, session_, block.id}, std::move(output));
  if (!ended) {
    ends_ = true;
    settle_status(ended.failure().what.empty() ? int{kInterrupted}
                                               : context_.fail(ended.failure()));
    executing_.clear();
    return;
  }
  executing_.clear();
  if (context_.json) {
    json_finished(block, *started, *ended);
  } else {
    say_ending(*ended);
    if (ended->outcome == Outcome::FAILED && again) {
      explain_refusals(*started, again->get());
    }
  }
  count(block, *ended);
}

void Runner::count(const BlockInfo& block, const Ended& ended) {
  if (ended.outcome == Outcome::PASSED) {
    ++passed_;
  } else {
    ++failed_;
    if (first_bad_.empty()) {
      first_bad_ = client::label(block.id) + ": " +
                   (ended.outcome == Outcome::FAILED && ended.signal == 0
                        ? "exit " + std::to_string(ended.exit)
                        : client::ending_text(ended));
    }
    settle_status(client::exit_status(ended, interrupts_ > 0));
  }
  ends_ = ends_ || interrupts_ > 0;
  if (interrupts_ > 0 && status_ == kYes) {
    status_ = kInterrupted;
  }
}

void Runner::send_stop(std::uint32_t grace_ms) {
  daemon_.send(stop_operation(session_, executing_, grace_ms),
               [](const Result<client::Answer>&) {});  // its end is an event
}

void Runner::on_interrupt() {
  ++interrupts_;
  ends_ = true;
  if (executing_.empty()) {
    return;
  }
  follow_.settle();
  if (interrupts_ == 1) {
    context_.talk("  stopping " + executing_ + "; Ctrl-C again ends it at once");
    send_stop(polite_grace_ms());
  } else if (interrupts_ == 2) {
    context_.talk("  ending " + executing_ + " at once; Ctrl-C again leaves without waiting");
    send_stop(0);
  } else {
    follow_.leave();
  }
}

void Runner::say_header(const BlockInfo& block, const std::string& profile, std::size_t number,
                        std::size_t of) {
  const std::string head = "● " + std::to_string(number) + "/" + std::to_string(of) + "  " +
                           client::padded(client::label(block.id), 14) + "  " +
                           client::padded(client::label(profile), 11) + "  ";
  const std::size_t used = client::columns(head);
  const std::size_t room =
      context_.terminal.width > used + 20 ? context_.terminal.width - used : 20;
  context_.talk("\n" + context_.terminal.talk(Style::Bold, head) +
                client::shortened(block_summary(block), room));
}

void Runner::say_ending(const Ended& ended) {
  const bool passed = ended.outcome == Outcome::PASSED;
  const bool evidence = passed || ended.outcome == Outcome::FAILED;
  const Style style = passed ? Style::Good : evidence ? Style::Bad : Style::Warn;
  const std::string mark = passed ? "✓ " : evidence ? "✗ " : "■ ";
  context_.talk("  " + context_.terminal.talk(style, mark + client::ending_text(ended)) + "  " +
                client::duration_text(ended.duration));
  if (ended.may_have_left) {
    context_.talk("  it may have left processes");
  }
}

// What the script said last, against what its sandbox was made of.
void Runner::explain_refusals(const Started& started, int output) {
  const std::optional<policy::Profile> profile = policy::find_profile(started.profile);
  if (!profile) {
    return;
  }
  constexpr off_t kTail = 64 * 1024;
  struct stat facts {};
  std::string tail(kTail, '\0');
  const off_t size = ::fstat(output, &facts) == 0 ? facts.st_size : 0;
  const ssize_t got = ::pread(output, tail.data(), tail.size(), std::max<off_t>(0, size - kTail));
  tail.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::string& shown = opened_.info.shown_path;
  const std::string folder = client::resolved(shown.substr(0, shown.rfind('/') + 1) + ".");
  const std::string work = options_.work ? options_.work_path : started.run.work;
  std::vector<std::string> written = names_of(options_.write);
  written.push_back(options_.work ? work : "");
  const bool markdown = opened_.info.format == "markdown";
  const std::vector<Explanation> found =
      explain(tail, {*profile, client::home(), folder, work, client::state_folder(),
                     markdown ? folder : work, names_of(options_.read), written, options_.with});
  for (const Explanation& one : found) {
    context_.talk("  " + context_.terminal.talk(Style::Warn, "refused while it ran: ") +
                  client::label(one.what) + "  (" + one.why + ")\n     " +
                  (one.advice.starts_with("--") ? "run it with " : "") + client::label(one.advice));
  }
}

void Runner::say_total() {
  std::string out = "\n";
  if (begun_) {
    out += context_.terminal.talk(Style::Bold, "run " + std::to_string(run_.number)) + "  ● ";
    Result<client::Answer> answer = daemon_.ask(query_sessions());
    const auto* sessions = answer ? std::get_if<client::Sessions>(&answer->value) : nullptr;
    for (const client::SessionInfo& one :
         sessions != nullptr ? sessions->list : std::vector<client::SessionInfo>()) {
      if (one.id == session_) {
        out += "session " + client::label(one.who) + " \"" + client::label(one.why) + "\"   ";
      }
    }
  }
  const auto add = [&](unsigned count, const std::string& what) {
    if (count > 0) {
      out += std::to_string(count) + " " + what + "  ";
    }
  };
  add(passed_, "passed");
  add(failed_, "failed");
  add(refused_, "refused");
  add(not_run_ - std::min(not_run_, refused_), "not run");
  if (!first_bad_.empty()) {
    out += "(" + first_bad_ + ")  ";
  }
  while (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  if (begun_ && !run_.folder.empty()) {
    const std::string record = "record: " + client::label(client::tilde(run_.folder + "/run.md"));
    const bool fits = client::columns(out) + client::columns(record) + 3 < context_.terminal.width;
    out += (fits ? "   " : "\n  ") + record;
  }
  context_.talk(out == "\n" ? "\nnothing in it can be run" : out);
}

void Runner::json_started(const BlockInfo& block, const Started& started) {
  JsonWriter line;
  line.begin_object().field("event", "started").field("execution", started.execution);
  line.field("block", block.id).field("at", wall_text(wall_now_ms()));
  line.field("session", started.session).field("run", started.run.number);
  line.field("runbook", opened_.info.name).field("profile", started.profile);
  line.field("digest", to_hex(block.digest)).field("notice", started.notice);
  follow_.write_json(line.end_object().take());
}

void Runner::json_finished(const BlockInfo& block, const Started& started, const Ended& ended) {
  JsonWriter line;
  line.begin_object().field("event", "finished").field("execution", started.execution);
  line.field("block", block.id).field("at", wall_text(wall_now_ms()));
  line.field("outcome", client::name_of(ended.outcome));
  ended.exit >= 0 ? line.field("exit", ended.exit) : line.key("exit").null();
  ended.signal != 0 ? line.field("signal", ended.signal) : line.key("signal").null();
  line.field("cause", ended.cause).field("warn", ended.warn);
  line.field("duration_ms", static_cast<std::int64_t>(ended.duration.count()));
  line.field("output_bytes", ended.output_bytes);
  line.field("script_sha256", follow_.script_sha256(started.execution));
  line.field("profile", started.profile);
  follow_.write_json(line.end_object().take());
}

void Runner::json_refused(const BlockInfo& block, const std::string& reason,
                          const std::string& text) {
  if (!context_.json) {
    return;
  }
  JsonWriter line;
  line.begin_object().field("event", "refused").key("execution").null();
  line.field("block", block.id).field("at", wall_text(wall_now_ms()));
  line.field("reason", reason).field("text", text);
  follow_.write_json(line.end_object().take());
}

void Runner::json_total() {
  JsonWriter line;
  line.begin_object().field("event", "run").field("passed", passed_).field("failed", failed_);
  line.field("refused", refused_).field("not_run", not_run_).field("status", status_);
  line.field("run", run_.number).field("session", session_);
  line.field("record", run_.folder.empty() ? "" : run_.folder + "/run.md");
  follow_.write_json(line.end_object().take());
  follow_.settle();
}

}  // namespace rb::ctl
