#include "tests/support/monitor_driver.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include "broker/filter.h"
#include "broker/monitor/jail.h"
#include "common/clock.h"
#include "common/hmac.h"
#include "common/io.h"
#include "common/packet.h"
#include "policy/builtin.h"
#include "protocol/wire.h"

extern char** environ;

namespace rb::testing {
namespace {

namespace fs = std::filesystem;
const Bytes kKey(32, 7);

int opened(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (fd < 0) {
    throw std::runtime_error("open " + path);
  }
  return fd;
}

const Bytes& filter_for(const std::string& profile) {
  static std::map<std::string, Bytes> compiled;
  auto found = compiled.find(profile);
  if (found == compiled.end()) {
    Result<Bytes> program =
        brk::compile_filter(*policy::find_profile(profile), {mon::landlock_abi()});
    found = compiled.emplace(profile, std::move(program.value())).first;
  }
  return found->second;
}

Fd listen_at(const std::string& path) {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) < 0 ||
      ::listen(socket.get(), 4) < 0) {
    throw std::runtime_error("listen " + path);
  }
  return socket;
}

void fill(monitor::Launch::Builder launch, const Order& order, const policy::Limits& limits) {
  launch.setExecution("e1");
  launch.setSession("20261130-000000-test");
  launch.setKey(wire::data(kKey));
  launch.setProfile(order.profile.c_str());
  auto argv = launch.initArgv(static_cast<unsigned>(order.argv.size()));
  for (unsigned i = 0; i < order.argv.size(); ++i) {
    argv.set(i, wire::data(as_bytes(order.argv[i])));
  }
  auto environment = launch.initEnvironment(static_cast<unsigned>(order.environment.size()));
  for (unsigned i = 0; i < order.environment.size(); ++i) {
    environment.set(i, wire::data(as_bytes(order.environment[i])));
  }
  launch.setScript(order.script_as);
  launch.setScriptName(order.script_name.c_str());
  launch.setTreePath(order.tree_path.c_str());
  launch.setFilter(wire::data(order.filter.empty() ? filter_for(order.profile) : order.filter));
  launch.setUmask(022);
  launch.setUsePty(order.pty);
  launch.setIsCheck(order.check);
  auto tools = launch.initToolFolders(static_cast<unsigned>(order.tools.size()));
  for (unsigned i = 0; i < order.tools.size(); ++i) {
    tools.set(i, order.tools[i].c_str());
  }
  auto out = launch.initLimits();
  out.setTimeoutMs(limits.timeout_ms);
  out.setOutputBytes(limits.output_bytes);
  out.setProcesses(limits.processes);
  out.setMemoryBytes(limits.memory_bytes);
  out.setOpenFiles(limits.open_files);
  out.setFileBytes(limits.file_bytes);
  out.setTmpBytes(limits.tmp_bytes);
  out.setStopGraceMs(limits.stop_grace_ms);
}

policy::Limits limits_of(const Order& order) {
  policy::Limits limits =
      policy::default_limits(*policy::find_profile(order.profile), /*markdown=*/true);
  const auto or_default = [](auto& value, auto given) { value = given != 0 ? given : value; };
  or_default(limits.timeout_ms, order.limits.timeout_ms);
  or_default(limits.output_bytes, order.limits.output_bytes);
  or_default(limits.processes, order.limits.processes);
  or_default(limits.memory_bytes, order.limits.memory_bytes);
  or_default(limits.open_files, order.limits.open_files);
  or_default(limits.file_bytes, order.limits.file_bytes);
  or_default(limits.tmp_bytes, order.limits.tmp_bytes);
  or_default(limits.stop_grace_ms, order.limits.stop_grace_ms);
  return limits;
}

void take_ending(event::Ending::Reader ending, Message& out) {
  out.text = wire::text(ending.getCause());
  out.outcome = ending.getOutcome();
  out.exit = ending.getExit();
  out.signal = ending.getSignal();
  out.duration_ms = ending.getDurationMs();
  out.output_bytes = ending.getOutputBytes();
  out.output_sha256 = wire::bytes(ending.getOutputSha256());
  out.outcome_sha256 = wire::bytes(ending.getOutcomeSha256());
  out.warn = ending.getWarn();
  out.may_have_left = ending.getMayHaveLeft();
}

