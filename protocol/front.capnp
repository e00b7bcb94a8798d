@0xb3d0f2b7a6c14e01;
# front.capnp — client ⇄ front. One flat message a frame (common/stream.h).
#
# The broker writes `Greeting` to the client before any front has the socket. Then the client says
# `hello`, the front answers `welcome`, and requests may follow. What changes state travels as
# `Signed`: the front can drop it, not alter it. Order, limits and the MAC: docs/PROTOCOL.md.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("rb::front");
using Event = import "event.capnp";

struct Greeting {
  # The one message a client has from the broker itself.
  version @0 :UInt32;
  brokerStart @1 :Data;    # 16 random bytes, new at each start of the broker
  connection @2 :UInt64;   # never used again in this brokerStart
  macKey @3 :Data;         # 32 bytes, of this connection alone
  publicKey @4 :Data;      # 32 bytes X25519: sealed boxes for the broker
  pid @5 :UInt32;          # of the broker, for people
}

struct ClientMessage {
  union {
    unset @0 :Void;          # never valid
    hello @1 :Hello;         # first, once
    request @2 :Request;     # answered once, in any order
    subscribe @3 :Subscribe; # replaces an earlier one
    unsubscribe @4 :Void;
  }
}

struct Hello {
  version @0 :UInt32;
  name @1 :Text;           # self-stated, shown as such: "runbookctl", "fixer"
}

struct Request {
  serial @0 :UInt32;       # the answer repeats it; unique among those under way
  union {
    unset @1 :Void;
    act @2 :Signed;        # changes state
    ask @3 :Query;         # reads
  }
}

struct Signed {
  content @0 :Data;        # a flat Operation, at most 1 MiB less this frame
  counter @1 :UInt64;      # grows with each Signed of a connection, from 1
  mac @2 :Data;            # 32 bytes: HMAC-SHA-512-256 by the greeting's key over
                           # "runbookd operation 1" ‖ brokerStart ‖ connection ‖ counter ‖ content
}

struct Operation {
  # What a Signed holds. `requestId` makes it happen once: see docs/PROTOCOL.md §Request ids.
  clientId @0 :Data;       # 16 random bytes a client program makes at its start and keeps
  requestId @1 :Data;      # 16 random bytes
  session @2 :Text;        # id or unique prefix; "" is the current session
  union {
    unset @3 :Void;
    startSession @4 :StartSession;
    endSession @5 :Void;
    note @6 :Text;
    open @7 :Open;             # with one descriptor: the folder
    closeRun @8 :CloseRun;
    start @9 :Start;           # with the work folder's descriptor if `workGiven`, then the grants'
    stop @10 :Stop;
    environment @11 :Sealed;   # gives the session its environment again after a broker's death
    replaceEnvironment @12 :Sealed;  # session env --from-here
  }
}

struct Sealed {
  # crypto_box_seal by the greeting's public key over a flat Environment.
  box @0 :Data;
}

struct Environment {
  variables @0 :List(Data); # "NAME=value", any bytes but NUL
  cwd @1 :Text;
  umask @2 :UInt32;
}

struct StartSession {
  who @0 :Text;            # not empty
  why @1 :Text;            # not empty
  environment @2 :Sealed;
  implicit @3 :Bool;       # began by itself, with the first `run`
}

struct FolderId {
  # What statx says of the descriptor that comes along: the MAC covers this, not the descriptor.
  device @0 :UInt64;
  inode @1 :UInt64;
}

struct Open {
  name @0 :Text;           # file within the folder; "" takes runbook.mdx, else runbook.md
  shownPath @1 :Text;      # as the person wrote it; shown and recorded, never opened
  folderPath @2 :Text;     # absolute path of the folder as the client resolved it; likewise
  folder @3 :FolderId;     # any other descriptor is refused
}

struct CloseRun {
  runbook @0 :Text;        # name in this session
  stop @1 :Bool;           # end what runs; else closing is refused while something does
}

struct Input {
  # A plain value of an input that is declared sensitive is refused, a sealed one of any other too.
  name @0 :Text;
  value @1 :Data;
  inputsId @2 :Text;       # "" fits every block that declares the name
}

