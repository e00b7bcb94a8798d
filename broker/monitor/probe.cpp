#include "broker/monitor/probe.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "broker/monitor/init.h"
#include "broker/monitor/jail.h"
#include "broker/monitor/kernel.h"
#include "broker/monitor/report.h"
#include "common/fd.h"
#include "common/io.h"
#include "common/packet.h"
#include "protocol/wire.h"

namespace rb::mon {
namespace {

constexpr int kPatienceMs = 10'000;  // for each answer of a machine under load
constexpr const char* kShell = "/bin/sh";
constexpr std::size_t kKeyBytes = 32;

std::string failed(const Report& record) {
  return record.value == 0 ? record.stage() : record.stage() + ": " + std::strerror(record.value);
}

bool answers(const Fd& from) {
  pollfd wait{from.get(), POLLIN, 0};
  return ::poll(&wait, 1, kPatienceMs) > 0;
}

using Kept = std::vector<Fd>;  // a terminal whose master side is closed hangs up

// The next record of the first process; none when it is gone or silent.
std::optional<Report> hear(const First& first, Kept& kept) {
  Result<Packet> packet = answers(first.control) ? receive_packet(first.control.get())
                                                 : Result<Packet>(error(Code::System, "no answer"));
  Report record;
  if (!packet || packet->bytes.size() != sizeof record) {
    return std::nullopt;
  }
  std::memcpy(static_cast<void*>(&record), packet->bytes.data(), sizeof record);
  std::move(packet->fds.begin(), packet->fds.end(), std::back_inserter(kept));
  return record;
}

// What became of the first process or its script: "" for the kind that is waited for.
std::string expect(const First& first, Report::Kind wanted) {
  Kept kept;
  while (const std::optional<Report> record = hear(first, kept)) {
    if (record->kind == wanted) {
      return wanted == Report::Kind::Exited && record->value != 0 ? "its shell didn't run" : "";
    }
    if (record->kind == Report::Kind::Failed) {
      return failed(*record);
    }
  }
  return "the sandbox ended while it was prepared";
}

Bytes launch_of(const policy::Profile& profile, const Bytes& filter) {
  return wire::build<monitor::ToMonitor>([&](auto root) {
    monitor::Launch::Builder launch = root.initLaunch();
    launch.setExecution("probe");
    launch.setSession("probe");
    launch.setKey(wire::data(Bytes(kKeyBytes)));
    launch.setProfile(wire::text(profile.name));
    launch.initArgv(1).set(0, wire::data(as_bytes(std::string_view(kShell))));
    launch.setScript(monitor::ScriptAs::MEMORY);
    launch.setCwd("/");
    launch.setFilter(wire::data(filter));
    launch.initLimits().setTmpBytes(1 << 20);
    launch.setUsePty(true);
    const std::array kinds = {monitor::Descriptor::SCRIPT, monitor::Descriptor::OUTPUT,
                              monitor::Descriptor::INDEX, monitor::Descriptor::FOLDER};
    auto list = launch.initDescriptors(kinds.size());
    for (unsigned i = 0; i < kinds.size(); ++i) {
      list.set(i, kinds[i]);
    }
  });
}

// Both ends of what the script's process says and is told.
struct Ends {
  Fd go_read, go_write, report_read, report_write;
};
Result<Ends> make_ends() {
  std::array<int, 2> go{};
  std::array<int, 2> report{};
  if (::pipe2(go.data(), O_CLOEXEC) < 0) {
    return errno_error("pipe");
  }
  Ends out{Fd(go[0]), Fd(go[1]), Fd(), Fd()};
  if (::pipe2(report.data(), O_CLOEXEC) < 0) {
    return errno_error("pipe");
  }
  out.report_read = Fd(report[0]);
  out.report_write = Fd(report[1]);
  return out;
}

// Of the script's process: its record, or none at its end, which without one is the exec.
std::optional<Report> read_report(const Ends& ends) {
  Report record;
  if (!answers(ends.report_read) ||
      ::read(ends.report_read.get(), &record, sizeof record) != sizeof record) {
    return std::nullopt;
  }
  return record;
}

// From the prepared base to the exec of a shell that has nothing to do.
std::string try_rest(const First& first, const policy::Profile& profile, const Bytes& filter) {
  Result<Ends> ends = make_ends();
  const Result<Fd> script = sealed_memory("script", ByteView());
  const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Fd folder(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!ends || !script || !nothing || !folder) {
    return "no descriptors for a probe";
  }
  const std::vector<int> fds{
      script->get(), nothing.get(),       nothing.get(),           folder.get(),
      nothing.get(), ends->go_read.get(), ends->report_write.get()};
  if (Status sent = send_packet(first.control.get(), launch_of(profile, filter), fds); !sent) {
    return sent.failure().text();
  }
  ends->go_read.reset();
  ends->report_write.reset();
  const std::optional<Report> ready = read_report(*ends);
  if (!ready) {
    return expect(first, Report::Kind::Exited);  // the first process says why it came to nothing
  }
  if (ready->kind != Report::Kind::Waiting) {
    return failed(*ready);
  }
  const char go = 1;
  (void)!::write(ends->go_write.get(), &go, 1);
  const std::optional<Report> refused = read_report(*ends);
  return refused ? failed(*refused) : expect(first, Report::Kind::Exited);
}

}  // namespace

std::string Facts::missing() const {
  if (landlock_abi == 0) {
    return "this kernel has no Landlock";
  }
  return seccomp ? "" : "this kernel has no seccomp filters";
}

Facts probe() {
  Facts facts;
  facts.landlock_abi = landlock_abi();
  const std::uint32_t action = SECCOMP_RET_KILL_PROCESS;
  facts.seccomp = ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
  facts.root = ::geteuid() == 0;
  return facts;
}

std::string try_launch(const policy::Profile& profile, const Bytes& filter) {
  const Result<First> first = start_first(profile.sandboxed());
  if (!first) {
    return first.failure().text();
  }
  std::string why = expect(*first, Report::Kind::Prepared);
  if (why.empty()) {
    why = try_rest(*first, profile, filter);
  }
  (void)kernel::pidfd_send_signal(first->pidfd.get(), SIGKILL);
  siginfo_t facts{};
  (void)::waitid(P_PIDFD, static_cast<id_t>(first->pidfd.get()), &facts, WEXITED);
  return why;
}

}  // namespace rb::mon
