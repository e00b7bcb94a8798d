// Monitor's part around the first process of an execution.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "broker/monitor/init.h"
#include "broker/monitor/kernel.h"
#include "broker/monitor/monitor.h"
#include "broker/monitor/walk.h"
#include "common/folder.h"
#include "common/io.h"

namespace rb::mon {
void Monitor::start_init(bool sandbox) {
  if (sandbox) {
    mounts_ = Fd(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  }
  Result<First> first = start_first(sandbox);
  if (!first) {
    failure_ = {first.failure().what, first.failure().errnum};
    return;
  }
  init_pid_ = first->pid;
  init_ = std::move(first->pidfd);
  control_ = std::move(first->control);
}

// Nothing is executed from here on that isn't already.
void Monitor::kill_init() {
  go_.reset();
  if (init_) {
    (void)kernel::pidfd_send_signal(init_.get(), SIGKILL);
  }
}

// Whatever it was doing: nothing of it is left when this returns, however long the kernel needs.
void Monitor::end_init() {
  kill_init();
  if (init_) {
    siginfo_t facts{};
    (void)::waitid(P_PIDFD, static_cast<id_t>(init_.get()), &facts, WEXITED);
  }
  init_.reset();
  control_.reset();
  prepared_ = false;
}

// A monitor may have waited for long; its sandbox must show the machine as it is now.
void Monitor::fresh_sandbox_if_mounts_changed() {
  pollfd wait{mounts_.get(), POLLPRI, 0};
  if (!init_ || !mounts_ || ::poll(&wait, 1, 0) <= 0) {
    return;
  }
  end_init();
  failure_ = {};
  start_init(true);
  on_control();  // blocks until it is prepared, or has failed
}

void Monitor::build(Packet packet) {
  launched_at_ = boot_now();
  std::vector<int> numbers;
  for (const Fd& fd : packet.fds) {
    numbers.push_back(fd.get());
  }
  Status parsed = wire::read<monitor::ToMonitor>(
      packet.bytes, limits::kTrustedNesting, [&](monitor::ToMonitor::Reader message) -> Status {
        Result<Launch> launch = parse_launch(message.getLaunch(), std::move(packet.fds));
        if (!launch) {
          return launch.failure();
        }
        launch_ = std::move(*launch);
        return done();
      });
  if (!parsed) {
    failure_ = {parsed.failure().what, 0};
    happen(Event::BuildFailed);
    return;
  }
  seen_.is_check = launch_.is_check;
  seen_.file_limit = launch_.limits.file_bytes != 0;
  if (!launch_.profile.sandboxed()) {
    end_init();
    failure_ = {};
    (void)::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);  // heir of the first process, if that dies
    start_init(false);
  }
  if (control_ && failure_.stage.empty()) {
    if (Status handed = hand_over(packet, numbers); !handed) {
      failure_ = {handed.failure().what, handed.failure().errnum};
    }
  }
  if (!failure_.stage.empty() || !control_) {
    happen(Event::BuildFailed);
  }
}

Status Monitor::hand_over(const Packet& packet, const std::vector<int>& fds) {
  enter_cgroup();
  pump_ = Pump(std::move(launch_.output), std::move(launch_.index), launch_.limits.output_bytes);
  Result<std::pair<Fd, Fd>> streams = Pump::make_pipe();
  std::array<int, 2> go{};
  std::array<int, 2> reports{};
  if (!streams || ::pipe2(go.data(), O_CLOEXEC) < 0) {
    return errno_error("pipe");
  }
  const Fd go_end(go[0]);
  go_ = Fd(go[1]);
  if (::pipe2(reports.data(), O_CLOEXEC) < 0) {
    return errno_error("pipe");
  }
  script_ = Fd(reports[0]);
  const Fd report_end(reports[1]);
  if (::fcntl(script_.get(), F_SETFL, O_NONBLOCK) < 0) {
    return errno_error("fcntl");
  }
  std::vector<int> all = fds;
  all.insert(all.end(), {streams->second.get(), go_end.get(), report_end.get()});
  if (Status sent = send_packet(control_.get(), packet.bytes, all); !sent) {
    return sent;
  }
  pump_.set_source(std::move(streams->first));
  return files_.reserve(launch_.folder.get());  // while the first process builds
}

void Monitor::enter_cgroup() {
  if (!launch_.cgroup) {
    return;
  }
  const Result<Fd> file = open_beneath(launch_.cgroup.get(), "cgroup.procs", O_WRONLY);
  in_cgroup_ = file && write_all(file->get(), as_bytes(std::to_string(init_pid_))).ok();
}

// Processes of other users too; none of them can fork its way out.
bool Monitor::kill_cgroup() const {
  const Result<Fd> kill = open_beneath(launch_.cgroup.get(), "cgroup.kill", O_WRONLY);
  return kill && write_all(kill->get(), as_bytes("1")).ok();
}

std::uint64_t Monitor::cgroup_count(const std::string& file, std::string_view name) const {
  std::array<char, 1024> text{"\n"};
  const Result<Fd> opened = open_beneath(launch_.cgroup.get(), file, O_RDONLY);
  if (!opened || ::read(opened->get(), text.data() + 1, text.size() - 2) <= 0) {
    return 0;
  }
  const std::string wanted = "\n" + std::string(name) + " ";
  const char* found = std::strstr(text.data(), wanted.c_str());
  return found == nullptr ? 0 : std::strtoull(found + wanted.size(), nullptr, 10);
}

// Ends what is in the leaf; true when nothing is left.
bool Monitor::empty_cgroup() const {
  const Result<Fd> events = open_beneath(launch_.cgroup.get(), "cgroup.events", O_RDONLY);
  if (!events || !kill_cgroup()) {
    return false;
  }
  constexpr int kTries = 200;
  for (int i = 0; i < kTries; ++i) {
    std::array<char, 256> text{};
    (void)!::pread(events->get(), text.data(), text.size() - 1, 0);
    if (std::string_view(text.data()).find("populated 0") != std::string_view::npos) {
      return true;
    }
    pollfd wait{events->get(), POLLPRI, 0};
    (void)::poll(&wait, 1, 10);
  }
  return false;
}

}  // namespace rb::mon
