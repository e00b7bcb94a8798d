#include "broker/monitor/verdict.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

#include "common/folder.h"
#include "common/io.h"

namespace rb::mon {
namespace {

// Any process may send any signal: a limit is named where it was set, and never as the only reason.
std::string cause_of_signal(int number, bool file_limit) {
  if (number == SIGSYS) {
    return "SIGSYS: a forbidden system call, or sent by a process";
  }
  return number == SIGXFSZ && file_limit ? "SIGXFSZ: a file over its limit, or sent by a process"
                                         : "";
}

constexpr const char* kJsonTemporary = ".outcome.json.tmp";
constexpr const char* kDoesNotEnd = "it does not end: the kernel can't end one of its processes";

void judge_script(const Seen& seen, Outcome& outcome) {
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
  outcome.cause = cause_of_signal(static_cast<int>(outcome.signal), seen.file_limit);
  outcome.warn = seen.is_check && outcome.exit == 2;
}

}  // namespace

void judge(const Seen& seen, Outcome& outcome) {
  judge_script(seen, outcome);
  if (seen.does_not_end) {
    outcome.cause += (outcome.cause.empty() ? "" : "; ") + std::string(kDoesNotEnd);
    outcome.may_have_left = true;
  }
}

Status OutcomeFiles::reserve(int folder) {
  const auto refused = [](int why) { return Error{Code::System, "room for the outcome", why}; };
  Result<Fd> bin = open_beneath(folder, "outcome.bin", O_WRONLY | O_CREAT, Links::Refuse, 0600);
  struct stat facts {};
  if (!bin || ::fstat(bin->get(), &facts) < 0) {
    return refused(bin ? errno : bin.failure().errnum);
  }
  if (facts.st_size != 0) {
    return refused(EEXIST);  // an outcome is never written over
  }
  folder_ = folder;
  bin_ = std::move(*bin);
  const Bytes zeros(kOutcomeFileBytes);
  if (Status written = write_all(bin_.get(), zeros); !written) {
    return refused(written.failure().errnum);
  }
  return ::fdatasync(bin_.get()) < 0 || ::fsync(folder) < 0 ? Status(refused(errno)) : done();
}

void OutcomeFiles::discard() {
  if (bin_ && !written_) {
    (void)::unlinkat(folder_, "outcome.bin", 0);
  }
  bin_.reset();
}

Result<Digest> OutcomeFiles::write(const Outcome& outcome) {
  const Bytes bin = encode_outcome(outcome);
  if (::pwrite(bin_.get(), bin.data(), bin.size(), 0) != static_cast<ssize_t>(bin.size()) ||
      ::fdatasync(bin_.get()) < 0) {
    return errno_error("sync");
  }
  written_ = true;
  return sha256(bin);
}

Status OutcomeFiles::write_words(const Outcome& outcome, const Digest& bin) const {
  (void)::unlinkat(folder_, kJsonTemporary, 0);
  const Result<Fd> json =
      open_beneath(folder_, kJsonTemporary, O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, 0600);
  const std::string text = outcome_json(outcome, bin);
  if (!json || !write_all(json->get(), as_bytes(text)) || ::fdatasync(json->get()) < 0 ||
      ::renameat(folder_, kJsonTemporary, folder_, "outcome.json") < 0) {
    return errno_error("outcome.json");
  }
  return done();
}

OutcomeFiles::~OutcomeFiles() {
  discard();
}

}  // namespace rb::mon
