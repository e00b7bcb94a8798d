#include "broker/monitor/jail.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <vector>

#include "broker/monitor/build.h"
#include "broker/monitor/kernel.h"
#include "broker/monitor/plan.h"
#include "broker/monitor/report.h"

namespace rb::mon {
namespace {

constexpr std::string_view kOutOfMemoryFirst = "200";  // oom_score_adj: scripts before us
constexpr int kSpawnFailed = 127;

[[noreturn]] void fail(const JailEnds& ends, std::string_view stage, int errnum) {
  const Report record = report(Report::Kind::Failed, errnum, stage);
  (void)!::write(ends.report, &record, sizeof record);
  ::_exit(kSpawnFailed);
}

Status take_streams(const Launch& launch, const JailEnds& ends) {
  if (::setsid() < 0) {
    return errno_error("setsid");
  }
  int input = ends.streams;
  if (launch.use_pty) {
    if (::ioctl(ends.streams, TIOCSCTTY, 0) < 0) {
      return errno_error("TIOCSCTTY");
    }
  } else {
    input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  if (input < 0 || ::dup2(input, 0) < 0 || ::dup2(ends.streams, 1) < 0 ||
      ::dup2(ends.streams, 2) < 0) {
    return errno_error("streams");
  }
  return done();
}

void reset_signals() {
  struct {  // the kernel's own form: the library keeps its hands on 32 and 33
    void (*handler)(int) = SIG_DFL;
    unsigned long flags = 0;
    void (*restorer)() = nullptr;
    std::uint64_t mask = 0;
  } plain;
  for (int number = 1; number < NSIG; ++number) {
    (void)::syscall(SYS_rt_sigaction, number, &plain, nullptr, sizeof plain.mask);
  }
  sigset_t none;
  sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A limit above the hard one that we got is set to that one.
Status limit(__rlimit_resource which, rlim_t most) {
  rlimit now{};
  if (::getrlimit(which, &now) < 0) {
    return errno_error("getrlimit");
  }
  const rlim_t value = most < now.rlim_max ? most : now.rlim_max;
  const rlimit wanted{value, value};
  return ::setrlimit(which, &wanted) < 0 ? Status(errno_error("setrlimit")) : done();
}

Status set_limits(const Launch& launch) {
  struct Wanted {
    __rlimit_resource which;
    std::uint64_t most;
  };
  // Of processes only in a sandbox: elsewhere it would count what else the operator runs.
  const std::uint64_t processes = launch.profile.sandboxed() ? launch.limits.processes : 0;
  for (const Wanted& wanted :
       {Wanted{RLIMIT_NPROC, processes}, Wanted{RLIMIT_NOFILE, launch.limits.open_files},
        Wanted{RLIMIT_FSIZE, launch.limits.file_bytes},
        Wanted{RLIMIT_AS, launch.limits.memory_bytes}}) {
    if (wanted.most == 0) {
      continue;
    }
    if (Status status = limit(wanted.which, wanted.most); !status) {
      return status;
    }
  }
  return limit(RLIMIT_CORE, 0);
}

// Whoever gets our memory back when there is none left: scripts first. Needs no right.
void offer_to_the_oom_killer() {
  const Fd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  (void)!::write(file.get(), kOutOfMemoryFirst.data(), kOutOfMemoryFirst.size());
}

Status keep_script(const Launch& launch) {
  if (kernel::close_range(3, ~0U, kernel::kCloseOnExec) < 0) {
    return errno_error("close_range");
  }
  if (launch.script_as == ScriptAs::Memory &&
      ::dup2(launch.script.get(), kScriptDescriptor) < 0) {  // dup2 clears close-on-exec
    return errno_error("dup2");
  }
  return done();
}

Status drop_privileges() {
  for (int capability = 0; capability <= CAP_LAST_CAP + 24; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0 && errno != EINVAL) {
      return errno_error("bounding set");
    }
  }
  const unsigned long bits = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                             SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                             SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  if (::prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0 ||
      ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 ||
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
    return errno_error("prctl");
  }
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct nothing[2] = {};
  return ::syscall(SYS_capset, &head, nothing) < 0 ? Status(errno_error("capset")) : done();
}

Status load_filter(const Launch& launch) {
  std::vector<sock_filter> steps(launch.filter.size() / sizeof(sock_filter));
  std::memcpy(steps.data(), launch.filter.data(), steps.size() * sizeof(sock_filter));
  const sock_fprog program{static_cast<unsigned short>(steps.size()), steps.data()};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0
             ? Status(errno_error("seccomp"))
             : done();
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (const std::string& text : strings) {
    out.push_back(const_cast<char*>(text.c_str()));
  }
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> whole_argv(const Launch& launch) {
  std::vector<std::string> argv = launch.argv;
  argv.push_back(launch.script_as == ScriptAs::Memory
                     ? "/dev/fd/" + std::to_string(kScriptDescriptor)
                     : script_place(launch));
  return argv;
}

void must(const JailEnds& ends, std::string_view stage, const Status& status) {
  const int errnum = status ? planned_fault(stage) : status.failure().errnum;
  if (errnum != 0) {
    fail(ends, stage, errnum);
  }
}

}  // namespace

[[noreturn]] void run_script(const Launch& launch, const JailEnds& ends) {
  must(ends, "streams", take_streams(launch, ends));
  reset_signals();
  (void)::umask(launch.umask);
  if (launch.profile.sandboxed()) {
    offer_to_the_oom_killer();
  }
  must(ends, "limits", set_limits(launch));
  must(ends, "descriptors", keep_script(launch));
  const std::vector<std::string> argv = whole_argv(launch);
  const std::vector<char*> arguments = pointers(argv);
  const std::vector<char*> environment = pointers(launch.environment);
  if (launch.profile.sandboxed()) {
    must(ends, "privileges", drop_privileges());
    must(ends, "landlock", restrict_paths(launch));
    must(ends, "seccomp", load_filter(launch));
  }
  const Report waiting = report(Report::Kind::Waiting);
  char byte = 0;
  if (::read(ends.built, &byte, 1) != 1 ||
      ::write(ends.report, &waiting, sizeof waiting) != sizeof waiting ||
      ::read(ends.go, &byte, 1) != 1) {
    ::_exit(kSpawnFailed);  // our monitor is gone, or nobody wants this any more
  }
  ::execve(arguments.front(), arguments.data(), environment.data());
  fail(ends, "exec", errno);
}

}  // namespace rb::mon
