@0xb3d0f2b7a6c14e06;
# monitor.capnp — broker ⇄ monitor of one execution, on the monitor's descriptor 3 (packets).
#
# launch → ready | setupFailed; go → started; then progress, and finished once. End of file before
# `go` means nothing is executed, ever. After `go` the monitor needs no broker: it writes outcome.bin
# and outcome.json by itself. A later broker finds it by its socket and proves itself: `challenge`
# comes from the monitor, `greet` answers it, then `state` and what would have followed.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("rb::monitor");
using Event = import "event.capnp";

struct ToMonitor {
  union {
    unset @0 :Void;
    launch @1 :Launch;     # once; descriptors in the order of Launch.descriptors
    go @2 :Void;           # once; the start record is durable
    stop @3 :Stop;
    sunset @4 :UInt32;     # milliseconds: stop then, unless a broker greets before
    greet @5 :Data;        # 32 bytes: HMAC of the challenge by the execution's key
    acknowledge @6 :Void;  # the broker's end line is durable: the monitor may leave
    continue @7 :Void;     # a greeted broker takes the sunset back
    spare @8 :Void;        # to a template alone, with one descriptor: copy yourself; this is its link
  }
}

struct FromMonitor {
  union {
    unset @0 :Void;
    ready @1 :Ready;         # sandbox built: nothing but go is missing, or it has come
    setupFailed @2 :Failure; # nothing was executed
    started @3 :Void;        # the interpreter was executed
    progress @4 :UInt64;     # output bytes now in the file
    finished @5 :Event.Ending; # outcome is durable
    challenge @6 :Data;      # 32 random bytes
    state @7 :State;
  }
}

struct Ready {
  setupMicros @0 :UInt32;
  notice @1 :Text;         # what doesn't bind here, or ""
}

struct Failure {
  stage @0 :Text;          # "user namespace", "mount /proc", "seccomp", "exec", ...
  errnum @1 :Int32;
  text @2 :Text;
}

struct Stop {
  graceMs @0 :UInt32;      # 0: kill at once
  outcome @1 :Event.Outcome; # stopped, timeout
  cause @2 :Text;
}

struct State {
  execution @0 :Text;
  running @1 :Bool;
  outputBytes @2 :UInt64;
}

struct Launch {
  execution @0 :Text;
  session @1 :Text;
  key @2 :Data;              # 32 bytes: later brokers prove themselves by it
  profile @3 :Text;          # a name of policy/builtin
  argv @4 :List(Data);       # argv[0] is an absolute path; the script's place is appended by the monitor
  script @5 :ScriptAs;
  scriptName @6 :Text;       # file name to show ($0's last part) where the script is a file
  environment @7 :List(Data);
  cwd @8 :Text;              # inside the sandbox
  home @9 :Text;             # path of the operator's home, kept as a path inside
  workPath @10 :Text;        # where the work folder lies, inside and outside alike
  treePath @11 :Text;        # where the runbook's folder lies; the sealed copy is mounted there
  filter @12 :Data;          # seccomp program: raw sock_filter array, already compiled; empty: none
  limits @13 :Limits;
  umask @14 :UInt32;
  hidden @15 :List(Text);    # paths that must not exist inside (state, runtime folder)
  toolFolders @16 :List(Text); # below home, mounted read-only where they exist
  cgroup @17 :Bool;          # a descriptor of a delegated leaf is among the descriptors
  usePty @18 :Bool;
  treeWritable @19 :Bool;    # host only: no sealed copy is mounted, cwd is the folder itself
  isCheck @20 :Bool;         # exit 2 sets warn
  descriptors @21 :List(Descriptor); # what each descriptor of the packet is, in order
  grants @22 :List(Grant);   # one for each descriptor of that kind, in order
}

struct Grant {
  path @0 :Text;             # where it lies inside
  writable @1 :Bool;
}

enum Descriptor {
  unset @0;
  script @1;        # sealed memory file
  output @2;        # opened for appending
  index @3;         # output.idx, for appending
  folder @4;        # the execution's own folder: outcome files go here
  work @5;          # the work folder
  tree @6;          # the sealed copy of the runbook's folder
  listener @7;      # bound and listening in monitors/
  cgroup @8;        # leaf
  generated @9;     # generated/ of the execution
  grant @10;        # O_PATH: a folder, file or socket that the operator added; may be there often
}

enum ScriptAs { unset @0; memory @1; file @2; inTree @3; }

struct Limits {
  timeoutMs @0 :UInt64;
  outputBytes @1 :UInt64;
  processes @2 :UInt32;
  memoryBytes @3 :UInt64;    # 0: none
  openFiles @4 :UInt32;
  fileBytes @5 :UInt64;      # 0: none
  tmpBytes @6 :UInt64;
  stopGraceMs @7 :UInt32;
}
