// runbook-reader load|read|view: one mode, one request on the link, one answer, then the end.
// The order of what the process gives up is common/confine.h's.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>

#include "common/confine.h"
#include "common/packet.h"
#include "daemon/reader/modes.h"
#include "daemon/reader/to_wire.h"
#include "daemon/reader/view.h"
#include "protocol/limits.h"

namespace {

using rb::Bytes;
using rb::Error;
using rb::Packet;
using rb::Result;
using rb::Status;
using rb::confine::Role;

constexpr int kUsage = 2;
constexpr int kLinkBroken = 3;
constexpr int kTimedOut = 79;

int say(const Error& failure, int status) {
  const std::string text = "runbook-reader: " + failure.text() + "\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
  return status;
}

// Made before the clock starts: the handler takes no memory.
Bytes& timeout_answer() {
  static Bytes message;
  return message;
}
const std::vector<int> kNoDescriptors;

void on_time_up(int) {
  (void)rb::send_packet(rb::confine::kLinkDescriptor, timeout_answer(), kNoDescriptors);
  _exit(kTimedOut);
}

// Processor time, not time: on a busy machine an honest runbook is read slowly, not refused.
// Whoever asked has a clock on the wall for what hangs. As PID 1 of its namespace the process would
// ignore SIGXCPU without a handler; a second later the kernel kills, whatever the process has
// become.
Status start_clock(std::chrono::seconds cpu) {
  timeout_answer() =
      rb::rdr::failed_to_wire("timeout", "reading took longer than " + std::to_string(cpu.count()) +
                                             " s of processor time");
  struct sigaction action {};
  action.sa_handler = on_time_up;
  if (::sigaction(SIGXCPU, &action, nullptr) < 0) {
    return rb::errno_error("sigaction");
  }
  const auto seconds = static_cast<rlim_t>(cpu.count());
  const rlimit limit{seconds, seconds + 1};
  return ::setrlimit(RLIMIT_CPU, &limit) < 0 ? Status(rb::errno_error("setrlimit")) : rb::done();
}

int confine_as(Role role, std::chrono::seconds cpu) {
  if (Status inside = rb::confine::into_namespaces(role); !inside) {
    return say(inside.failure(), rb::confine::kCannotConfine);
  }
  if (Status ticking = start_clock(cpu); !ticking) {
    return say(ticking.failure(), rb::confine::kCannotConfine);
  }
  if (Status narrow = rb::confine::narrow(role); !narrow) {
    return say(narrow.failure(), rb::confine::kCannotConfine);
  }
  return 0;
}

// A client chose the descriptor: what isn't a folder is its mistake, not this machine's.
bool is_folder(int fd) {
  struct stat facts {};
  return ::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode);
}

int send_reply(const rb::rdr::Reply& reply) {
  std::vector<int> fds;
  for (const rb::Fd& fd : reply.fds) {
    fds.push_back(fd.get());
  }
  const Status sent = rb::send_packet(rb::confine::kLinkDescriptor, reply.message, fds);
  return sent ? 0 : say(sent.failure(), kLinkBroken);
}

template <typename Serve>
int serve_one(Role role, Serve&& serve) {
  const Result<Packet> request = rb::receive_packet(rb::confine::kLinkDescriptor);
  if (!request) {
    return say(request.failure(), kLinkBroken);
  }
  if (request->fds.size() != 1) {
    return say(rb::error(rb::Code::Invalid, "a request without its descriptor"), kLinkBroken);
  }
  const int folder = role == Role::Loader ? request->fds.front().get() : -1;
  if (folder >= 0 && !is_folder(folder)) {
    return send_reply(
        {rb::rdr::failed_to_wire("not-a-file", "what was opened isn't a folder"), {}});
  }
  if (Status narrow = rb::confine::narrow_again(role, folder); !narrow) {
    return say(narrow.failure(), rb::confine::kCannotConfine);
  }
  return send_reply(serve(*request));
}

int run(Role role, std::chrono::seconds cpu) {
  if (const int failed = confine_as(role, cpu); failed != 0) {
    return failed;
  }
  switch (role) {
    case Role::Loader:
      return serve_one(role, rb::rdr::serve_load);
    case Role::Reader:
      return serve_one(role, rb::rdr::serve_read);
    case Role::View: {
      const Status served = rb::rdr::serve_view(rb::confine::kLinkDescriptor);
      return served ? 0 : say(served.failure(), kLinkBroken);
    }
    case Role::Front:
      break;
  }
  return kUsage;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view mode = count == 2 ? words[1] : "";
  if (mode == "load") {
    return run(Role::Loader, rb::limits::kReadingCpu);
  }
  if (mode == "read") {
    return run(Role::Reader, rb::limits::kReadingCpu);
  }
  if (mode == "view") {
    return run(Role::View, rb::limits::kViewingCpu);
  }
  return say(rb::error(rb::Code::Invalid, "usage: runbook-reader load|read|view"), kUsage);
}
