// journal.h — a session's append-only, chained journal.   [TRUSTED: broker]
// Order:  begin → append → commit. A line is acknowledged to nobody before commit's callback said
//         it is on disk; lines of one turn of the loop share one sync.
// Errors: a failed write leaves the file as it was. A failed sync is final for its segment: the
//         next one opens with the lines that weren't safe yet; if that fails too the journal is
//         broken for good and every later call says so.
// Source: docs/RECORD.md §Journal; DESIGN §8; attacks B6, B7.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "broker/actor.h"
#include "common/chain.h"
#include "common/fd.h"
#include "common/loop.h"
#include "common/result.h"

namespace rb::brk {

class Journal {
 public:
  using Then = std::function<void(const Status&)>;
  struct Segment {
    std::uint32_t number = 1;
    std::uint64_t first_line = 1;
    std::uint64_t durable = 0;  // bytes that are on disk
    std::uint64_t told = 0;     // bytes that others may read
  };
  struct FoundRun {
    std::string runbook;
    std::string status;
  };
  // What a pass over an earlier broker's journal found.
  struct Found {
    std::set<std::string> started;           // executions with a start line
    std::set<std::string> finished;          // executions with an end line
    std::map<std::uint64_t, FoundRun> runs;  // by number
    bool ended = false;                      // the session has its last line
    std::uint64_t torn_bytes = 0;            // cut off behind the last whole line
  };

  // `folder`: the session's; stays the caller's and open. `head`: the line this session follows.
  [[nodiscard]] static Result<std::unique_ptr<Journal>> create(Loop& loop, int folder, Digest head);
  [[nodiscard]] static Result<std::unique_ptr<Journal>> resume(Loop& loop, int folder,
                                                               Found& found);

  // A new line with its common fields; `actor` may be null.
  [[nodiscard]] JsonWriter begin(std::string_view type, const Actor* actor = nullptr) const;
  // Writes it; gives its number. Nothing is promised before commit.
  [[nodiscard]] Result<std::uint64_t> append(JsonWriter line);
  // Calls back from the loop, once everything appended until then is on disk, or can't be.
  void commit(Then then);
  // The same, some milliseconds later or with the next commit: for lines that nobody waits for.
  void commit_soon(Then then);
  // The same, now.
  [[nodiscard]] Status sync();
  // Lets others read the line just appended before it is synced, unless one before it must be
  // synced first (false): for facts that are on disk elsewhere already (outcome.bin), which a later
  // broker would write here again.
  [[nodiscard]] bool tell();
  // Called whenever there is more that others may read.
  void on_told(std::function<void()> told) { told_ = std::move(told); }
  // Keeps room for the lines that must still fit when the disk is full.
  [[nodiscard]] Status reserve();
  // Marks the last segment as complete: no line will follow.
  void finish();

  [[nodiscard]] std::uint64_t lines() const { return chain_.lines(); }
  [[nodiscard]] std::uint64_t told_line() const { return told_lines_; }
  [[nodiscard]] std::uint64_t last_line_of(const Segment& segment) const;
  [[nodiscard]] const Digest& head() const { return chain_.head(); }
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] static std::string file_name(std::uint32_t segment);

 private:
  Journal(Loop& loop, int folder, Digest head);
  [[nodiscard]] Status open_segment(std::uint64_t first_line);
  [[nodiscard]] Status write(std::string_view line);
  [[nodiscard]] Status move_on(const Error& why);
  [[nodiscard]] Status scan(std::uint32_t segment, Found& found);
  void flush();

  Loop& loop_;
  int folder_;
  Chain chain_;
  Fd file_;
  std::uint64_t length_ = 0;     // of the open segment, written
  std::uint64_t allocated_ = 0;  // of the open segment, room kept
  std::vector<Segment> segments_;
  std::vector<std::string> unsafe_;  // written, not yet synced
  std::uint64_t safe_lines_ = 0;
  std::uint64_t told_lines_ = 0;
  std::vector<Then> waiting_;
  bool posted_ = false;  // a flush is on its way
  Timer soon_;
  std::function<void()> told_;
  bool broken_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

 public:
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  Journal(Journal&&) = delete;
  Journal& operator=(Journal&&) = delete;
  ~Journal();
};

}  // namespace rb::brk
