@0xb3d0f2b7a6c14e05;
# document.capnp — the tree of one vetted runbook, as frontends draw it. No markup, no authority:
# what runs is the registry's, and a frontend shows a block's script from there.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("rb::document");

struct Document {
  title @0 :Text;
  nodes @1 :List(Node);      # preorder; node 0 is the root
}

struct Node {
  kind @0 :Text;             # mdast's names: root heading paragraph text strong emphasis delete
                             # inlineCode code break link image list listItem blockquote table
                             # tableRow tableCell thematicBreak html footnoteReference
                             # footnoteDefinition element block
  descendants @1 :UInt32;    # how many of the following nodes lie beneath this one
  line @2 :UInt32;
  column @3 :UInt32;
  offset @4 :UInt32;         # bytes from the start of the file
  text @5 :Text;             # text, code, the element's or block's name
  number @6 :UInt32;         # heading depth, list start, column alignment
  flag @7 :Bool;             # ordered list, checked item, header row
  url @8 :Text;              # link, image: vetted
  attributes @9 :List(Attribute);
  block @10 :Text;           # of a block: its id
}

struct Attribute { name @0 :Text; value @1 :Text; }
