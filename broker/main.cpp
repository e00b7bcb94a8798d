// runbook-broker — the trusted daemon. Started by systemd or by `runbookctl`.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string_view>

#include "broker/broker.h"
#include "common/log.h"

namespace {

constexpr int kWrongCommandLine = 125;
constexpr rlim_t kDescriptors = 8192;  // 256 connections, 64 executions, room to spare

std::optional<rb::brk::Options> parse(int argc, char** argv) {
  rb::brk::Options out;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--libexec") {
      out.libexec = value;
    } else if (name == "--log") {
      out.log = value;
    } else if (name == "--ready-fd" && value.size() < 5 &&
               value.find_first_not_of("0123456789") == std::string::npos && !value.empty()) {
      out.ready_fd = std::stoi(value);
    } else {
      return std::nullopt;
    }
  }
  return argc % 2 == 1 ? std::optional(out) : std::nullopt;
}

// Whatever the starter left us with: it holds for our probe and our children too.
void settle(rb::brk::Options& options) {
  // What is opened later must not become a standard stream, which children get.
  for (int fd = STDIN_FILENO; fd >= 0 && fd <= STDERR_FILENO;) {
    fd = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  }
  ::umask(0077);
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    options.open_files = static_cast<std::uint32_t>(std::min<rlim_t>(files.rlim_cur, 1U << 20));
    files.rlim_cur = std::min(std::max(files.rlim_cur, kDescriptors), files.rlim_max);
    (void)::setrlimit(RLIMIT_NOFILE, &files);
  }
  sigset_t nothing;
  sigemptyset(&nothing);
  (void)::sigprocmask(SIG_SETMASK, &nothing, nullptr);  // else we would be deaf to TERM
  (void)::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the exit statuses away
  (void)::signal(SIGPIPE, SIG_IGN);
  (void)::signal(SIGHUP, SIG_IGN);
}

bool log_to(const std::string& path) {
  const rb::Fd log(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  return log && ::dup2(log.get(), 1) >= 0 && ::dup2(log.get(), 2) >= 0;
}

int fail(const rb::Error& why) {
  rb::log::error(why.text());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<rb::brk::Options> options = parse(argc, argv);
  rb::brk::Options fallback;
  settle(options ? *options : fallback);
  // While its children can still write their id maps: an undumpable process has none that can.
  rb::brk::Facts facts = rb::brk::Facts::probe();
  (void)::prctl(PR_SET_DUMPABLE, 0);  // nobody of this uid shall read our memory
  if (options && !options->log.empty() && !log_to(options->log)) {
    options.reset();
  }
  rb::log::start("runbook-broker");
  if (!options) {
    rb::log::error("usage: runbook-broker [--libexec DIR] [--ready-fd N] [--log FILE]");
    return kWrongCommandLine;
  }
  if (options->libexec.empty()) {
    options->libexec = rb::brk::find_libexec();
  }
  rb::Result<rb::brk::Places> places = rb::brk::Places::prepare();
  if (!places) {
    return fail(places.failure());
  }
  if (!rb::seal::start()) {
    return fail(rb::error(rb::Code::Unsupported, "this system gives no random numbers"));
  }
  rb::Result<rb::brk::Ledger::Opened> ledger = rb::brk::Ledger::open(places->state());
  if (!ledger) {
    return fail(ledger.failure());
  }
  if (ledger->cut_bytes > 0) {
    rb::log::warn("the ledger's last " + std::to_string(ledger->cut_bytes) +
                  " bytes were damaged and are cut");
  }
  rb::brk::Broker broker(std::move(*options), std::move(*places), std::move(ledger->ledger),
                         std::move(facts));
  return broker.serve(ledger->records, ledger->fresh);
}
