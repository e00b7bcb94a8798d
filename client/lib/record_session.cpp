#include "client/lib/record_session.h"

#include <unistd.h>

#include <map>

#include "client/lib/record_execution.h"
#include "client/lib/record_store.h"
#include "common/chain.h"
#include "common/io.h"
#include "common/journal_reader.h"
#include "common/json_reader.h"
#include "protocol/limits.h"

namespace rb::client {
namespace {

constexpr std::size_t kViewBytes = std::size_t{64} << 20;
constexpr int kLooks = 5;
constexpr useconds_t kLookAgainMicros = 100;

// What session.json says the journal was when it was made: the one thing that vouches for a last
// line, which no line after it does.
struct View {
  bool made = false;
  std::uint64_t lines = 0;
  std::optional<Digest> head;
};

// A broker that died before the start line was written leaves an execution that nothing ran in: its
// successor may say so.
bool never_ran(const rb::Json& finished) {
  const std::string_view outcome = finished.text_at("outcome");
  return (outcome == "interrupted" || outcome == "cancelled") &&
         finished.text_at("outcome_sha256").empty();
}

class Checker {
 public:
  Checker(int folder, const std::string& id,
          const std::function<void(const Digest&, std::uint64_t)>& on_head)
      : folder_(folder), id_(id), on_head_(on_head) {}

  SessionCheck run();

 private:
  struct Execution {
    bool finished = false;
  };

  [[nodiscard]] bool bad(std::string file, std::uint64_t line, std::string reason);
  [[nodiscard]] std::string path(const std::string& file) const {
    return "sessions/" + id_ + "/" + file;
  }
  [[nodiscard]] std::string segment() const { return path(segment_name(reader_->segment())); }
  void read_view();
  void read_journal();
  bool on_line(const JournalReader::Line& line);
  bool on_broken_link(std::uint64_t number, const Digest& head);
  bool on_other_view(std::uint64_t number, const Digest& head);
  enum class Vouched : std::uint8_t { Yes, No, Nobody };
  [[nodiscard]] Vouched vouched(std::uint64_t number, const Digest& head);
  bool wrong(std::string file, std::uint64_t number, std::string reason);
  bool on_event(std::uint64_t number, std::string_view type, const rb::Json& line);
  bool on_started(std::uint64_t number, const rb::Json& line);
  bool on_finished(std::uint64_t number, const rb::Json& line);
  bool on_ended(std::uint64_t number);
  bool blame(const std::optional<Difference>& found, std::uint64_t number);
  void at_end();

