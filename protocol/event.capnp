@0xb3d0f2b7a6c14e02;
# event.capnp — what happened: outcomes, journal lines, progress. Shared by every edge.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("rb::event");

enum State {
  unset @0;
  preparing @1;   # the sandbox is being built; nothing of the script has run
  running @2;
  stopping @3;    # asked to end, within its grace
  over @4;
}

enum Outcome {
  # The first two say something about the script; the others don't. DESIGN §8.
  unset @0;
  passed @1;       # exit 0
  failed @2;       # other exit, death by a signal, or a limit that `cause` names
  timeout @3;
  stopped @4;      # a person, the service, or the session's end; `cause` says who
  error @5;        # couldn't be run
  interrupted @6;  # we or the machine died
  cancelled @7;    # never started
  lost @8;         # remote only
}

struct Line {
  # One journal line. Its number is the event's number: 1 is the session's first.
  session @0 :Text;
  number @1 :UInt64;
  json @2 :Data;    # the line's bytes, without the final newline; docs/RECORD.md lists its fields
}

struct Progress {
  # An unnumbered hint; losing one loses nothing.
  session @0 :Text;
  execution @1 :Text;
  length @2 :UInt64; # bytes of output in the file now
}

struct Ending {
  # How an execution ended, as its monitor saw it.
  outcome @0 :Outcome;
  exit @1 :Int32;          # 0..255, -1 when a signal ended it or nothing ran
  signal @2 :UInt32;       # 0 when none
  cause @3 :Text;          # "", "memory", "output limit", "service", "errno text", ...
  durationMs @4 :UInt64;   # boot clock, spawn to reap
  outputBytes @5 :UInt64;
  outputSha256 @6 :Data;   # 32 bytes over the output file
  endedAtMs @7 :Int64;     # wall
  warn @8 :Bool;           # a check that exited 2
  mayHaveLeft @9 :Bool;    # host without cgroup: processes may remain
  outcomeSha256 @10 :Data; # of outcome.bin
}