struct Start {
  runbook @0 :Text;
  block @1 :Text;
  digest @2 :Data;         # 32 bytes: of the executable the person saw
  inputs @3 :List(Input);
  profile @4 :Text;        # "" takes the block's default
  timeoutMs @5 :UInt64;    # 0 takes the block's default
  newRun @6 :Bool;         # close the open run first, begin the next
  workGiven @7 :Bool;      # --work DIR: the descriptor is that folder
  workPath @8 :Text;       # shown and recorded
  verbatim @9 :Bool;       # templates insert values as they are; operators only
  work @10 :FolderId;      # if workGiven: any other descriptor is refused
  secrets @11 :Data;       # crypto_box_seal by the greeting's public key over a flat Secrets, or empty
  with @12 :List(Text);    # names of credential sets (policy/grants.h); operators only, as are
  read @13 :List(FolderId);    # folders and files to show: one O_PATH descriptor for each,
  write @14 :List(FolderId);   # those to let be changed and
  sockets @15 :List(FolderId); # those to connect to after them
}

struct Secrets {
  # The values of inputs that are declared sensitive; no front can read them. Opened in the one
  # request that they were sealed for.
  request @0 :Data;        # 32 bytes: operation_digest (protocol/digests.h) of that Operation
  inputs @1 :List(Input);
}

struct Stop {
  execution @0 :Text;      # id or unique prefix
  graceMs @1 :UInt32;      # 0: kill at once
}

struct Query {
  session @0 :Text;
  union {
    unset @1 :Void;
    status @2 :Void;           # → Status
    sessions @3 :Void;         # → List(SessionInfo)
    executions @4 :Void;       # → List(ExecutionInfo) of the session, or of all with session "*"
    runbooks @5 :Void;         # → List(RunbookInfo)
    runbook @6 :Text;          # → RunbookInfo and one descriptor: its Document (document.capnp)
    output @7 :Text;           # → OutputInfo; operators get one descriptor, the output file
    outputBytes @8 :ReadOutput; # → bytes, for roles that get no descriptor
  }
}

struct ReadOutput {
  execution @0 :Text;
  offset @1 :UInt64;
  most @2 :UInt32;         # at most 256 KiB is answered
}

struct Subscribe {
  session @0 :Text;
  from @1 :UInt64;         # first event wanted; 0 means those yet to come
  output @2 :Bool;         # also progress hints
}

struct ServerMessage {
  union {
    unset @0 :Void;
    welcome @1 :Welcome;
    answer @2 :Answer;
    event @3 :Event.Line;
    progress @4 :Event.Progress;
    bye @5 :Refusal;       # the last message: why the connection ends
  }
}

struct Welcome {
  version @0 :UInt32;
  role @1 :Role;
}

enum Role { operator @0; agent @1; }

struct Refusal {
  reason @0 :Reason;
  text @1 :Text;           # one sentence and what to do; no compared value, no secret
}

enum Reason {
  none @0;
  malformed @1;            # breaks the schema or a limit
  notPermitted @2;         # this role may not
  badMac @3;
  replayed @4;             # counter not above the last, or a request id with other content
  noSession @5;
  unknown @6;              # no such session, runbook, block, execution
  ambiguous @7;            # a prefix that fits several
  wrongDigest @8;          # what was shown isn't what is registered now
  wrongState @9;           # ended session, running block, closed run, ...
  missingInput @10;
  badInput @11;
  notRunnable @12;         # display only, unfinished, kind not supported yet
  refusedProfile @13;      # unknown, or this machine can't enforce it
  unvetted @14;            # the runbook was refused; problems say where
  limit @15;               # executions at once, sizes, rates
  noEnvironment @16;       # after a broker's death: send it again
  storage @17;             # not recordable, so not run
  unavailable @18;         # folder can't be read, reader failed, shutting down
  needsConfirmation @19;   # a destructive or terminal block
}

struct Answer {
  serial @0 :UInt32;
  union {
    unset @1 :Void;
    refused @2 :Refusal;
    done @3 :Void;
    session @4 :SessionInfo;
    opened @5 :Opened;         # one descriptor if vetted: the Document
    started @6 :Started;       # operators: one descriptor, the output file
    status @7 :Status;
    sessions @8 :List(SessionInfo);
    executions @9 :List(ExecutionInfo);
    runbooks @10 :List(RunbookInfo);
    runbook @11 :Opened;       # one descriptor: the Document
    output @12 :OutputInfo;    # operators: one descriptor, the output file
    outputBytes @13 :OutputBytes;
    run @14 :RunInfo;          # closeRun
  }
}

