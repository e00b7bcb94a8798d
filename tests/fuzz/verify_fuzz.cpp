// The record's checker: a session's journal and session.json, cut out of the input at its first
// zero byte, in a folder with one execution. Whatever stands there, it answers; and it never says
// "right" of a journal whose lines don't hang together.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "client/lib/record_verify.h"
#include "common/chain.h"
#include "common/io.h"
#include "common/journal_reader.h"
#include "tests/fuzz/fuzz.h"

namespace {

using rb::fuzz::must;

constexpr const char* kSession = "sessions/20261130-162033-k7fq";

// Made once for the process: memory where there is a file system for it.
int state_folder() {
  static const int folder = [] {
    char name[] = "/dev/shm/verify-fuzz-XXXXXX";
    must(::mkdtemp(name) != nullptr);
    const int out = ::open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(::mkdirat(out, "sessions", 0700) == 0 && ::mkdirat(out, kSession, 0700) == 0);
    const std::string execution = std::string(kSession) + "/executions";
    must(::mkdirat(out, execution.c_str(), 0700) == 0 &&
         ::mkdirat(out, (execution + "/e1").c_str(), 0700) == 0);
    static std::string path = name;
    std::atexit([] {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    });
    return out;
  }();
  return folder;
}

void put(const std::string& name, rb::ByteView content) {
  const rb::Fd file(::openat(state_folder(), (std::string(kSession) + "/" + name).c_str(),
                             O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  must(file.open() && rb::write_all(file.get(), content).ok());
}

// The plain definition of a chain, beside the checker's own.
bool hangs_together(rb::ByteView journal) {
  const rb::Result<rb::Fd> file = rb::sealed_memory("journal", journal);
  must(file.ok());
  rb::JournalReader reader({file->get()}, 1 << 20);
  rb::Digest before;
  for (std::uint64_t number = 1;; ++number) {
    const auto line = reader.next();
    if (!line.ok()) {
      return false;
    }
    if (!*line) {
      return true;
    }
    if (number > 1 && (*line)->start.prev != before) {
      return false;
    }
    before = rb::head_of_line((*line)->text);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const rb::ByteView all(data, size);
  const auto cut = static_cast<std::size_t>(std::find(data, data + size, 0) - data);
  const rb::ByteView journal = all.first(cut);
  put("journal-0001.jsonl", journal);
  if (cut + 1 < size) {
    put("session.json", all.subspan(cut + 1));
  } else {
    (void)::unlinkat(state_folder(), (std::string(kSession) + "/session.json").c_str(), 0);
  }
  const rb::Result<rb::client::Verdict> verdict = rb::client::verify_record(state_folder(), {});
  must(verdict.ok());
  must(verdict->ok() || !verdict->bad->reason.empty());
  must(!verdict->ok() || hangs_together(journal));
  rb::fuzz::planted(verdict->ok() && verdict->executions > 0);
  return 0;
}
