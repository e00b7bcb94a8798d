@0xb3d0f2b7a6c14e04;
# reader.capnp — whoever starts a runbook-reader (broker, `runbookctl check`) ⇄ that reader.
# One process, one mode, one request, one answer; then it exits. Everything it answers is hostile.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("rb::reader");
using Front = import "front.capnp";

struct ToReader {
  union {
    unset @0 :Void;
    load @1 :Load;    # mode load: one descriptor, the folder
    read @2 :Read;    # mode read: one descriptor, the tree's content (sealed)
    view @3 :View;    # mode view: see there
    more @4 :Void;    # mode view: further descriptors of the request, in order
  }
}

struct FromReader {
  union {
    unset @0 :Void;
    failed @1 :Failed;
    loaded @2 :Tree;  # one descriptor: the content (sealed memory file)
    read @3 :Outcome; # one descriptor if vetted: the Document (sealed memory file)
    viewed @4 :Void;
  }
}

struct Failed {
  code @0 :Text;      # not-found, not-a-file, too-large, unreadable, timeout, malformed
  text @1 :Text;
}

struct Load {
  name @0 :Text;             # file within the folder; "" takes runbook.mdx, else runbook.md
  only @1 :List(Text);       # not empty: these files and the runbook alone (an unbound folder)
}

struct Tree {
  # Sorted bytewise by path. Offsets are into the content, entries don't overlap.
  main @0 :Text;             # the runbook's own file name
  entries @1 :List(Entry);
  bound @2 :Bool;            # the whole folder is here
}

struct Entry {
  path @0 :Text;             # relative, '/' between parts; UTF-8 or refused by the loader
  kind @1 :EntryKind;
  mode @2 :UInt32;           # permission bits of a file
  offset @3 :UInt64;
  length @4 :UInt64;
}

enum EntryKind {
  unset @0;
  file @1;
  folder @2;                 # named so that a path to it is "not a file"
  special @3;                # FIFO, socket, device
  linkOut @4;                # a link whose target lies outside or is absolute
  linkBroken @5;             # dangling or looping
  tooLarge @6;               # over the limit of one file
  unreadable @7;
}

struct Read {
  tree @0 :Tree;
  shownPath @1 :Text;        # for messages
}

struct Outcome {
  vetted @0 :Bool;
  format @1 :Text;           # mdx, markdown
  title @2 :Text;
  problems @3 :List(Front.Problem);  # in document order; a refusal among them means not vetted
  blocks @4 :List(Block);    # empty when not vetted
}

struct Block {
  id @0 :Text;
  type @1 :Text;             # lower-case block name, or run|destructive|... for Markdown
  line @2 :UInt32;
  kind @3 :Text;             # inline, file, or the Markdown kind
  language @4 :Text;         # Markdown: first word of the info string; MDX: ""
  title @5 :Text;
  runnable @6 :Bool;
  whyNot @7 :Text;
  script @8 :Data;           # kind inline: template bytes. kind file: empty, the broker has the file
  path @9 :Text;             # kind file: relative to the folder
  interpreter @10 :List(Text); # words: ["bash"], ["/usr/bin/env","python3"] → see docs/RUNBOOKS.md
  trace @11 :List(Piece);    # covers the script exactly, in order
  inputs @12 :List(Front.InputInfo);
  timeoutMs @13 :UInt64;     # 0: the default
  usePty @14 :Bool;          # written out
  profile @15 :Text;         # "" takes the type's default
  inputsIds @16 :List(Text);
  interpreterFor @17 :Text;  # "shebang", "language", "default": where the interpreter comes from
  flags @18 :List(Text);     # Markdown: the info string's other bare words, known or not
}

struct Piece {
  union {
    unset @0 :Void;
    literal @1 :Range;       # script bytes as they are
    insertion @2 :Insertion; # replaces script bytes of this range by a value
    dropped @3 :Range;       # left out: a template comment, trimmed blanks, the marks around {{ "text" }}
  }
}

struct Range {
  offset @0 :UInt32;
  length @1 :UInt32;
}

struct Insertion {
  range @0 :Range;           # the whole {{ ... }}
  input @1 :Text;            # name of the declared input
  place @2 :Place;
  why @3 :Text;              # for harmlessOnly: the place in words ("argument of ssh, which reads code")
  line @4 :UInt32;           # of the runbook or script file, for messages
  wordStart @5 :Bool;        # a value here must not begin with "-"
  output @6 :Text;           # "block.key" when it is an output (refused until outputs are carried)
  notValue @7 :Text;         # not empty: exactly this value is refused (it would end the here-document)
}

enum Place {
  unset @0;
  plain @1;                  # bare word → "${RB_n}"
  doubleQuoted @2;           # within "..." → ${RB_n}
  singleQuoted @3;           # within '...' → '"${RB_n}"'
  hereDocument @4;           # unquoted here-document → ${RB_n}
  harmlessOnly @5;           # no reference can stand here
}

struct View {
  # Descriptors: the journal's segments, oldest first; then one writable per output wanted,
  # in the order of `wanted`; then one read-only for each of `outputs`. What doesn't fit into this
  # packet (limits.h: 32) follows in `more` packets. An execution without one is shown without output.
  segments @0 :UInt32;
  wanted @1 :List(Wanted);
  outputs @2 :List(Text);    # files of executions that follow as further descriptors: "e1" its
                             # output, "e1/outputs" and "e1/generated.jsonl" what it left
}

struct Wanted {
  kind @0 :ViewKind;
  run @1 :UInt32;            # of run views
}

enum ViewKind { unset @0; sessionJson @1; sessionLog @2; runJson @3; runMarkdown @4; }