Status take(monitor::FromMonitor::Reader message, Message& out) {
  out.kind = message.which();
  switch (out.kind) {
    case monitor::FromMonitor::READY:
      out.number = message.getReady().getSetupMicros();
      out.text = wire::text(message.getReady().getNotice());
      break;
    case monitor::FromMonitor::SETUP_FAILED:
      out.number = message.getSetupFailed().getErrnum();
      out.text = wire::text(message.getSetupFailed().getStage());
      break;
    case monitor::FromMonitor::PROGRESS:
      out.number = static_cast<std::int64_t>(message.getProgress());
      break;
    case monitor::FromMonitor::FINISHED:
      take_ending(message.getFinished(), out);
      break;
    case monitor::FromMonitor::CHALLENGE:
      out.challenge = wire::bytes(message.getChallenge());
      break;
    case monitor::FromMonitor::STATE:
      out.running = message.getState().getRunning();
      out.output_bytes = message.getState().getOutputBytes();
      break;
    case monitor::FromMonitor::STARTED:
    case monitor::FromMonitor::UNSET:
      break;
  }
  return done();
}

}  // namespace

Execution::Execution(const std::string& monitor, std::string base) {
  std::string name = std::move(base) + "/rbmon-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("mkdtemp");
  }
  base_ = name;
  for (const char* folder : {"/state", "/state/execution", "/state/execution/generated",
                             "/state/run", "/state/run/work", "/home", "/runtime"}) {
    fs::create_directory(base_ + folder);
  }
  work_ = base_ + "/state/run/work";
  if (!monitor.empty()) {
    spawn(monitor);
  }
}

void Execution::spawn(std::string monitor) {
  Result<std::pair<Fd, Fd>> pair = packet_pair(false);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // dup2 onto itself clears close-on-exec, so this works whatever number the end has.
  posix_spawn_file_actions_adddup2(&actions, pair->second.get(), 3);
  char* argv[] = {monitor.data(), nullptr};
  if (::posix_spawn(&pid_, monitor.c_str(), &actions, nullptr, argv, environ) != 0) {
    throw std::runtime_error("spawn " + monitor);
  }
  posix_spawn_file_actions_destroy(&actions);
  link_ = std::move(pair->first);
}

Execution::~Execution() {
  link_.reset();
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove_all(base_, ignored);
}

void Execution::send(const Bytes& message, const std::vector<int>& fds) {
  if (link_) {
    (void)send_packet(link_.get(), message, fds).ok();
  }
}

