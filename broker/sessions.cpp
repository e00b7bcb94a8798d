#include "broker/sessions.h"

#include <algorithm>
#include <array>

#include "common/clock.h"

namespace rb::brk {
namespace {

constexpr std::size_t kEndedKept = 16;
constexpr std::size_t kExecutionsKept = 2000;  // of one session, in memory
constexpr std::size_t kNameBytes = 64;

}  // namespace

Run* Session::open_run(const std::string& runbook) {
  const auto found = std::find_if(runs.begin(), runs.end(), [&runbook](const Run& run) {
    return run.runbook == runbook && run.status == "open";
  });
  return found == runs.end() ? nullptr : &*found;
}

std::size_t Session::running(std::uint32_t run) const {
  return static_cast<std::size_t>(
      std::count_if(executions.begin(), executions.end(), [run](const auto& entry) {
        return !entry.second->settled && (run == 0 || entry.second->run == run);
      }));
}

void Session::forget_old_executions() {
  while (executions.size() > kExecutionsKept && oldest_execution < next_execution) {
    const auto oldest = executions.find("e" + std::to_string(oldest_execution));
    if (oldest != executions.end() && !oldest->second->settled) {
      return;
    }
    if (oldest != executions.end()) {
      executions.erase(oldest);
    }
    ++oldest_execution;
  }
}

Sessions::Found Sessions::find(const std::string& wanted) const {
  if (wanted.empty()) {
    SessionPtr session = current();
    return session ? Found{session, {}}
                   : Found{nullptr,
                           {front::Reason::NO_SESSION,
                            "no session is open: start one with "
                            "runbookctl session start"}};
  }
  Refusal refusal;
  const SessionPtr* found = find_unique(all_, wanted, "session", refusal);
  return found != nullptr ? Found{*found, {}} : Found{nullptr, refusal};
}

void Sessions::add(const SessionPtr& session) {
  all_[session->id] = session;
  if (session->open()) {
    current_ = session->id;
  }
}

SessionPtr Sessions::current() const {
  const auto found = all_.find(current_);
  if (found != all_.end() && found->second->open()) {
    return found->second;
  }
  for (auto at = all_.rbegin(); at != all_.rend(); ++at) {
    if (at->second->open()) {
      return at->second;
    }
  }
  return nullptr;
}

std::size_t Sessions::open_count() const {
  return static_cast<std::size_t>(std::count_if(
      all_.begin(), all_.end(), [](const auto& entry) { return entry.second->open(); }));
}

std::size_t Sessions::running() const {
  std::size_t out = 0;
  for (const auto& [id, session] : all_) {
    out += session->running();
  }
  return out;
}

void Sessions::slim(Session& session) {
  session.environment.reset();
  session.runbooks.clear();
  session.journal.reset();
  session.executions_folder.reset();
  session.runs_folder.reset();
  session.folder.reset();
  std::size_t ended = all_.size() - open_count();
  for (auto at = all_.begin(); at != all_.end() && ended > kEndedKept;) {
    if (at->second->open()) {
      ++at;
      continue;
    }
    at = all_.erase(at);
    --ended;
  }
}

std::string new_session_id(std::int64_t wall_ms) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";
  std::string out;
  for (const char c : wall_text(wall_ms).substr(0, 19)) {  // 2026-11-30T16:30:00
    if (c >= '0' && c <= '9') {
      out += c;
    } else if (c == 'T') {
      out += '-';
    }
  }
  std::array<std::uint8_t, 4> random{};
  seal::random(random);
  out += '-';
  for (const std::uint8_t byte : random) {
    out += kLetters[byte % kLetters.size()];
  }
  return out;
}

std::string file_safe(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kNameBytes)) {
    const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '_' || c == '-';
    out += fine ? c : '-';
  }
  const std::size_t start = out.find_first_not_of(".-");
  return start == std::string::npos ? "runbook" : out.substr(start);
}

}  // namespace rb::brk
