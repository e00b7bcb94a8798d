#include "client/lib/record_verify.h"

#include <algorithm>
#include <map>
#include <set>

#include "client/lib/record_store.h"
#include "common/journal_reader.h"
#include "protocol/limits.h"

namespace rb::client {
namespace {

class Verifier {
 public:
  Verifier(int state, const std::vector<std::string>& anchors) : state_(state) {
    for (const std::string& anchor : anchors) {
      anchors_.emplace(anchor, false);
    }
  }

  Result<Verdict> run();

 private:
  void bad(std::string file, std::uint64_t line, std::string reason) {
    if (!out_.bad) {
      out_.bad = Bad{std::move(file), line, std::move(reason)};
    }
  }
  void look_ahead(const std::string& id);
  void check(const std::string& id);
  void on_head(const std::string& id, const Digest& head);
  void check_list();
  void check_successor(const std::string& id, const Digest& prev);
  void check_anchors();

  int state_;
  std::map<std::string, bool> anchors_;             // by their digits; found
  std::map<std::string, Digest> follows_;           // what each session's first line holds
  std::map<std::string, std::string> wanted_;       // those heads in hex; the session with it
  std::map<std::string, std::string> followed_by_;  // session, by the one before it
  std::map<std::string, SessionCheck> checks_;
  Verdict out_;
};

std::string journal_of(const std::string& id) {
  return "sessions/" + id + "/" + segment_name(0);
}

Result<Verdict> Verifier::run() {
  const Result<StoredSessions> sessions = stored_sessions(state_);
  if (!sessions) {
    return sessions.failure();
  }
  for (const std::string& stranger : sessions->strangers) {
    bad("sessions/" + stranger, 0, "isn't a session's folder");
  }
  for (const std::string& id : sessions->ids) {
    look_ahead(id);
  }
  for (const std::string& id : sessions->ids) {
    check(id);
  }
  if (out_.ok()) {
    check_list();
    check_anchors();
  }
  return out_;
}

// Reads the first line alone, so that the pass over its predecessor knows what to look for.
void Verifier::look_ahead(const std::string& id) {
  const Result<Fd> folder = open_session(state_, id);
  const Result<Segments> segments = folder ? open_segments(folder->get()) : folder.failure();
  if (!segments) {
    bad("sessions/" + id, 0, segments.failure().text());
    return;
  }
  JournalReader reader(segments->numbers(), limits::kJournalLineBytes);
  const auto first = reader.next();
  if (first.ok() && *first) {
    follows_[id] = (*first)->start.prev;
    wanted_[(*first)->start.prev.hex()];
  }
}

void Verifier::check(const std::string& id) {
  const Result<Fd> folder = open_session(state_, id);
  if (!folder) {
    return;  // look_ahead said so
  }
  SessionCheck session = check_session(
      folder->get(), id, [&](const Digest& head, std::uint64_t) { on_head(id, head); });
  if (session.bad) {
    bad(session.bad->file, session.bad->line, session.bad->reason);
  }
  out_.sessions += 1;
  out_.executions += session.executions;
  out_.lines += session.lines;
  out_.output_bytes += session.output_bytes;
  out_.cuts.insert(out_.cuts.end(), session.cuts.begin(), session.cuts.end());
  checks_[id] = std::move(session);
}

void Verifier::on_head(const std::string& id, const Digest& head) {
  const std::string hex = head.hex();
  if (const auto at = wanted_.find(hex); at != wanted_.end()) {
    at->second = id;
  }
  // Anchors may be shortened: the one that begins this head sorts last among those not above it.
  for (auto at = anchors_.upper_bound(hex); at != anchors_.begin();) {
    --at;
    if (hex.compare(0, at->first.size(), at->first) == 0) {
      at->second = true;
    } else if (hex.compare(0, kAnchorDigits, at->first, 0, kAnchorDigits) != 0) {
      break;
    }
  }
}

void Verifier::check_list() {
  for (const auto& [id, prev] : follows_) {
    check_successor(id, prev);
  }
  // The list's last session is the one that nobody follows.
  for (const auto& [id, prev] : follows_) {
    if (followed_by_.count(id) == 0) {
      const SessionCheck& newest = checks_[id];
      out_.newest = id;
      out_.head = newest.head;
      out_.last_time = newest.last_time;
    }
  }
}

void Verifier::check_successor(const std::string& id, const Digest& prev) {
  const std::string before = prev == Digest{} ? "" : wanted_[prev.hex()];
  if (prev != Digest{} && before.empty()) {
    bad(journal_of(id), 1,
        "follows a line that no session has: a session before it is missing or was changed");
    return;
  }
  const auto [at, first] = followed_by_.emplace(before, id);
  if (!first && before.empty()) {
    bad(journal_of(id), 1, "begins a record although session " + at->second + " does");
  } else if (!first) {
    bad(journal_of(id), 1,
        "follows session " + before + ", which session " + at->second + " already follows");
  }
}

void Verifier::check_anchors() {
  for (const auto& [anchor, found] : anchors_) {
    if (!found) {
      bad("", 0,
          "no line has the head " + anchor +
              ": the record was changed or cut after that was written down");
    }
  }
}

bool is_anchor(const std::string& text) {
  return text.size() >= kAnchorDigits && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

Result<Verdict> verify_record(int state, const std::vector<std::string>& anchors) {
  if (!std::all_of(anchors.begin(), anchors.end(), is_anchor)) {
    return error(Code::Invalid, "an anchor is 12 to 64 lower-case hexadecimal digits");
  }
  return Verifier(state, anchors).run();
}

}  // namespace rb::client