void Execution::send_raw(ByteView bytes) {
  (void)!::send(link_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
}

void Execution::launch(const Order& order) {
  const policy::Limits limits = limits_of(order);
  if (order.work) {
    work_ = *order.work;
  }
  std::vector<Fd> fds;
  std::vector<monitor::Descriptor> kinds;
  const auto add = [&](monitor::Descriptor kind, int fd) {
    kinds.push_back(kind);
    fds.emplace_back(fd);
  };
  Result<Fd> script = sealed_memory("script", as_bytes(order.script));
  add(monitor::Descriptor::SCRIPT, script->release());
  add(monitor::Descriptor::OUTPUT, opened(folder() + "/output", O_WRONLY | O_CREAT | O_APPEND));
  add(monitor::Descriptor::INDEX, opened(folder() + "/output.idx", O_WRONLY | O_CREAT | O_APPEND));
  add(monitor::Descriptor::FOLDER, opened(folder(), O_RDONLY | O_DIRECTORY));
  add(monitor::Descriptor::WORK, opened(work_, O_RDONLY | O_DIRECTORY));
  if (!order.tree.empty()) {
    add(monitor::Descriptor::TREE, opened(order.tree, O_RDONLY | O_DIRECTORY));
  }
  if (order.generated) {
    add(monitor::Descriptor::GENERATED, opened(folder() + "/generated", O_RDONLY | O_DIRECTORY));
  }
  if (order.listener) {
    add(monitor::Descriptor::LISTENER, listen_at(base_ + "/runtime/e1").release());
  }
  if (order.cgroup >= 0) {
    add(monitor::Descriptor::CGROUP, ::fcntl(order.cgroup, F_DUPFD_CLOEXEC, 3));
  }
  const std::string home = order.home.value_or(base_ + "/home");
  const std::string cwd = order.cwd.value_or(work_);
  const Bytes message = wire::build<monitor::ToMonitor>([&](monitor::ToMonitor::Builder root) {
    monitor::Launch::Builder launch = root.initLaunch();
    fill(launch, order, limits);
    launch.setHome(home.c_str());
    launch.setCwd(cwd.c_str());
    launch.setWorkPath(work_.c_str());
    auto hidden = launch.initHidden(2);
    hidden.set(0, (base_ + "/state").c_str());
    hidden.set(1, (base_ + "/runtime").c_str());
    launch.setCgroup(order.cgroup >= 0);
    auto list = launch.initDescriptors(static_cast<unsigned>(kinds.size()));
    for (unsigned i = 0; i < kinds.size(); ++i) {
      list.set(i, kinds[i]);
    }
  });
  std::vector<int> numbers;
  for (const Fd& fd : fds) {
    numbers.push_back(fd.get());
  }
  if (order.before_sending) {
    order.before_sending();
  }
  send(message, numbers);
}

void Execution::go() {
  send(wire::build<monitor::ToMonitor>([](auto root) { root.setGo(); }));
}
void Execution::acknowledge() {
  send(wire::build<monitor::ToMonitor>([](auto root) { root.setAcknowledge(); }));
}
void Execution::carry_on() {
  send(wire::build<monitor::ToMonitor>([](auto root) { root.setContinue(); }));
}
void Execution::sunset(std::uint32_t ms) {
  send(wire::build<monitor::ToMonitor>([&](auto root) { root.setSunset(ms); }));
}
void Execution::stop(std::uint32_t grace_ms, const std::string& cause) {
  send(wire::build<monitor::ToMonitor>([&](auto root) {
    auto stop = root.initStop();
    stop.setGraceMs(grace_ms);
    stop.setOutcome(event::Outcome::STOPPED);
    stop.setCause(cause.c_str());
  }));
}

bool Execution::greet(bool right_key) {
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (base_ + "/runtime/e1").copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) {
    return false;
  }
  link_ = std::move(socket);
  const Message challenge = next();
  if (challenge.kind != monitor::FromMonitor::CHALLENGE || challenge.challenge.size() != 32) {
    return false;
  }
  const Digest proof = hmac_sha256(right_key ? kKey : Bytes(32, 8), challenge.challenge);
  send(wire::build<monitor::ToMonitor>([&](auto root) { root.setGreet(wire::data(proof.bytes)); }));
  return true;
}

Message Execution::next(int ms) {
  Message out;
  pollfd wait{link_.get(), POLLIN, 0};
  if (!link_ || ::poll(&wait, 1, ms) <= 0) {
    return out;
  }
  const Result<Packet> packet = receive_packet(link_.get());
  if (packet) {
    (void)
        wire::read<monitor::FromMonitor>(packet->bytes, limits::kTrustedNesting, [&](auto message) {
          return take(message, out);
        }).ok();
  }
  return out;
}

Message Execution::until(monitor::FromMonitor::Which kind, int ms) {
  const Nanos give_up = boot_now() + std::chrono::milliseconds(ms);
  for (;;) {
    const auto left = std::chrono::duration_cast<Millis>(give_up - boot_now()).count();
    if (left <= 0) {
      return {};
    }
    Message message = next(static_cast<int>(left));
    const bool last = message.kind == monitor::FromMonitor::UNSET ||
                      message.kind == monitor::FromMonitor::SETUP_FAILED;
    if (message.kind == kind || last) {
      return message;
    }
  }
}

Message Execution::run(const Order& order) {
  launch(order);
  Message message = until(monitor::FromMonitor::READY);
  if (message.kind != monitor::FromMonitor::READY) {
    return message;
  }
  go();
  message = until(monitor::FromMonitor::FINISHED, 60'000);
  acknowledge();
  (void)reap();
  return message;
}

int Execution::reap(int ms) {
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  pollfd wait{pidfd, POLLIN, 0};
  const bool over = ::poll(&wait, 1, ms) > 0;
  ::close(pidfd);
  if (!over) {
    return -1;
  }
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string Execution::output() const {
  return read_file(folder() + "/output");
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace rb::testing
