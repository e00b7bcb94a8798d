// Every byte of a session, changed; every length of its journal's end.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "sample_state.h"

namespace {

using rb::client::Verdict;
using rb::test::SampleState;

// Changes one byte of a file for as long as it lives.
class Flip {
 public:
  Flip(int file, std::uint64_t offset, std::uint8_t mask) : file_(file), offset_(offset) {
    must(::pread(file_, &byte_, 1, at()) == 1);
    const std::uint8_t changed = byte_ ^ mask;
    must(::pwrite(file_, &changed, 1, at()) == 1);
  }
  Flip(const Flip&) = delete;
  Flip& operator=(const Flip&) = delete;
  Flip(Flip&&) = delete;
  Flip& operator=(Flip&&) = delete;
  ~Flip() { must(::pwrite(file_, &byte_, 1, at()) == 1); }

 private:
  [[nodiscard]] off_t at() const { return static_cast<off_t>(offset_); }
  static void must(bool fine) {
    if (!fine) {
      std::abort();
    }
  }
  int file_;
  std::uint64_t offset_;
  std::uint8_t byte_ = 0;
};

rb::Fd open_to_change(const std::string& path) {
  rb::Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(file.open());
  return file;
}

// Never 0, different for neighbours, all eight bits in turn.
std::uint8_t mask_for(std::uint64_t offset) {
  return static_cast<std::uint8_t>((offset * 167 + 13) % 255 + 1);
}

}  // namespace

// Half a minute of CPU for every byte: RUNBOOKD_SWEEP=all. Else each fifth, none of a kind left
// out.
TEST_CASE("sweep: every changed byte of a 64 KiB journal is reported with its line") {
  const char* const asked = std::getenv("RUNBOOKD_SWEEP");
  const std::uint64_t step = asked != nullptr && std::string_view(asked) == "all" ? 1 : 5;
  const SampleState sample(64 * 1024, 4000);
  const std::string journal = rb::test::read_file(sample.session().journal());
  REQUIRE(journal.size() >= 64 * 1024);
  REQUIRE(rb::test::verify(sample.path()).ok());
  const rb::Fd file = open_to_change(sample.session().journal());
  std::uint64_t line = 1;
  std::uint64_t missed = 0;
  std::uint64_t misplaced = 0;
  for (std::uint64_t at = 0; at < journal.size(); ++at) {
    line += at > 0 && journal[at - 1] == '\n' ? 1 : 0;
    if (at % step != 0) {
      continue;
    }
    const Flip flip(file.get(), at, mask_for(at));
    const Verdict verdict = rb::test::verify(sample.path());
    missed += verdict.ok() ? 1 : 0;
    const bool placed = verdict.ok() || (verdict.bad->line == line &&
                                         verdict.bad->file.ends_with("journal-0001.jsonl"));
    if (!placed && misplaced++ < 5) {
      MESSAGE("byte " << at << " of line " << line << ": " << verdict.bad->file << ":"
                      << verdict.bad->line << ": " << verdict.bad->reason);
    }
  }
  CHECK(missed == 0);
  CHECK(misplaced == 0);
}

TEST_CASE("sweep: every changed byte of every file of an execution is reported with that file") {
  const SampleState sample(3000);
  for (const char* name : {"script", "output", "outcome.bin", "outcome.json"}) {
    const std::string path = sample.session().folder() + "/executions/e1/" + name;
    const std::uint64_t size = rb::test::read_file(path).size();
    const rb::Fd file = open_to_change(path);
    for (std::uint64_t at = 0; at < size; ++at) {
      const Flip flip(file.get(), at, mask_for(at));
      const Verdict verdict = rb::test::verify(sample.path());
      REQUIRE_FALSE(verdict.ok());
      CHECK(verdict.bad->file.ends_with(std::string("executions/e1/") + name));
    }
  }
}

TEST_CASE("sweep: a journal cut anywhere in its last 4 KiB is never taken for whole") {
  const SampleState sample(12 * 1024);
  const std::string path = sample.session().journal();
  const std::string journal = rb::test::read_file(path);
  for (std::size_t length = journal.size() - 4096; length < journal.size(); ++length) {
    REQUIRE(::truncate(path.c_str(), 0) == 0);
    rb::test::write_file(path, std::string_view(journal).substr(0, length));
    const Verdict verdict = rb::test::verify(sample.path());
    REQUIRE_FALSE(verdict.ok());  // session.json says how many lines there were
    const auto lines = static_cast<std::uint64_t>(
        std::count(journal.begin(), journal.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    CHECK(verdict.bad->line == lines + 1);
    CHECK(verdict.cuts.size() == (journal[length - 1] == '\n' ? 0 : 1));
  }
}

TEST_CASE("sweep: without session.json a journal cut within a line is reported as cut") {
  const SampleState sample(12 * 1024);
  REQUIRE(::unlink((sample.session().folder() + "/session.json").c_str()) == 0);
  const std::string path = sample.session().journal();
  const std::string journal = rb::test::read_file(path);
  for (std::size_t length = journal.size() - 4096; length < journal.size(); ++length) {
    rb::test::write_file(path, std::string_view(journal).substr(0, length));
    const Verdict verdict = rb::test::verify(sample.path());
    REQUIRE(verdict.ok());
    CHECK(verdict.cuts.size() == (journal[length - 1] == '\n' ? 0 : 1));
  }
}