struct Status {
  version @0 :Text;
  brokerPid @1 :UInt32;
  startedAtMs @2 :Int64;
  sessions @3 :UInt32;
  executions @4 :UInt32;   # running now
  stateFolder @5 :Text;
  profiles @6 :List(ProfileInfo);
}

struct ProfileInfo {
  name @0 :Text;
  usable @1 :Bool;
  why @2 :Text;            # when not usable: what is missing; when usable: what doesn't bind here
}

struct SessionInfo {
  id @0 :Text;
  who @1 :Text;
  why @2 :Text;
  startedAtMs @3 :Int64;
  endedAtMs @4 :Int64;     # 0 while it runs
  status @5 :Text;         # running, ended, interrupted
  current @6 :Bool;
  hasEnvironment @7 :Bool;
  lastEvent @8 :UInt64;
  folder @9 :Text;
  head @10 :Data;          # digest of the journal's last line
}

struct RunInfo {
  number @0 :UInt32;       # within the session, over all runbooks
  runbook @1 :Text;
  status @2 :Text;         # open, completed, partial, opened, interrupted
  folder @3 :Text;         # of its views
  work @4 :Text;
}

struct RunbookInfo {
  name @0 :Text;           # unique in the session; what a person types
  title @1 :Text;
  shownPath @2 :Text;
  treeDigest @3 :Data;
  bound @4 :Bool;          # false: the folder is too large to be sealed
  blocks @5 :List(BlockInfo);
  run @6 :RunInfo;         # number 0 when none is open
  format @7 :Text;         # mdx, markdown
}

struct BlockInfo {
  id @0 :Text;
  type @1 :Text;           # check, command, finish, run, destructive, background, terminal, ...
  line @2 :UInt32;
  kind @3 :Text;           # inline, file (MDX); display, run, ... (Markdown)
  language @4 :Text;
  digest @5 :Data;         # empty when it can't run
  runnable @6 :Bool;
  whyNot @7 :Text;         # when not runnable
  title @8 :Text;
  script @9 :Data;         # the sealed template bytes, exactly
  inputs @10 :List(InputInfo);
  profile @11 :Text;       # its default
  state @12 :Text;         # "", running, or the last outcome in the open run
  path @13 :Text;          # kind file
}

struct InputInfo {
  name @0 :Text;
  type @1 :Text;           # string int float bool enum list map
  description @2 :Text;
  required @3 :Bool;
  hasDefault @4 :Bool;
  default @5 :Data;
  options @6 :List(Text);
  sensitive @7 :Bool;
  inputsId @8 :Text;
}

struct Opened {
  info @0 :RunbookInfo;
  vetted @1 :Bool;
  problems @2 :List(Problem); # refusals (when not vetted), block errors, warnings
  isNew @3 :Bool;             # this content was never opened in this state folder
}

struct Problem {
  severity @0 :Severity;
  file @1 :Text;
  line @2 :UInt32;
  column @3 :UInt32;
  code @4 :Text;           # stable: expression, duplicate-id, ...
  construct @5 :Text;      # of refusals: esm expression ... syntax; else ""
  text @6 :Text;
  excerpt @7 :Text;        # the source line
  advice @8 :Text;
  block @9 :Text;
  endColumn @10 :UInt32;   # 0 when unknown
}

enum Severity { refusal @0; error @1; warning @2; }

struct Started {
  execution @0 :Text;
  run @1 :RunInfo;
  session @2 :Text;
  event @3 :UInt64;        # its start line
  profile @4 :Text;
  notice @5 :Text;         # what doesn't bind here ("may leave processes"), or ""
}

struct ExecutionInfo {
  id @0 :Text;
  session @1 :Text;
  runbook @2 :Text;
  run @3 :UInt32;
  block @4 :Text;
  state @5 :Event.State;
  outcome @6 :Event.Outcome;  # meaningful when over
  startedAtMs @7 :Int64;
  actor @8 :Text;             # "operator anna (runbookctl)"
  outputBytes @9 :UInt64;
  exit @10 :Int32;            # -1 when there is none
  signal @11 :UInt32;
  profile @12 :Text;
  durationMs @13 :UInt64;
  cause @14 :Text;
}

struct OutputInfo {
  execution @0 :ExecutionInfo;
  length @1 :UInt64;
  over @2 :Bool;
}

struct OutputBytes {
  offset @0 :UInt64;
  bytes @1 :Data;
  length @2 :UInt64;       # of the whole output so far
  over @3 :Bool;
}