  int folder_;
  const std::string& id_;
  const std::function<void(const Digest&, std::uint64_t)>& on_head_;
  std::optional<JournalReader> reader_;
  View view_;
  std::map<std::string, Execution> executions_;
  SessionCheck out_;
};

// Keeps the first; false, so that callers can return it.
bool Checker::bad(std::string file, std::uint64_t line, std::string reason) {
  if (!out_.bad) {
    out_.bad = Bad{std::move(file), line, std::move(reason)};
  }
  return false;
}

SessionCheck Checker::run() {
  read_view();  // first: a journal may grow meanwhile, a view of it may not be newer
  const Result<Segments> segments = open_segments(folder_);
  if (!segments) {
    (void)bad(path(""), 0, segments.failure().text());
    return out_;
  }
  if (!out_.bad) {
    reader_.emplace(segments->numbers(), limits::kJournalLineBytes);
    read_journal();
  }
  if (!out_.bad) {
    at_end();
  }
  return out_;
}

void Checker::read_view() {
  const Result<Fd> file = open_file(folder_, "session.json");
  if (!file && file.failure().code == Code::NotFound) {
    return;  // not made yet
  }
  const Result<Bytes> text =
      file ? read_all(file->get(), kViewBytes) : Result<Bytes>(file.failure());
  const Result<rb::Json> json =
      text ? parse_json(as_text(*text)) : Result<rb::Json>(text.failure());
  const rb::Json* const journal = json ? json->find("journal") : nullptr;
  view_.made = true;
  if (journal != nullptr) {
    view_.lines = journal->natural_at("lines");
    view_.head = digest_from_hex(journal->text_at("head"));
  }
  if (!view_.head || view_.lines == 0) {
    (void)bad(path("session.json"), 0, "can't be read");
  }
}

void Checker::read_journal() {
  int looks = 0;
  for (;;) {
    const auto line = reader_->next();
    if (!line) {
      (void)bad(segment(), reader_->number(), line.failure().text());
      return;
    }
    if (!*line && (reader_->torn().empty() || ++looks > kLooks)) {
      break;
    }
    if (!*line) {
      ::usleep(kLookAgainMicros);  // a broker may be in the middle of writing it
      continue;
    }
    if (!on_line(**line)) {
      return;
    }
  }
  for (const JournalReader::Torn& torn : reader_->torn()) {
    out_.cuts.push_back({path(segment_name(torn.segment)), reader_->number() + 1, torn.bytes});
  }
}

bool Checker::on_line(const JournalReader::Line& line) {
  const std::uint64_t number = line.start.number;
  const Digest head = head_of_line(line.text);
  if (number > 1 && line.start.prev != out_.head) {
    return on_broken_link(number, head);
  }
  const Result<rb::Json> fields = parse_json(line.text);
  if (!fields) {
    return bad(segment(), number, fields.failure().what);
  }
  const std::string type(line.start.type);
  out_.lines = number;
  out_.head = head;
  out_.last_time = line.start.at;
  on_head_(head, number);
  if (!on_event(number, type, *fields)) {
    return false;
  }
  return view_.made && number == view_.lines && head != *view_.head ? on_other_view(number, head)
                                                                    : true;
}

// What else knows the head of the present line: the line after it, or session.json. Reads on, so
// only what ends the check may ask.
Checker::Vouched Checker::vouched(std::uint64_t number, const Digest& head) {
  const auto next = reader_->next();
  if (next.ok() && *next) {
    return (*next)->start.prev == head ? Vouched::Yes : Vouched::No;
  }
  if (view_.made && view_.lines == number) {
    return head == *view_.head ? Vouched::Yes : Vouched::No;
  }
  return Vouched::Nobody;
}

// Line `number` doesn't hold the digest of the line before. One of the two was changed: the earlier
// one where something vouches for the later.
bool Checker::on_broken_link(std::uint64_t number, const Digest& head) {
  const std::string file = segment();
  return vouched(number, head) == Vouched::Yes
             ? bad(file, number - 1,
                   "was changed: line " + std::to_string(number) + " holds another digest of it")
             : bad(file, number, "doesn't hold the digest of line " + std::to_string(number - 1));
}

bool Checker::on_other_view(std::uint64_t number, const Digest& head) {
  const std::string file = segment();
  const auto next = reader_->next();
  return next.ok() && *next && (*next)->start.prev == head
             ? bad(path("session.json"), number, "has another digest of this line")
             : bad(file, number, "was changed: session.json has another digest of it");
}

// Line `number` and a file disagree. Where nothing vouches for the line, or something does, the
// file is named; where the line after it contradicts, the line itself was changed.
bool Checker::wrong(std::string file, std::uint64_t number, std::string reason) {
  std::string journal = segment();
  if (vouched(number, out_.head) == Vouched::No) {
    return bad(std::move(journal), number, "was changed: its digest is another now");
  }
  return bad(std::move(file.empty() ? journal : file), number, std::move(reason));
}

bool Checker::on_event(std::uint64_t number, std::string_view type, const rb::Json& line) {
  if (out_.ended) {
    return wrong("", number, "stands after the session's end");
  }
  if (number == 1 && (type != "session-started" || line.text_at("session") != id_)) {
    return wrong("", number, "isn't the start of this session");
  }
  if (type == "started") {
    return on_started(number, line);
  }
  if (type == "finished") {
    return on_finished(number, line);
  }
  return type == "session-ended" ? on_ended(number) : true;
}

bool Checker::blame(const std::optional<Difference>& found, std::uint64_t number) {
  return !found || wrong(found->file.empty() ? "" : path(found->file), number, found->reason);
}

bool Checker::on_started(std::uint64_t number, const rb::Json& line) {
  const std::string execution(line.text_at("execution"));
  if (!is_execution_id(execution)) {
    return wrong("", number, "starts an execution without a proper id");
  }
  if (!executions_.emplace(execution, Execution()).second) {
    return wrong("", number, "starts " + execution + " a second time");
  }
  ++out_.executions;
  return blame(check_script(folder_, line), number);
}

bool Checker::on_finished(std::uint64_t number, const rb::Json& line) {
  const auto at = executions_.find(std::string(line.text_at("execution")));
  if (at == executions_.end() && never_ran(line)) {
    return true;
  }
  if (at == executions_.end()) {
    return wrong("", number, "ends an execution that never started");
  }
  if (at->second.finished) {
    return wrong("", number, "ends " + at->first + " a second time");
  }
  at->second.finished = true;
  return blame(check_ending(folder_, id_, line, out_.output_bytes), number);
}

bool Checker::on_ended(std::uint64_t number) {
  out_.ended = true;
  for (const auto& [id, execution] : executions_) {
    if (!execution.finished) {
      return wrong("", number, "ends the session although " + id + " has no end");
    }
  }
  return true;
}

void Checker::at_end() {
  if (view_.made && view_.lines > out_.lines) {
    (void)bad(segment(), out_.lines + 1,
              "is missing: session.json was made from " + std::to_string(view_.lines) + " lines");
  } else if (out_.lines == 0 && out_.cuts.empty()) {
    out_.cuts.push_back({path(segment_name(0)), 1, 0});
  }
}

}  // namespace

SessionCheck check_session(int folder, const std::string& id,
                           const std::function<void(const Digest&, std::uint64_t)>& on_head) {
  return Checker(folder, id, on_head).run();
}

}  // namespace rb::client
