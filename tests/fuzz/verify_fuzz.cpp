// The record's checker: a session's journal and session.json, cut out of the input at its first
// zero byte, in a folder with one execution. Whatever stands there, it answers; and it never says
// "right" of a journal whose lines don't hang together.
#include <fcntl.h>
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

namespace fs = std::filesystem;
const fs::path kMemory = "/dev/shm";
const std::string kPrefix = "verify-fuzz-";

// Crashes are what a fuzz target is for: folders of processes that are no more go first.
void remove_leftovers() {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(kMemory, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kPrefix, 0) == 0 && !fs::exists("/proc/" + name.substr(kPrefix.size()))) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

fs::path own_folder() {
  return kMemory / (kPrefix + std::to_string(::getpid()));
}

// Made once for the process.
int state_folder() {
  static const int folder = [] {
    remove_leftovers();
    fs::create_directories(own_folder() / kSession / "executions" / "e1");
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(own_folder(), ignored);
    });
    return ::open(own_folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }();
  must(folder >= 0);
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
