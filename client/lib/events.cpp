#include "client/lib/events.h"

#include <array>
#include <cstring>
#include <ctime>

#include "client/lib/escape.h"
#include "client/lib/text.h"

namespace rb::client {
namespace {

constexpr int kTimeout = 124;
constexpr int kFailure = 125;
constexpr int kCancelled = 126;
constexpr int kByUs = 130;
constexpr int kBySomebody = 143;
constexpr unsigned kMostSignal = 64;
constexpr std::uint64_t kNoStatus = 256;
constexpr std::uint64_t kMostMillis = ~std::uint64_t{0} >> 1;

std::string text_of(const Json& fields, std::string_view name) {
  return std::string(fields.text_at(name));
}

std::string actor_text(const Json& fields) {
  const Json* actor = fields.find("actor");
  if (actor == nullptr) {
    return "";
  }
  const std::string name = text_of(*actor, actor->find("name") != nullptr ? "name" : "program");
  return text_of(*actor, "role") + (name.empty() ? "" : " (" + name + ")");
}

// What stands where in the text of a line: the fields in this order, those that are there.
std::string detail(const Event& event) {
  std::string out;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) {
      out += (out.empty() ? "" : "  ") + text;
    }
  };
  const Json& fields = event.fields;
  const std::string block = text_of(fields, "block");
  const std::string runbook = text_of(fields, "runbook");
  add(event.execution);
  add(block.empty() ? runbook : runbook + "/" + block);
  if (event.type == "finished") {
    const Ended ended = ended_from(event);
    add(ending_text(ended) + "  " + duration_text(ended.duration));
  }
  add(text_of(fields, "profile"));
  for (const char* name : {"who", "why", "text", "reason", "path", "shown_path", "cause"}) {
    if (event.type != "finished") {
      add(text_of(fields, name));
    }
  }
  return out;
}

}  // namespace

Result<Event> parse_event(std::string_view line) {
  Result<Json> parsed = parse_json(line);
  if (!parsed) {
    return parsed.failure();
  }
  if (!parsed->is(Json::Kind::Object)) {
    return error(Code::Invalid, "a journal line that is no object");
  }
  Event out;
  out.number = parsed->natural_at("line");
  out.type = text_of(*parsed, "type");
  out.at = text_of(*parsed, "at");
  out.execution = text_of(*parsed, "execution");
  out.actor = actor_text(*parsed);
  out.fields = std::move(*parsed);
  return out;
}

Ended ended_from(const Event& event) {
  const Json& fields = event.fields;
  Ended out;
  out.outcome = outcome_named(text_of(fields, "outcome"));
  // A front may send anything: what isn't a status or a signal counts as none.
  const Json* exit = fields.find("exit");
  const std::uint64_t status = exit == nullptr ? kNoStatus : exit->natural().value_or(kNoStatus);
  const std::uint64_t signal = fields.natural_at("signal");
  out.exit = status < kNoStatus ? static_cast<int>(status) : -1;
  out.signal = signal <= kMostSignal ? static_cast<unsigned>(signal) : 0;
  out.cause = text_of(fields, "cause");
  out.warn = fields.boolean_at("warn");
  out.duration = Millis(static_cast<std::int64_t>(fields.natural_at("duration_ms") & kMostMillis));
  out.output_bytes = fields.natural_at("output_bytes");
  out.may_have_left = fields.boolean_at("may_have_left");
  return out;
}

Ended ended_from(const ExecutionInfo& info) {
  Ended out;
  out.outcome = info.outcome;
  out.exit = info.exit >= 0 && info.exit <= 255 ? info.exit : -1;
  out.signal = info.signal <= kMostSignal ? info.signal : 0;
  out.cause = info.cause;
  out.duration = Millis(static_cast<std::int64_t>(info.duration_ms));
  out.output_bytes = info.output_bytes;
  return out;
}

std::string local_time(std::string_view wall) {
  std::tm parts{};
  const std::string text(wall);
  if (::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) {
    return label(wall);
  }
  return time_text(static_cast<std::int64_t>(::timegm(&parts)) * 1000, wall_now_ms());
}

std::string event_text(const Event& event) {
  std::string out = padded(std::to_string(event.number), 5) + " " + local_time(event.at) + "  " +
                    padded(label(event.type), 17) + label(detail(event));
  if (!event.actor.empty()) {
    out += "  " + label(event.actor);
  }
  return out;
}

std::string ending_text(const Ended& ended) {
  std::string out = name_of(ended.outcome);
  if (ended.signal != 0) {
    const char* name = ::sigabbrev_np(static_cast<int>(ended.signal));
    out += name != nullptr ? std::string("  signal ") + name
                           : "  signal " + std::to_string(ended.signal);
  } else if (ended.outcome == Outcome::FAILED && ended.exit >= 0) {
    out += "  exit " + std::to_string(ended.exit);
  }
  if (ended.warn) {
    out += "  warning (exit 2)";
  }
  if (!ended.cause.empty()) {
    out += "  (" + label(ended.cause) + ")";
  }
  return out;
}

int exit_status(const Ended& ended, bool by_us) {
  switch (ended.outcome) {
    case Outcome::PASSED:
      return 0;
    case Outcome::FAILED:
      if (ended.signal != 0) {
        return 128 + static_cast<int>(ended.signal);
      }
      return ended.exit > 0 ? ended.exit : 1;  // a limit ended it although it had exited 0
    case Outcome::TIMEOUT:
      return kTimeout;
    case Outcome::STOPPED:
      return by_us ? kByUs : kBySomebody;
    case Outcome::CANCELLED:
      return kCancelled;
    case Outcome::ERROR:
    case Outcome::INTERRUPTED:
    case Outcome::LOST:
    case Outcome::UNSET:
      return kFailure;
  }
  return kFailure;
}

}  // namespace rb::client
