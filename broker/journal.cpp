#include "broker/journal.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "common/clock.h"
#include "common/folder.h"
#include "common/io.h"
#include "common/mapping.h"
#include "protocol/limits.h"

namespace rb::brk {
namespace {

constexpr Nanos kSoon = std::chrono::milliseconds(10);
constexpr std::uint32_t kMostSegments = 9999;  // four digits in the name

std::uint64_t boot_ms() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<Millis>(boot_now()).count());
}

std::string_view after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

std::string_view quoted(std::string_view text, std::string_view mark) {
  const std::string_view rest = after(text, mark);
  return rest.substr(0, rest.find('"'));
}

std::uint64_t number(std::string_view text, std::string_view mark) {
  const std::string_view rest = after(text, mark);
  std::uint64_t out = 0;
  (void)std::from_chars(rest.data(), rest.data() + rest.size(), out);
  return out;
}

// Our own lines have one spelling: what stands before the type and the fields wanted here is
// numbers, digests and an actor, and no string inside a line holds a bare quote. So lines are told
// apart by comparing bytes, and nothing is parsed.
void note_line(std::string_view line, Journal::Found& found) {
  const std::string_view type = quoted(line, R"(,"type":")");
  if (type == "started") {
    found.started.emplace(quoted(line, R"("execution":")"));
  } else if (type == "finished") {
    found.finished.emplace(quoted(line, R"("execution":")"));
  } else if (type == "run-opened") {
    found.runs[number(line, R"("run":)")] = {std::string(quoted(line, R"("runbook":")")), "open"};
  } else if (type == "run-closed") {
    found.runs[number(line, R"("run":)")].status = quoted(line, R"("status":")");
  }
  found.ended = found.ended || type == "session-ended";
}

bool cut(int fd, std::uint64_t length) {
  return ::ftruncate(fd, static_cast<off_t>(length)) == 0;
}

}  // namespace

Journal::Journal(Loop& loop, int folder, Digest head)
    : loop_(loop), folder_(folder), chain_(head), soon_(loop, [this] { flush(); }) {}
Journal::~Journal() {
  *alive_ = false;
}

std::string Journal::file_name(std::uint32_t segment) {
  std::array<char, 32> name{};
  (void)std::snprintf(name.data(), name.size(), "journal-%04u.jsonl", segment);
  return name.data();
}

Result<std::unique_ptr<Journal>> Journal::create(Loop& loop, int folder, Digest head) {
  std::unique_ptr<Journal> out(new Journal(loop, folder, head));
  if (Status opened = out->open_segment(1); !opened) {
    return opened.failure();
  }
  return out;
}

Status Journal::open_segment(std::uint64_t first_line) {
  const std::uint32_t number = segments_.empty() ? 1 : segments_.back().number + 1;
  if (number > kMostSegments) {
    return error(Code::TooLarge, "too many journal segments");
  }
  Result<Fd> file = open_beneath(folder_, file_name(number), O_RDWR | O_APPEND | O_CREAT | O_EXCL,
                                 Links::Refuse, 0600);
  if (!file) {
    return file.failure();
  }
  file_ = std::move(*file);
  length_ = 0;
  allocated_ = 0;
  segments_.push_back({number, first_line, 0, 0});
  if (::fsync(folder_) < 0) {
    return errno_error("sync the session's folder");
  }
  return reserve();
}

Status Journal::reserve() {
  if (allocated_ >= length_ + limits::kReserveBytes) {
    return done();
  }
  const std::uint64_t wanted = length_ + 2 * limits::kReserveBytes;
  if (::fallocate(file_.get(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(wanted)) < 0) {
    if (errno != EOPNOTSUPP) {
      return errno_error("keep room for the journal");
    }
  }
  allocated_ = wanted;
  return done();
}

JsonWriter Journal::begin(std::string_view type, const Actor* actor) const {
  JsonWriter line = chain_.begin();
  line.field("at", wall_text(wall_now_ms())).field("boot_ms", boot_ms()).field("type", type);
  if (actor != nullptr) {
    line.key("actor").begin_object();
    line.field("role", name_of(actor->role)).field("uid", actor->uid).field("pid", actor->pid);
    line.field("program", actor->program).field("name", actor->name);
    line.field("connection", actor->connection).end_object();
  }
  return line;
}

Status Journal::write(std::string_view line) {
  if (Status written = write_all(file_.get(), as_bytes(line)); !written) {
    broken_ = broken_ || !cut(file_.get(), length_);  // no half line stays
    return written;
  }
  length_ += line.size();
  return done();
}

Result<std::uint64_t> Journal::append(JsonWriter line) {
  if (broken_) {
    return error(Code::Refused, "the journal can't be written any more");
  }
  if (line.view().size() >= limits::kJournalLineBytes) {
    return error(Code::TooLarge, "a journal line over the limit");
  }
  Chain next = chain_;
  std::string text = next.commit(std::move(line)) + "\n";
  if (Status written = write(text); !written) {
    return within("journal", written.failure());
  }
  chain_ = next;
  unsafe_.push_back(std::move(text));
  return chain_.lines();
}

Status Journal::sync() {
  if (broken_) {
    return error(Code::Refused, "the journal can't be written any more");
  }
  if (unsafe_.empty()) {
    return done();
  }
  if (::fdatasync(file_.get()) < 0) {
    if (Status moved = move_on(errno_error("sync the journal")); !moved) {
      broken_ = true;
      return moved;
    }
  }
  unsafe_.clear();
  safe_lines_ = told_lines_ = chain_.lines();
  segments_.back().durable = segments_.back().told = length_;
  return done();
}

bool Journal::tell() {
  if (told_lines_ + 1 != chain_.lines()) {
    return false;
  }
  told_lines_ = chain_.lines();
  segments_.back().told = length_;
  if (told_) {
    told_();
  }
  return true;
}

// After a failed sync the kernel may have dropped the pages and say "all well" next time: the old
// file ends where it was last safe, and what came after is written anew elsewhere.
Status Journal::move_on(const Error& why) {
  const std::uint32_t old_segment = segments_.back().number;
  const std::uint64_t old_length = segments_.back().durable;
  (void)cut(file_.get(), old_length);  // else the new segment's first line says what is void
  if (Status opened = open_segment(safe_lines_ + 1); !opened) {
    return opened;
  }
  for (const std::string& line : unsafe_) {
    if (Status written = write(line); !written) {
      return written;
    }
  }
  JsonWriter line = begin("segment-opened");
  line.field("segment", segments_.back().number).field("after_segment", old_segment);
  line.field("after_length", old_length).field("cause", why.text());
  std::string text = chain_.commit(std::move(line)) + "\n";
  if (Status written = write(text); !written) {
    return written;
  }
  return ::fdatasync(file_.get()) < 0 ? Status(errno_error("sync the new journal segment"))
                                      : done();
}

void Journal::commit(Then then) {
  waiting_.push_back(std::move(then));
  if (posted_) {
    return;
  }
  posted_ = true;
  loop_.post([this, alive = alive_] {
    if (*alive) {
      flush();
    }
  });
}

void Journal::commit_soon(Then then) {
  waiting_.push_back(std::move(then));
  if (!posted_ && !soon_.armed()) {
    soon_.arm(kSoon);
  }
}

void Journal::flush() {
  posted_ = false;
  soon_.disarm();
  const std::uint64_t told = told_lines_;
  const std::vector<Then> due = std::exchange(waiting_, {});
  const Status synced = sync();
  const std::shared_ptr<bool> alive = alive_;
  for (const Then& then : due) {
    if (then) {
      then(synced);
    }
  }
  if (*alive && synced && told_ && told_lines_ > told) {
    told_();
  }
}

std::uint64_t Journal::last_line_of(const Segment& segment) const {
  return segment.number == segments_.back().number ? told_lines_
                                                   : segments_[segment.number].first_line - 1;
}

void Journal::finish() {
  (void)::fchmod(file_.get(), 0400);
}

Result<std::unique_ptr<Journal>> Journal::resume(Loop& loop, int folder, Found& found) {
  std::unique_ptr<Journal> out(new Journal(loop, folder, {}));
  for (std::uint32_t number = 1; number <= kMostSegments; ++number) {
    Result<Fd> file = open_beneath(folder, file_name(number), O_RDWR | O_APPEND);
    if (!file && file.failure().code == Code::NotFound && number > 1) {
      break;
    }
    if (!file) {
      return file.failure();
    }
    out->file_ = std::move(*file);
    if (Status scanned = out->scan(number, found); !scanned) {
      return scanned.failure();
    }
  }
  if (found.torn_bytes > 0 &&
      (::ftruncate(out->file_.get(), static_cast<off_t>(out->length_)) < 0 ||
       ::fdatasync(out->file_.get()) < 0)) {
    return errno_error("cut the torn last line");
  }
  return out;
}

Status Journal::scan(std::uint32_t segment, Found& found) {
  const Result<Mapping> mapped = Mapping::of(file_.get());
  if (!mapped) {
    return mapped.failure();
  }
  const std::string_view text = as_text(mapped->bytes());
  segments_.push_back({segment, chain_.lines() + 1, 0, 0});
  std::size_t at = 0;
  // A segment may replace lines of the one before (move_on): its first line says from where.
  std::uint64_t lines = chain_.lines();
  if (const std::uint64_t first = number(text.substr(0, 64), R"({"line":)");
      first > 0 && first <= lines) {
    lines = first - 1;
    segments_.back().first_line = first;
  }
  Digest head = chain_.head();
  while (true) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) {
      break;
    }
    const std::string_view line = text.substr(at, end - at);
    note_line(line, found);
    at = end + 1;
    ++lines;
    if (text.find('\n', at) == std::string_view::npos) {
      head = head_of_line(line);
    }
  }
  found.torn_bytes = text.size() - at;
  chain_ = Chain(head, lines);
  length_ = at;
  allocated_ = at;
  safe_lines_ = told_lines_ = lines;
  segments_.back().durable = segments_.back().told = at;
  return done();
}

}  // namespace rb::brk
