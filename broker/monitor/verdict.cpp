#include "broker/monitor/verdict.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "common/folder.h"
#include "common/io.h"

namespace rb::mon {
namespace {

std::string cause_of_signal(int number) {
  switch (number) {
    case SIGSYS:
      return "policy violation";
    case SIGXFSZ:
      return "file size limit";
    case SIGXCPU:
      return "processor time limit";
    default:
      return "";
  }
}

// A temporary of ours in the execution's folder, with the content in it and synced.
Status write_temporary(int folder, const char* name, ByteView content) {
  (void)::unlinkat(folder, name, 0);
  const Result<Fd> file =
      open_beneath(folder, name, O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, 0600);
  if (!file) {
    return file.failure();
  }
  if (Status written = write_all(file->get(), content); !written) {
    return written;
  }
  return ::fdatasync(file->get()) < 0 ? Status(errno_error("sync")) : done();
}

}  // namespace

void judge(const Seen& seen, Outcome& outcome) {
  outcome.exit = -1;
  outcome.signal = 0;
  if (seen.exec_errno != 0) {
    outcome.outcome = Ended::Error;
    outcome.cause = seen.exec_errno == E2BIG
                        ? "arguments and environment are too large"
                        : std::string("exec: ") + std::strerror(seen.exec_errno);
    return;
  }
  if (seen.wait_status && WIFEXITED(*seen.wait_status)) {
    outcome.exit = WEXITSTATUS(*seen.wait_status);
  } else if (seen.wait_status) {
    outcome.signal = static_cast<std::uint32_t>(WTERMSIG(*seen.wait_status));
  } else if (seen.killed_by_us) {
    outcome.signal = SIGKILL;
  }
  if (seen.reason) {
    outcome.outcome = seen.reason->outcome;
    outcome.cause = seen.reason->cause;
    return;
  }
  if (!seen.wait_status && !seen.killed_by_us) {
    outcome.outcome = Ended::Interrupted;
    outcome.cause = "the sandbox ended from outside";
    return;
  }
  outcome.outcome = outcome.exit == 0 ? Ended::Passed : Ended::Failed;
  outcome.cause = cause_of_signal(static_cast<int>(outcome.signal));
  outcome.warn = seen.is_check && outcome.exit == 2;
}

Result<Digest> write_outcome(int folder, const Outcome& outcome) {
  const Bytes bin = encode_outcome(outcome);
  const Digest digest = sha256(bin);
  const std::string json = outcome_json(outcome, digest);
  struct File {
    const char* temporary;
    const char* name;
    ByteView content;
  };
  const std::array<File, 2> files{{{".outcome.json.tmp", "outcome.json", as_bytes(json)},
                                   {".outcome.bin.tmp", "outcome.bin", bin}}};
  for (const File& file : files) {
    if (Status written = write_temporary(folder, file.temporary, file.content); !written) {
      return within(file.name, written.failure());
    }
  }
  for (const File& file : files) {
    if (::renameat(folder, file.temporary, folder, file.name) < 0) {
      return errno_error(file.name);
    }
  }
  return ::fsync(folder) < 0 ? Result<Digest>(errno_error("sync the folder")) : digest;
}

}  // namespace rb::mon
