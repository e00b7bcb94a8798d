#include "broker/service.h"

#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#include <cstdlib>
#include <utility>

namespace rb::brk::service {

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

}  // namespace rb::brk::service
