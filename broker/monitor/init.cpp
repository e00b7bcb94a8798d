#include "broker/monitor/init.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <climits>
#include <optional>
#include <utility>

#include "broker/monitor/build.h"
#include "broker/monitor/jail.h"
#include "broker/monitor/kernel.h"
#include "broker/monitor/read_back.h"
#include "broker/monitor/report.h"
#include "broker/monitor/walk.h"
#include "common/clock.h"
#include "common/folder.h"
#include "common/io.h"
#include "common/packet.h"
#include "policy/builtin.h"
#include "protocol/wire.h"

namespace rb::mon {
namespace {

constexpr Nanos kLinger = std::chrono::milliseconds(200);
constexpr Nanos kTermGrace = std::chrono::seconds(2);
constexpr std::size_t kEnds = 3;  // streams, go, report: behind the Launch's own descriptors

[[noreturn]] void leave() {
  ::_exit(0);  // the kernel ends whatever is left in the namespace
}

void tell(int control, const Report& record, const std::vector<int>& fds = {}) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
  if (!send_packet(control, ByteView(bytes, sizeof record), fds)) {
    leave();
  }
}

[[noreturn]] void fail(int control, const Error& why) {
  tell(control, report(Report::Kind::Failed, why.errnum, why.what));
  leave();
}

Status write_file(const char* path, const std::string& text) {
  const Fd file(::open(path, O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) < 0) {
    return errno_error(path);
  }
  return done();
}

// Where a descriptor lies; in a new root /proc is the current folder's.
std::string place_of(const Fd& fd) {
  std::array<char, PATH_MAX> path{};
  const std::string link = "proc/self/fd/" + std::to_string(fd.get());
  if (::readlink(link.c_str(), path.data(), path.size() - 1) < 0) {
    (void)!::readlink(("/" + link).c_str(), path.data(), path.size() - 1);
  }
  return path.data();
}

Status link_all_but(std::string_view left_out, const Fd& from, const Fd& into) {
  const auto entries = list_folder(from.get(), limits::kTreeFiles);
  if (!entries) {
    return entries.failure();
  }
  const std::string place = place_of(from) + "/";
  for (const FolderEntry& entry : *entries) {
    if (entry.name != left_out &&
        ::symlinkat((place + entry.name).c_str(), into.get(), entry.name.c_str()) < 0) {
      return errno_error("link " + entry.name);
    }
  }
  return done();
}

// Makes tree/ below `folder` with the folders that lead to the file `name`, and in each of them
// links to what else the sealed copy has there. Returns the innermost; `name` becomes the file's
// own.
Result<Fd> mirror_tree(const Fd& tree, const Fd& folder, std::string& name) {
  Result<Fd> from = open_beneath(tree.get(), ".", O_RDONLY | O_DIRECTORY);
  Result<Fd> into = make_folder(folder.get(), "tree");
  while (from && into) {
    const std::size_t slash = name.find('/');
    const std::string part = name.substr(0, slash);
    if (Status linked = link_all_but(part, *from, *into); !linked) {
      return linked.failure();
    }
    if (slash == std::string::npos) {
      return into;
    }
    name.erase(0, slash + 1);
    from = open_beneath(from->get(), part, O_RDONLY | O_DIRECTORY);
    into = make_folder(into->get(), part);
  }
  return from ? into.failure() : from.failure();
}

struct Owner {
  uid_t uid;
  gid_t gid;
};

// The only moment at which this copy may be read by others, and it holds nothing yet.
Status write_id_maps(const Owner& owner) {
  const std::string uid = std::to_string(owner.uid);
  const std::string gid = std::to_string(owner.gid);
  if (::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0) {
    return errno_error("dumpable");
  }
  Status status = write_file("/proc/self/setgroups", "deny");
  if (status) {
    status = write_file("/proc/self/uid_map", uid + " " + uid + " 1");
  }
  if (status) {
    status = write_file("/proc/self/gid_map", gid + " " + gid + " 1");
  }
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) {
    return errno_error("undumpable");
  }
  return status;
}

class Init {
 public:
  Init(int control, bool sandbox) : control_(control), sandbox_(sandbox) {}

  void prepare(const Owner& owner);
  void launch();
  [[noreturn]] void serve();

 private:
  [[nodiscard]] Status receive();
  [[nodiscard]] Status build();
  [[nodiscard]] Status place_script();
  [[nodiscard]] Status open_terminal();
  [[nodiscard]] Status open_results();
  void start_script();
  void on_control();
  void reap();
  void terminate() const;
  void on_deadline();

