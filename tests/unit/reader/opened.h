// opened.h — a folder opened as the broker does it: load, then read, without processes.  [tests]
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rb::test {

struct OpenedBlock {
  std::string id, type, kind, language, script, path, why_not, interpreter_for;
  unsigned line = 0;
  bool runnable = false;
  std::vector<std::string> interpreter;
};
struct OpenedProblem {
  std::string severity, code, construct, text, block, file, excerpt, advice;
  unsigned line = 0, column = 0;
};
struct Opened {
  std::string failed;  // code of a Failed
  bool bound = true;
  bool vetted = false;
  std::string format, title;
  std::vector<OpenedBlock> blocks;
  std::vector<OpenedProblem> problems;
  std::vector<std::string> entries;  // "file scripts/a.sh"
  std::size_t document_nodes = 0;

  // Blocks that have a script a person could start, now or later.
  [[nodiscard]] std::vector<OpenedBlock> executables() const;
};

// `name` as in Load.
[[nodiscard]] Opened open_folder(const std::string& folder, const std::string& name = "");
// A folder of its own with one file in it.
[[nodiscard]] Opened open_text(const std::string& name, std::string_view text);

// A temporary folder, removed with everything in it.
class Folder {
 public:
  Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] const std::string& path() const { return path_; }
  // Makes parents too; names may begin with "../".
  void write(const std::string& name, std::string_view bytes) const;
  void link(const std::string& name, const std::string& target) const;
  void fifo(const std::string& name) const;

 private:
  std::string outer_;
  std::string path_;
};

// The shared folder of corpora; "" when it is not there, which is said (and fails the test with
// RUNBOOKD_MUST_WORK=1). Our own cases.
[[nodiscard]] std::string shared_folder();
[[nodiscard]] std::string golden_folder();
[[nodiscard]] std::string read_file(const std::string& path);
[[nodiscard]] std::vector<std::string> lines_of(const std::string& path);

}  // namespace rb::test
