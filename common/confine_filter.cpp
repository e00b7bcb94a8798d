// The allow-lists of the untrusted processes. What isn't named ends the process (SIGSYS).
// tests/support/allowed_calls.inc says the same a second time, apart from this table, and is
// compared with the filters of running processes.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <initializer_list>
#include <memory>
#include <span>

#include "common/confine.h"
#include "common/fd.h"
#include "common/io.h"

#if defined(RUNBOOKD_SANITIZED)
// The leak check at exit traces its own process, which no filter of ours allows; leaks are looked
// for in the unit tests, which aren't confined.
extern "C" const char* __asan_default_options() {  // NOLINT: the sanitizer's name for it
  return "detect_leaks=0";
}
#endif

namespace rb::confine {
namespace {

constexpr std::size_t kProgramBytes = std::size_t{64} * 1024;

// What must hold of a call's arguments besides its number.
enum class If {
  Always,
  NotExecutable,  // mmap, mprotect: no page that was data becomes code
  AnonymousData,  // mmap: of no file, and not executable
  SafeCommand,    // fcntl: no owner, no signal, no lock
  ByDescriptor,   // newfstatat: how libc spells fstat
  SetFilter       // seccomp: a further filter, and nothing else
};

struct Call {
  int number = -1;
  If condition = If::Always;
};
using Calls = std::span<const Call>;

// Memory, time and the end: every process.
constexpr std::array kLiving = {
    Call{SCMP_SYS(brk)},
    Call{SCMP_SYS(munmap)},
    Call{SCMP_SYS(mremap)},
    Call{SCMP_SYS(madvise)},
    Call{SCMP_SYS(mprotect), If::NotExecutable},
    Call{SCMP_SYS(futex)},
    Call{SCMP_SYS(clock_gettime)},
    Call{SCMP_SYS(getpid)},  // heads a log line
    Call{SCMP_SYS(gettid)},
    Call{SCMP_SYS(rt_sigreturn)},
    Call{SCMP_SYS(restart_syscall)},
    Call{SCMP_SYS(exit)},
    Call{SCMP_SYS(exit_group)},
#if defined(RUNBOOKD_SANITIZED)
    Call{SCMP_SYS(sigaltstack)},
    Call{SCMP_SYS(rt_sigprocmask)},
    Call{SCMP_SYS(rt_sigaction)},
#endif
};

// Descriptors that are already there.
constexpr std::array kDescriptors = {
    Call{SCMP_SYS(read)},
    Call{SCMP_SYS(pread64)},
    Call{SCMP_SYS(write)},
    Call{SCMP_SYS(close)},
    Call{SCMP_SYS(lseek)},
    Call{SCMP_SYS(fstat)},
    Call{SCMP_SYS(fcntl), If::SafeCommand},
    Call{SCMP_SYS(memfd_create)},  // a message larger than a packet
    Call{SCMP_SYS(sendmsg)},
};

constexpr std::array kReceiving = {
    Call{SCMP_SYS(recvmsg)},
    Call{SCMP_SYS(poll)},
};

constexpr std::array kNextStage = {
    Call{SCMP_SYS(seccomp), If::SetFilter},
};

constexpr std::array kFront = {
    Call{SCMP_SYS(mmap), If::AnonymousData},
    Call{SCMP_SYS(recvmsg)},
    Call{SCMP_SYS(epoll_wait)},
    Call{SCMP_SYS(epoll_pwait)},
    Call{SCMP_SYS(epoll_ctl)},
    Call{SCMP_SYS(timerfd_settime)},
};

constexpr std::array kData = {
    Call{SCMP_SYS(mmap), If::NotExecutable},
    Call{SCMP_SYS(ftruncate)},
    Call{SCMP_SYS(newfstatat), If::ByDescriptor},
};

constexpr std::array kFolder = {
    Call{SCMP_SYS(openat2)},    Call{SCMP_SYS(newfstatat), If::ByDescriptor},
    Call{SCMP_SYS(readlinkat)}, Call{SCMP_SYS(getdents64)},
    Call{SCMP_SYS(poll)},
};

constexpr std::array kFolderRules = {
    Call{SCMP_SYS(landlock_create_ruleset)},
    Call{SCMP_SYS(landlock_add_rule)},
    Call{SCMP_SYS(landlock_restrict_self)},
};

constexpr std::array kViews = {
    Call{SCMP_SYS(pwrite64)},
};

constexpr std::array kWaiter = {
    Call{SCMP_SYS(wait4)},
    Call{SCMP_SYS(restart_syscall)},
    Call{SCMP_SYS(rt_sigreturn)},
    Call{SCMP_SYS(exit_group)},
};

std::vector<Calls> lists_of(Filter filter) {
  switch (filter) {
    case Filter::Waiter:
      return {kWaiter};
    case Filter::Front:
      return {kLiving, kDescriptors, kFront};
    case Filter::LoaderStart:  // all that follows too: a later filter only takes away
      return {kLiving, kDescriptors, kData, kFolder, kReceiving, kFolderRules, kNextStage};
    case Filter::LoaderServing:
      return {kLiving, kDescriptors, kData, kFolder};
    case Filter::ReaderStart:
      return {kLiving, kDescriptors, kData, kReceiving, kNextStage};
    case Filter::ReaderServing:
      return {kLiving, kDescriptors, kData};
    case Filter::ViewStart:
      return {kLiving, kDescriptors, kData, kViews, kReceiving, kNextStage};
    case Filter::ViewServing:
      return {kLiving, kDescriptors, kData, kViews};
  }
  return {};
}

struct Release {
  void operator()(void* context) const { seccomp_release(context); }
};
using Context = std::unique_ptr<void, Release>;

int allow(void* context, int number, std::initializer_list<scmp_arg_cmp> conditions) {
  return seccomp_rule_add_array(context, SCMP_ACT_ALLOW, number,
                                static_cast<unsigned>(conditions.size()), conditions.begin());
}

scmp_arg_cmp equals(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_EQ, value, 0};
}
scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

int allow_fcntl(void* context, int number) {
  for (const int command :
       {F_GETFL, F_SETFL, F_GETFD, F_SETFD, F_DUPFD_CLOEXEC, F_ADD_SEALS, F_GET_SEALS}) {
    const auto value = static_cast<std::uint64_t>(command);
    if (const int failed = allow(context, number, {masked(1, 0xFFFFFFFF, value)}); failed != 0) {
      return failed;
    }
  }
  return 0;
}

int add(void* context, const Call& call) {
  switch (call.condition) {
    case If::Always:
      return allow(context, call.number, {});
    case If::NotExecutable:
      return allow(context, call.number, {masked(2, PROT_EXEC, 0)});
    case If::AnonymousData:
      return allow(context, call.number,
                   {masked(2, PROT_EXEC, 0), masked(3, MAP_ANONYMOUS, MAP_ANONYMOUS)});
    case If::SafeCommand:
      return allow_fcntl(context, call.number);
    case If::ByDescriptor:
      return allow(context, call.number, {masked(3, 0xFFFFFFFF, AT_EMPTY_PATH)});
    case If::SetFilter:
      return allow(context, call.number, {equals(0, SECCOMP_SET_MODE_FILTER)});
  }
  return -EINVAL;
}

Error failed_with(int negative, std::string_view what) {
  errno = -negative;
  return errno_error(what);
}

// The second programs, compiled before the first is loaded: compiling makes calls of its own.
Bytes& kept_for_later() {
  static Bytes program;
  return program;
}

struct Stages {
  Filter first;
  Filter last;  // the same where there is only one
};
Stages stages_of(Role role) {
  switch (role) {
    case Role::Front:
      return {Filter::Front, Filter::Front};
    case Role::Loader:
      return {Filter::LoaderStart, Filter::LoaderServing};
    case Role::Reader:
      return {Filter::ReaderStart, Filter::ReaderServing};
    case Role::View:
      return {Filter::ViewStart, Filter::ViewServing};
  }
  return {Filter::Waiter, Filter::Waiter};
}

}  // namespace

