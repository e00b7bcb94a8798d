// runbook-monitor [template]: one execution, or what such are copies of. Link on descriptor 3, log
// on 2. DESIGN §2.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <string_view>
#include <utility>

#include "broker/monitor/monitor.h"
#include "broker/monitor/template.h"

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

int main(int argc, char** argv) {
  (void)::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &none);
  (void)::signal(SIGPIPE, SIG_IGN);
  (void)::signal(SIGCHLD, SIG_DFL);  // ignored, it would take the exit statuses away
  fill_streams();
  if (::fcntl(kLink, F_SETFD, FD_CLOEXEC) < 0) {
    return 1;  // nobody to work for
  }
  rb::Fd link(kLink);
  if (argc == 2 && std::string_view(argv[1]) == "template") {
    std::optional<rb::Fd> mine = rb::mon::serve_as_template(link);
    if (!mine) {
      return 0;
    }
    link = std::move(*mine);
  }
  rb::mon::Monitor monitor{std::move(link)};
  monitor.run();
  return 0;
}
