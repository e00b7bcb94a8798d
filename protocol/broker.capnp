@0xb3d0f2b7a6c14e03;
# broker.capnp — front ⇄ broker, one message a packet on a pair of their own (common/packet.h).
# The role is the pair's. Whatever a front says about who a client is, is ignored: the broker
# knows connections by the numbers it gave them at accept.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("rb::broker");
using Front = import "front.capnp";
using Event = import "event.capnp";

struct ToBroker {
  union {
    unset @0 :Void;
    ready @1 :Void;          # once: the front has narrowed itself and takes connections
    forward @2 :Forward;     # with the request's descriptors
    closed @3 :UInt64;       # a connection has ended
    watch @4 :Watch;         # a connection wants events of a session
    unwatch @5 :UInt64;
  }
}

struct Forward {
  connection @0 :UInt64;
  request @1 :Front.Request;
  clientName @2 :Text;     # from hello; self-stated
}

struct Watch {
  connection @0 :UInt64;
  session @1 :Text;        # "" current; answered by `watching`
}

struct ToFront {
  union {
    unset @0 :Void;
    accepted @1 :Accepted;   # with one descriptor: the connected socket, greeting already written
    answer @2 :Answered;     # with the answer's descriptors, for the client
    journal @3 :Journal;     # with one descriptor, read-only: a segment of a session's journal
    grew @4 :Grew;
    progress @5 :Event.Progress;
    watching @6 :Watching;
    drop @7 :UInt64;         # end that connection
    ended @8 :Text;          # a session is over: no line will follow its last
  }
}

struct Accepted {
  connection @0 :UInt64;
  uid @1 :UInt32;
  pid @2 :UInt32;
  program @3 :Text;
}

struct Answered {
  connection @0 :UInt64;
  answer @1 :Front.Answer;
}

struct Journal {
  # Segments come in order, before any `grew` that speaks of them.
  session @0 :Text;
  segment @1 :UInt32;
  firstLine @2 :UInt64;
}

struct Grew {
  session @0 :Text;
  segment @1 :UInt32;
  length @2 :UInt64;       # bytes of that segment that are final
  lastLine @3 :UInt64;
}

struct Watching {
  connection @0 :UInt64;
  session @1 :Text;        # full id; "" when there is no such session
  lastLine @2 :UInt64;
}