std::string_view name_of(Filter filter) {
  switch (filter) {
    case Filter::Waiter:
      return "waiter";
    case Filter::Front:
      return "front";
    case Filter::LoaderStart:
      return "loader-start";
    case Filter::LoaderServing:
      return "loader-serving";
    case Filter::ReaderStart:
      return "reader-start";
    case Filter::ReaderServing:
      return "reader-serving";
    case Filter::ViewStart:
      return "view-start";
    case Filter::ViewServing:
      return "view-serving";
  }
  return "?";
}

Result<Bytes> program_of(Filter filter) {
  const Context context(seccomp_init(SCMP_ACT_KILL_PROCESS));
  if (context == nullptr) {
    return error(Code::Unsupported, "seccomp_init failed");
  }
  // Calls of another architecture (int 0x80, x32) end the process too, not only a thread of it.
  if (const int failed =
          seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
      failed != 0) {
    return failed_with(failed, "seccomp_attr_set");
  }
  for (const Calls& calls : lists_of(filter)) {
    for (const Call& call : calls) {
      if (const int failed = add(context.get(), call); failed != 0 && failed != -EEXIST) {
        return failed_with(failed, "seccomp_rule_add");
      }
    }
  }
  const Fd file(::memfd_create("filter", MFD_CLOEXEC));
  if (!file) {
    return errno_error("memfd_create");
  }
  if (const int failed = seccomp_export_bpf(context.get(), file.get()); failed != 0) {
    return failed_with(failed, "seccomp_export_bpf");
  }
  if (::lseek(file.get(), 0, SEEK_SET) < 0) {
    return errno_error("lseek");
  }
  return read_all(file.get(), kProgramBytes);
}

Status load_program(ByteView program) {
  sock_fprog loaded{};
  loaded.len = static_cast<unsigned short>(program.size() / sizeof(sock_filter));
  loaded.filter = const_cast<sock_filter*>(reinterpret_cast<const sock_filter*>(program.data()));
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &loaded) < 0) {
    return errno_error("seccomp");
  }
  return done();
}

Status narrow(Role role) {
  const Stages stages = stages_of(role);
  Result<Bytes> first = program_of(stages.first);
  if (!first) {
    return first.failure();
  }
  if (stages.last != stages.first) {
    Result<Bytes> last = program_of(stages.last);
    if (!last) {
      return last.failure();
    }
    kept_for_later() = std::move(*last);
  }
  ::tzset();  // a log line's time would otherwise look for the zone's file
  if (role != Role::Loader) {
    if (Status restricted = restrict_files(-1); !restricted) {
      return restricted;
    }
  }
  return load_program(*first);
}

Status narrow_again(Role role, int folder) {
  if (kept_for_later().empty() || (role == Role::Loader) != (folder >= 0)) {
    return error(Code::Invalid, "there is no second narrowing here");
  }
  if (folder >= 0) {
    if (Status restricted = restrict_files(folder); !restricted) {
      return restricted;
    }
  }
  return load_program(kept_for_later());
}

}  // namespace rb::confine
