// runbook-monitor: one execution. Link on descriptor 3, log on 2. DESIGN §2.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "broker/monitor/monitor.h"

namespace {

constexpr int kLink = 3;

// Streams that are closed would be taken by the next descriptors that are opened.
void fill_streams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) {
      (void)::open("/dev/null", O_RDWR);
    }
  }
}

}  // namespace

int main() {
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  (void)::signal(SIGPIPE, SIG_IGN);
  (void)::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the exit statuses away
  fill_streams();
  if (::fcntl(kLink, F_SETFD, FD_CLOEXEC) < 0) {
    return 1;  // nobody to work for
  }
  rb::mon::Monitor monitor{rb::Fd(kLink)};
  monitor.run();
  return 0;
}
