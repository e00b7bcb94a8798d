#include "broker/monitor/verdict.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

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

constexpr off_t kReserve = 4096;  // each; neither is ever longer
constexpr const char* kJsonTemporary = ".outcome.json.tmp";
constexpr const char* kBinTemporary = ".outcome.bin.tmp";

Result<Fd> reserve_file(int folder, const char* name) {
  (void)::unlinkat(folder, name, 0);
  Result<Fd> file = open_beneath(folder, name, O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, 0600);
  if (file && ::fallocate(file->get(), FALLOC_FL_KEEP_SIZE, 0, kReserve) < 0 &&
      errno != EOPNOTSUPP) {
    return errno_error("fallocate");
  }
  return file;
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

Status OutcomeFiles::reserve(int folder) {
  folder_ = folder;
  Result<Fd> json = reserve_file(folder, kJsonTemporary);
  Result<Fd> bin = json ? reserve_file(folder, kBinTemporary) : Result<Fd>(json.failure());
  if (!bin) {
    return Error{Code::System, "room for the outcome", bin.failure().errnum};
  }
  json_ = std::move(*json);
  bin_ = std::move(*bin);
  return done();
}

Result<Digest> OutcomeFiles::write(const Outcome& outcome) {
  const Bytes bin = encode_outcome(outcome);
  const Digest digest = sha256(bin);
  Status written = write_all(json_.get(), as_bytes(outcome_json(outcome, digest)));
  if (written) {
    written = write_all(bin_.get(), bin);
  }
  if (!written) {
    return written.failure();
  }
  // What counts is outcome.bin, which is synced. The other's bytes are with the disk before that
  // sync empties its cache, and the folder's sync commits its length: no sync of its own.
  constexpr unsigned kWritten =
      SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
  if (::sync_file_range(json_.get(), 0, 0, kWritten) < 0 && ::fdatasync(json_.get()) < 0) {
    return errno_error("sync");
  }
  if (::fdatasync(bin_.get()) < 0) {
    return errno_error("sync");
  }
  if (::renameat(folder_, kJsonTemporary, folder_, "outcome.json") < 0 ||
      ::renameat(folder_, kBinTemporary, folder_, "outcome.bin") < 0 || ::fsync(folder_) < 0) {
    return errno_error("rename");
  }
  folder_ = -1;
  return digest;
}

OutcomeFiles::~OutcomeFiles() {
  if (folder_ >= 0) {
    (void)::unlinkat(folder_, kJsonTemporary, 0);
    (void)::unlinkat(folder_, kBinTemporary, 0);
  }
}

}  // namespace rb::mon
