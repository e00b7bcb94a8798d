// store.h — makes a state folder with sessions, as broker and monitor write them, for tests.
// Every method aborts where the machine fails: a test's ground isn't what it tests.
#pragma once

#include <string>
#include <vector>

#include "common/chain.h"
#include "common/fd.h"
#include "common/outcome_file.h"

namespace rb::test {

// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_file(const std::string& path, std::string_view content);
[[nodiscard]] std::string read_file(const std::string& path);
[[nodiscard]] Fd open_file(const std::string& path);

// What one execution was and became.
struct Play {
  std::string execution = "e1";
  std::uint64_t run = 1;
  std::string block = "check-disk";
  std::string script = "#!/bin/bash\ndf -h\n";
  std::string output = "Filesystem  Size\n";
  Ended outcome = Ended::Passed;
  std::int32_t exit = 0;
  std::uint32_t signal = 0;
  std::string cause;
  // What it left; the list has `files` files.
  std::string outputs;
  std::string list;
  std::uint32_t files = 0;
  std::string note;
};

// One session's folder under STATE/sessions, written line by line.
class SessionWriter {
 public:
  // `head`: of the line this session follows.
  SessionWriter(const std::string& state, std::string id, Digest head = {});

  // A line of that type; `fill` adds its fields.
  template <typename Fill>
  void line(std::string_view type, Fill&& fill) {
    JsonWriter json = begin(type);
    fill(json);
    append(std::move(json));
  }
  void started_session(std::string_view who, std::string_view why);
  void opened(std::string_view runbook, std::string_view title);
  void run_opened(std::uint64_t run, std::string_view runbook);
  void start(const Play& play, std::string_view runbook = "deploy");
  void finish(const Play& play, std::string_view runbook = "deploy");
  void play(const Play& play) {
    start(play);
    finish(play);
  }
  void run_closed(std::uint64_t run, std::string_view runbook, std::string_view status);
  void end();
  // The next line goes into a new segment that repeats the last `repeated` lines.
  void new_segment(std::size_t repeated = 0);

  bool large_scripts = false;  // start lines hold no script, as where it is over 64 KiB

  [[nodiscard]] const Chain& chain() const { return chain_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] std::string journal(unsigned segment = 0) const;  // path; 0 is the last one
  [[nodiscard]] std::vector<Fd> segments() const;
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  [[nodiscard]] JsonWriter begin(std::string_view type) const;
  void append(JsonWriter line);

  std::string id_;
  std::string folder_;
  Chain chain_;
  unsigned segment_ = 1;
  std::uint64_t clock_ms_ = 0;
  std::vector<std::string> lines_;
};

// A session of about `bytes` of journal: two runs, executions that passed, failed and were stopped.
void write_sample(SessionWriter& session, std::size_t bytes, std::size_t script_bytes = 400);

}  // namespace rb::test
