// tree.h — the one syntax tree of a runbook: shown, vetted, registered and run from.
// [UNTRUSTED: reader]
// In:     a whole file (front matter included) and its dialect.
// Out:    nodes in one vector, in document order (preorder), linked by index; nothing to recurse
// on. Units:  lines and columns count from 1, columns in code points (a tab is one, a byte order
// mark
//         none); offsets are bytes from the start of the file. An end is one past the last
//         character.
// Errors: none; what the grammar refuses is in `Parsed::problems` (MDX and limits only: Markdown
// has
//         no syntax errors). A tree with problems must not be shown, registered or run.
// Owns:   every string_view of a tree points into that tree, which can be moved but not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/reader/tree/literal.h"

namespace rb::rdr {

enum class Dialect : std::uint8_t { Markdown, Mdx };

struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t offset = 0;
};

struct Span {
  Position start;
  Position end;
};

using NodeId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffffU;

// mdast's vocabulary.
enum class Kind : std::uint8_t {
  Root,
  Paragraph,
  Heading,
  ThematicBreak,
  Blockquote,
  List,
  ListItem,
  Html,  // Markdown only: raw, never markup for us
  Code,  // fenced or (Markdown only) indented
  Definition,
  FootnoteDefinition,
  Table,
  TableRow,
  TableCell,
  Text,
  Emphasis,
  Strong,
  Delete,
  InlineCode,
  Break,
  Link,
  Image,
  LinkReference,
  ImageReference,
  FootnoteReference,
  MdxJsxFlowElement,
  MdxJsxTextElement,
  MdxFlowExpression,
  MdxTextExpression,
  MdxjsEsm
};

// mdast's name of a kind: "inlineCode".
[[nodiscard]] std::string_view kind_name(Kind kind);

enum class Align : std::uint8_t { None, Left, Right, Center };
enum class Checked : std::uint8_t { None, No, Yes };

struct Node {
  Kind kind = Kind::Root;
  bool ordered = false;             // List
  bool spread = false;              // List, ListItem: loose
  Checked checked = Checked::None;  // ListItem: a task
  Align align = Align::None;        // TableCell: its column's
  std::uint32_t number = 0;         // Heading: depth. List: start. TableRow: 0 is the header
  NodeId parent = kNone;
  NodeId first_child = kNone;
  NodeId last_child = kNone;
  NodeId next = kNone;           // next sibling
  std::uint32_t detail = kNone;  // index into the vector of Tree that its kind names
  Span span;
  std::string_view value;  // Text, InlineCode, Code, Html, expressions, ESM: the content
};

// Kind::Code.
struct Code {
  std::string_view info;      // decoded, outer blanks removed; "" when there is none
  std::string_view language;  // its first word
  std::string_view meta;      // the rest
  bool fenced = false;        // false: indented code
  bool closed = false;  // a closing fence stands below (false too when its container ended it)
  char fence = '`';
  std::uint32_t fence_length = 0;
  std::uint32_t fence_indent = 0;   // columns before the opening fence, within its container
  std::uint32_t content_line = 0;   // line of the first content line; 0 when empty
  std::uint32_t content_begin = 0;  // bytes: from the first content line's start (containers'
  std::uint32_t content_end = 0;    // prefixes included) to after the last one's ending
  std::uint32_t body = 0;           // index into Tree::line_maps of its first content line
  std::uint32_t body_lines = 0;
};

// Where each line of a Code value begins in the file, for positions inside scripts.
struct LineMap {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t offset = 0;
};

// Link, Image, LinkReference, ImageReference, Definition, FootnoteReference, FootnoteDefinition.
// A reference holds what its definition says; `definition` names it.
struct Link {
  std::string_view url;         // decoded
  std::string_view title;       // decoded
  std::string_view label;       // references and definitions: as written
  std::string_view identifier;  // the same, normalised
  std::string_view alt;         // images
  NodeId definition = kNone;
  bool bare = false;    // an autolink
  bool unsafe = false;  // set by vet(): the URL is not to be followed, show it as text
};

enum class AttributeKind : std::uint8_t { String, Bare, Expression, Spread };

