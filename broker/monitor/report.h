// report.h — what PID 1 and the script's process tell their monitor.   [TRUSTED: monitor]
// Fixed records, one a packet (PID 1) or one atomic write (the script's process before its exec).
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace rb::mon {

struct Report {
  enum class Kind : std::uint32_t {
    Prepared,  // id maps are written, the base is built, nothing is readable any more
    Failed,    // value: errno; what: the stage. Nothing was executed
    Terminal,  // with one descriptor: the master side
    Results,   // with one descriptor: the folder of $RUNBOOK_OUTPUT
    Waiting,   // everything but exec is done
    Exited,    // value: the script's wait status
    Alone      // no other process is left below
  };
  Kind kind = Kind::Failed;
  std::int32_t value = 0;
  char what[184] = {};

  [[nodiscard]] std::string stage() const { return {what, ::strnlen(what, sizeof what)}; }
};
static_assert(sizeof(Report) == 192);

[[nodiscard]] inline Report report(Report::Kind kind, int value = 0, std::string_view what = "") {
  Report out;
  out.kind = kind;
  out.value = value;
  std::memcpy(out.what, what.data(), what.size() < sizeof out.what ? what.size() : sizeof out.what);
  return out;
}

// Monitor to PID 1: one byte a packet.
inline constexpr char kTerminate = 'T';  // TERM and CONT to the script's group
inline constexpr char kKill = 'K';       // unsandboxed only: KILL to every descendant

}  // namespace rb::mon