  int control_;
  bool sandbox_;
  Builder builder_;
  RootView view_;
  Launch launch_;
  JailEnds ends_;
  std::vector<Fd> held_;  // until the script's process has them
  pid_t script_ = -1;
  bool script_over_ = false;
  bool terminated_ = false;
  std::optional<Nanos> deadline_;
};

void Init::prepare(const Owner& owner) {
  // All but the log and the control socket: nothing of the monitor's is held here.
  const auto control = static_cast<unsigned>(control_);
  (void)kernel::close_range(3, control - 1, 0);
  (void)kernel::close_range(control + 1, ~0U, 0);
  sigset_t all;
  sigfillset(&all);
  (void)::sigprocmask(SIG_SETMASK, &all, nullptr);
  if (!sandbox_) {
    (void)::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    tell(control_, report(Report::Kind::Prepared));
    return;
  }
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
  (void)kernel::fresh_keyring();  // a kernel without keyrings has none to hide
  if (Status mapped = write_id_maps(owner); !mapped) {
    fail(control_, Error{Code::System, "user namespace", mapped.failure().errnum});
  }
  view_ = look_at_root();
  if (Status built = builder_.perform(plan_base(view_)); !built) {
    fail(control_, built.failure());
  }
  tell(control_, report(Report::Kind::Prepared));
}

Status Init::receive() {
  Result<Packet> packet = receive_packet(control_);
  if (!packet) {
    leave();
  }
  if (packet->fds.size() < kEnds) {
    return error(Code::Invalid, "launch");
  }
  for (std::size_t i = packet->fds.size() - kEnds; i < packet->fds.size(); ++i) {
    held_.push_back(std::move(packet->fds[i]));
  }
  packet->fds.resize(packet->fds.size() - kEnds);
  ends_ = {.streams = held_[0].get(), .go = held_[1].get(), .report = held_[2].get()};
  return wire::read<monitor::ToMonitor>(
      packet->bytes, limits::kTrustedNesting, [&](monitor::ToMonitor::Reader message) -> Status {
        Result<Launch> parsed = parse_launch(message.getLaunch(), std::move(packet->fds));
        if (!parsed) {
          return parsed.failure();
        }
        launch_ = std::move(*parsed);
        return done();
      });
}