struct Attribute {
  AttributeKind kind = AttributeKind::Bare;
  std::string_view name;      // as written, "xlink:href" included; "" for a spread
  std::string_view value;     // String: decoded. Expression, Spread: source between the braces
  std::string_view verbatim;  // String: decoded, continuation lines' indentation kept
  LiteralId literal = kNone;  // Expression: its value, or kNone when it isn't one literal
  LiteralId partial = kNone;  // the same with LiteralKind::NotLiteral for what is none: for vet()
  Span span;                  // from the first character of the name or `{`
  Position value_start;       // String: after the quote. Expression: after the brace
};

// MdxJsxFlowElement, MdxJsxTextElement. A fragment `<>` has the name "".
struct Element {
  std::string_view name;
  std::uint32_t first_attribute = 0;  // into Tree::attributes
  std::uint32_t attribute_count = 0;
  bool self_closing = false;
};

// MdxFlowExpression, MdxTextExpression; the node's value is the source between the braces.
struct Expression {
  LiteralId literal = kNone;  // its value, or kNone
  bool empty = false;         // nothing but blanks and comments
  LiteralId partial = kNone;  // as in Attribute
};

// A refusal or a complaint at one place.
struct Problem {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t end_column = 0;  // on the same line; 0: unknown
  std::uint32_t offset = 0;
  std::string_view code;       // stable, for machines: "R4-spread", "syntax-unclosed-tag"
  std::string_view construct;  // esm expression spread element dotted custom namespaced prop proto
                               // url unknown-block syntax
  std::string text;            // what is wrong, a sentence without a final full stop
  std::string advice;          // what to write instead; may be empty
};

class Tree {
 public:
  Tree() = default;
  Tree(Tree&&) = default;
  Tree& operator=(Tree&&) = default;

  std::vector<Node> nodes;  // node 0 is the root; preorder
  std::vector<Code> codes;
  std::vector<LineMap> line_maps;
  std::vector<Link> links;
  std::vector<Element> elements;
  std::vector<Attribute> attributes;
  std::vector<Expression> expressions;
  std::vector<Literal> literals;

  Dialect dialect = Dialect::Markdown;
  std::uint32_t body_offset = 0;  // where the text after the front matter starts
  std::uint32_t body_line = 1;    // and its line
  bool front_matter = false;  // then [front_begin, front_end) is its content, without the fences
  std::uint32_t front_begin = 0;
  std::uint32_t front_end = 0;

  [[nodiscard]] std::string_view source() const { return {source_.get(), source_size_}; }
  [[nodiscard]] const Code& code(const Node& node) const { return codes[node.detail]; }
  [[nodiscard]] const Link& link(const Node& node) const { return links[node.detail]; }
  [[nodiscard]] const Element& element(const Node& node) const { return elements[node.detail]; }
  [[nodiscard]] const Expression& expression(const Node& node) const {
    return expressions[node.detail];
  }
  // The attribute of that name, the first if it stands twice; null when absent.
  [[nodiscard]] const Attribute* attribute(const Node& node, std::string_view name) const;
  // How many nodes lie beneath it: the next `descendants` entries of `nodes`.
  [[nodiscard]] std::uint32_t descendants(NodeId id) const;
  // All text beneath a node, as a heading's title or an image's description reads.
  [[nodiscard]] std::string text_of(NodeId id) const;

  // For the parser: take the file's bytes, keep a made string.
  void adopt(std::string_view text);
  std::string_view keep(std::string_view made);

 private:
  std::unique_ptr<char[]> source_;
  std::size_t source_size_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_used_ = 0;
  std::size_t block_size_ = 0;
};

struct Limits {
  std::uint32_t nesting = 250;  // containers, elements, inline nodes and literals within each other
  std::uint32_t nodes = 1'000'000;
  // MDX can be written so that the same text must be tried in two ways; this bounds the sum.
  [[nodiscard]] std::uint64_t work(std::uint64_t bytes) const { return bytes * 8 + 65536; }
};

struct Parsed {
  Tree tree;
  std::vector<Problem> problems;  // syntax errors, in document order; empty: the tree is whole
};

[[nodiscard]] Parsed parse(std::string_view text, Dialect dialect, const Limits& limits = {});

}  // namespace rb::rdr
