#include "broker/service.h"

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace rb::brk::service {
namespace {

constexpr std::uint64_t kPatienceMicros = 2'000'000;
constexpr int kTries = 16;

// The user's manager, on the user's bus.
class UserBus {
 public:
  UserBus() : opened_(::sd_bus_open_user(&bus_)) {
    if (opened_ >= 0) {
      (void)::sd_bus_set_method_call_timeout(bus_, kPatienceMicros);
    }
  }
  UserBus(const UserBus&) = delete;
  UserBus& operator=(const UserBus&) = delete;
  UserBus(UserBus&&) = delete;
  UserBus& operator=(UserBus&&) = delete;
  ~UserBus() {
    ::sd_bus_error_free(&error_);
    ::sd_bus_flush_close_unref(bus_);
  }

  [[nodiscard]] int opened() const { return opened_; }
  // Asked again where a signal of ours came between: what was done already answers UnitExists.
  template <typename... Values>
  [[nodiscard]] int call(const char* method, const char* types, Values... values) {
    int answer = -EINTR;
    for (int i = 0; answer == -EINTR && i < kTries; ++i) {
      ::sd_bus_error_free(&error_);
      answer = ::sd_bus_call_method(bus_, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
                                    "org.freedesktop.systemd1.Manager", method, &error_, nullptr,
                                    types, values...);
    }
    return answer;
  }
  [[nodiscard]] bool said(const char* name) const {
    return ::sd_bus_error_has_name(&error_, name) > 0;
  }

 private:
  sd_bus* bus_ = nullptr;
  int opened_;
  sd_bus_error error_ = SD_BUS_ERROR_NULL;
};

}  // namespace

std::vector<Listener> inherited_listeners() {
  std::vector<Listener> out;
  char** names = nullptr;
  const int count = ::sd_listen_fds_with_names(1, &names);
  for (int i = 0; i < count; ++i) {
    out.push_back({names[i], Fd(SD_LISTEN_FDS_START + i)});
    ::free(names[i]);  // NOLINT(cppcoreguidelines-owning-memory): malloc'ed by the library
  }
  ::free(names);  // NOLINT(cppcoreguidelines-owning-memory)
  return out;
}

void notify(const std::string& state) {
  (void)::sd_notify(0, state.c_str());
}

std::optional<Nanos> watchdog_every() {
  std::uint64_t micros = 0;
  if (::sd_watchdog_enabled(0, &micros) <= 0) {
    return std::nullopt;
  }
  return std::chrono::microseconds(micros / 3);
}

void anchor(const std::string& session, const std::string& what, const std::string& head,
            std::uint64_t line) {
  (void)::sd_journal_send(
      "MESSAGE=runbookd session %s %s: line %llu, head %s", session.c_str(), what.c_str(),
      static_cast<unsigned long long>(line), head.c_str(), "PRIORITY=%i", 5,
      "SYSLOG_IDENTIFIER=runbookd", "RUNBOOKD_SESSION=%s", session.c_str(), "RUNBOOKD_LINE=%llu",
      static_cast<unsigned long long>(line), "RUNBOOKD_HEAD=%s", head.c_str(), nullptr);
}

Status join_scope(const std::string& unit, const std::string& below, pid_t process) {
  UserBus manager;
  if (manager.opened() < 0) {
    return Error{Code::Unsupported, "no service manager of the user's", -manager.opened()};
  }
  const auto pid = static_cast<std::uint32_t>(process);
  int answer =
      manager.call("StartTransientUnit", "ssa(sv)a(sa(sv))", unit.c_str(), "fail", 5, "Description",
                   "s", "Executions of runbookd", "Delegate", "b", 1, "CollectMode", "s",
                   "inactive-or-failed", "TasksMax", "t", UINT64_MAX, "PIDs", "au", 1, pid, 0);
  if (answer < 0 && manager.said("org.freedesktop.systemd1.UnitExists")) {
    answer = manager.call("AttachProcessesToUnit", "ssau", unit.c_str(), below.c_str(), 1, pid);
  }
  return answer < 0 ? Status(Error{Code::Unsupported, "ask for " + unit, -answer}) : done();
}

}  // namespace rb::brk::service