Status Init::open_terminal() {
  Fd master(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  const int unlocked = 0;
  if (!master || ::ioctl(master.get(), TIOCSPTLCK, &unlocked) < 0) {
    return errno_error("terminal");
  }
  Fd slave(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!slave) {
    return errno_error("terminal");
  }
  tell(control_, report(Report::Kind::Terminal), {master.get()});
  held_[0] = std::move(slave);
  ends_.streams = held_[0].get();
  return done();
}

// An empty file for $RUNBOOK_OUTPUT. The monitor keeps its folder beyond this sandbox.
Status Init::open_results() {
  const Result<Fd> folder =
      sandbox_ ? Result<Fd>(Fd(::open(policy::kResultsFolder.data(),
                                      O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)))
               : make_folder(launch_.folder.get(), kResultsName);
  const Result<Fd> file = folder ? open_beneath(folder->get(), kResultsFile,
                                                O_WRONLY | O_CREAT | O_EXCL, Links::Refuse, 0600)
                                 : Result<Fd>(folder.failure());
  if (!file) {
    return Error{Code::System, "make the file for outputs", file.failure().errnum};
  }
  tell(control_, report(Report::Kind::Results), {folder->get()});
  return done();
}

// In a sandbox the rest of the root; elsewhere the script's file, where it needs one.
Status Init::build() {
  if (sandbox_) {
    launch_.generated_path = place_of(launch_.generated);
    view_.named = look_at_named_files();
    const Result<std::vector<Step>> steps = plan_launch(launch_, view_);
    return steps ? builder_.perform(*steps) : Status(steps.failure());
  }
  if (Status placed = place_script(); !placed) {
    return placed;
  }
  return ::chdir(launch_.cwd.c_str()) < 0 ? Status(errno_error("enter the folder to start in"))
                                          : done();
}

// A script of the runbook's folder finds beside it what it shares, and what it writes there doesn't
// change the sealed copy.
Status Init::place_script() {
  if (launch_.script_as == ScriptAs::Memory) {
    return done();
  }
  const Result<Bytes> text = read_sealed(launch_.script.get(), limits::kScriptBytes);
  std::string name = "script";
  const Result<Fd> folder =
      launch_.script_as == ScriptAs::InTree && launch_.tree
          ? mirror_tree(launch_.tree, launch_.folder, name = launch_.script_name)
          : launch_.folder.duplicate();
  Status placed = text ? done() : Status(text.failure());
  if (placed && folder) {
    launch_.host_script = place_of(*folder) + "/" + name;
    placed = replace_file(folder->get(), name, as_text(*text), 0500);
  } else if (placed) {
    placed = folder.failure();
  }
  return placed ? done() : Status(Error{Code::System, "write the script", placed.failure().errnum});
}

void Init::launch() {
  if (Status received = receive(); !received) {
    fail(control_, received.failure());
  }
  if (Status built = build(); !built) {
    fail(control_, built.failure());
  }
  if (Status opened = open_results(); !opened) {
    fail(control_, opened.failure());
  }
  if (launch_.use_pty) {
    if (Status opened = open_terminal(); !opened) {
      fail(control_, opened.failure());
    }
  }
  start_script();
  held_.clear();  // this process keeps nothing of what it was given
  launch_ = Launch();
}

// The sandbox is finished while the script's process narrows itself; that one waits for it.
void Init::start_script() {
  std::array<int, 2> built{};
  if (::pipe2(built.data(), O_CLOEXEC) < 0) {
    fail(control_, errno_error("pipe"));
  }
  held_.emplace_back(built[0]);
  Fd finished(built[1]);
  ends_.built = built[0];
  script_ = ::fork();
  if (script_ == 0) {
    finished.reset();
    run_script(launch_, ends_);
  }
  if (script_ < 0) {
    fail(control_, errno_error("fork"));
  }
  if (Status left = sandbox_ ? builder_.leave_old_root() : done(); !left) {
    fail(control_, left.failure());
  }
  const char byte = 1;
  (void)!::write(finished.get(), &byte, 1);
}

void Init::terminate() const {
  if (!script_over_) {  // not reaped yet, so the number is still its own
    (void)::kill(-script_, SIGTERM);
    (void)::kill(-script_, SIGCONT);
  }
  if (sandbox_) {
    if (script_over_) {
      (void)::kill(-1, SIGTERM);
    }
    (void)::kill(-1, SIGCONT);  // what is stopped can't hear
  } else {
    if (script_over_) {
      signal_descendants(SIGTERM);
    }
    signal_descendants(SIGCONT);
  }
}

void Init::on_control() {
  char command = 0;
  const ssize_t got = ::recv(control_, &command, 1, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  if (got == 1 && command == kTerminate) {
    terminate();
    return;
  }
  // KILL was asked for, or the monitor is gone.
  if (!sandbox_) {
    (void)kill_descendants();
  }
  leave();
}

void Init::reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid == script_) {
      script_over_ = true;
      tell(control_, report(Report::Kind::Exited, status));
      deadline_ = boot_now() + kLinger;
    }
  }
  if (pid < 0 && errno == ECHILD) {
    tell(control_, report(Report::Kind::Alone));
    leave();
  }
}

void Init::on_deadline() {
  if (!terminated_) {
    terminated_ = true;
    terminate();
    deadline_ = boot_now() + kTermGrace;
    return;
  }
  if (!sandbox_) {
    (void)kill_descendants();
  }
  leave();
}

[[noreturn]] void Init::serve() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const Fd signals(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  for (;;) {
    reap();
    std::array<pollfd, 2> wait{{{control_, POLLIN, 0}, {signals.get(), POLLIN, 0}}};
    timespec left{};
    if (deadline_) {
      const Nanos rest = std::max(*deadline_ - boot_now(), Nanos(0));
      left = {rest.count() / 1'000'000'000, rest.count() % 1'000'000'000};
    }
    (void)::ppoll(wait.data(), wait.size(), deadline_ ? &left : nullptr, nullptr);
    if (wait[1].revents != 0) {
      signalfd_siginfo facts{};
      (void)!::read(signals.get(), &facts, sizeof facts);
    }
    if (wait[0].revents != 0) {
      on_control();
    }
    if (deadline_ && boot_now() >= *deadline_) {
      on_deadline();
    }
  }
}

}  // namespace

Result<First> start_first(bool sandbox) {
  constexpr std::uint64_t kNamespaces =
      CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  Result<std::pair<Fd, Fd>> pair = packet_pair(false);
  if (!pair) {
    return pair.failure();
  }
  const Owner owner{::geteuid(), ::getegid()};  // inside they are nobody's until mapped
  int pidfd = -1;
  const pid_t pid = kernel::fork_into(sandbox ? kNamespaces : 0, &pidfd);
  if (pid < 0) {
    return errno_error(sandbox ? "user namespace" : "fork");
  }
  if (pid == 0) {
    Init init(pair->second.get(), sandbox);
    init.prepare(owner);
    init.launch();
    init.serve();
  }
  return First{pid, Fd(pidfd), std::move(pair->first)};
}

}  // namespace rb::mon
