// tree_lines — the reader's tree, asked as tests/differential/peer.mjs is: a line of JSON a
// document in, verdict and nodes out, in the form that normal.mjs describes.   [tests]
//   tree_lines            {"dialect":"mdx"|"markdown","text":"..."} a line
//   tree_lines --rate     the same; prints {"bytes","ms"} of parsing and vetting them all once
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include "common/json_reader.h"
#include "common/json_writer.h"
#include "daemon/reader/tree/vet.h"

namespace rb {
namespace {

using rdr::Attribute;
using rdr::Kind;
using rdr::kNone;
using rdr::Literal;
using rdr::LiteralId;
using rdr::LiteralKind;
using rdr::Node;
using rdr::Tree;

std::string point(const rdr::Position& at) {
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

// Blanks of every kind are left out, as `\s` of JavaScript means them.
std::string squeezed(std::string_view source) {
  constexpr std::string_view kWide[] = {"\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\xa8",
                                        "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f",
                                        "\xe3\x80\x80", "\xef\xbb\xbf"};
  std::string out;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    const std::string_view three = source.substr(i, 3);
    const bool quad = three.size() == 3 && three.substr(0, 2) == "\xe2\x80" &&
                      static_cast<unsigned char>(three[2]) <= 0x8a;
    const auto* wide = std::find_if(std::begin(kWide), std::end(kWide), [&](std::string_view one) {
      return source.substr(i, one.size()) == one;
    });
    if (quad || wide != std::end(kWide)) {
      i += quad ? 2 : wide->size() - 1;
    } else if (c != ' ' && (c < '\t' || c > '\r')) {
      out += c;
    }
  }
  return out;
}

class Lines {
 public:
  Lines(const Tree& tree, JsonWriter& out) : tree_(tree), out_(out) {}

  void nodes() {
    std::vector<std::uint32_t> depth(tree_.nodes.size());
    out_.begin_array();
    for (rdr::NodeId id = 1; id < tree_.nodes.size(); ++id) {
      const Node& node = tree_.nodes[id];
      depth[id] = depth[node.parent] + 1;
      out_.begin_array().unsigned_number(depth[id]).text(rdr::kind_name(node.kind));
      out_.text(point(node.span.start) + "-" + point(node.span.end)).begin_object();
      fields(node);
      out_.end_object().end_array();
    }
    out_.end_array();
  }

 private:
  void literal(LiteralId id) {  // NOLINT(misc-no-recursion): nesting is limited by the parser
    constexpr const char* kNames[] = {"null",     "boolean", "number", "bigint", "string",
                                      "template", "regex",   "array",  "object", "none"};
    const Literal& found = tree_.literals[id];
    out_.begin_array().text(kNames[static_cast<unsigned>(found.kind)]);
    if (found.kind != LiteralKind::Array && found.kind != LiteralKind::Object) {
      out_.text(found.value).end_array();
      return;
    }
    out_.begin_array();
    for (LiteralId child = found.first_child; child != kNone; child = tree_.literals[child].next) {
      if (found.kind == LiteralKind::Object) {
        out_.begin_array().text(tree_.literals[child].key);
      }
      literal(child);
      if (found.kind == LiteralKind::Object) {
        out_.end_array();
      }
    }
    out_.end_array().end_array();
  }

  void attribute(const Attribute& one) {
    constexpr const char* kKinds[] = {"string", "bare", "expression", "spread"};
    out_.begin_array().text(kKinds[static_cast<unsigned>(one.kind)]).text(one.name);
    switch (one.kind) {
      case rdr::AttributeKind::String:
        out_.text(one.value);
        break;
      case rdr::AttributeKind::Bare:
        out_.null();
        break;
      case rdr::AttributeKind::Spread:
        out_.text(squeezed(one.value));
        break;
      case rdr::AttributeKind::Expression:
        one.literal == kNone ? static_cast<void>(out_.text(squeezed(one.value)))
                             : literal(one.literal);
        break;
    }
    out_.text(point(one.span.start)).end_array();
  }

  void element(const Node& node) {
    const rdr::Element& found = tree_.element(node);
    out_.field("name", found.name).key("attributes").begin_array();
    for (std::uint32_t i = 0; i < found.attribute_count; ++i) {
      attribute(tree_.attributes[found.first_attribute + i]);
    }
    out_.end_array();
  }

  void link(const Node& node) {
    const rdr::Link& found = tree_.link(node);
    const bool resource = node.kind == Kind::Link || node.kind == Kind::Image;
    const bool image = node.kind == Kind::Image || node.kind == Kind::ImageReference;
    if (!resource) {
      out_.field("label", found.label).field("identifier", found.identifier);
    }
    if (resource || node.kind == Kind::Definition) {
      out_.field("url", found.url).field("title", found.title);
    }
    if (image) {
      out_.field("alt", found.alt);
    }
  }

  void expression(const Node& node) {
    const LiteralId found = tree_.expression(node).literal;
    if (found == kNone) {
      out_.field("value", squeezed(node.value));
    } else {
      out_.key("literal");
      literal(found);
    }
  }

  void cell(const Node& node) {
    constexpr const char* kNames[] = {"", "left", "right", "center"};
    out_.key("align");
    node.align == rdr::Align::None ? out_.null()
                                   : out_.text(kNames[static_cast<unsigned>(node.align)]);
  }

  void item(const Node& node) {
    out_.key("checked");
    node.checked == rdr::Checked::None ? out_.null()
                                       : out_.boolean(node.checked == rdr::Checked::Yes);
    out_.field("spread", node.spread);
  }

  void fields(const Node& node) {
    switch (node.kind) {
      case Kind::Text:
      case Kind::InlineCode:
      case Kind::Html:
        out_.field("value", node.value);
        break;
      case Kind::Code:
        out_.field("lang", tree_.code(node).language).field("meta", tree_.code(node).meta);
        out_.field("value", node.value).field("closed", tree_.code(node).closed);
        out_.field("lines", tree_.code(node).body_lines);
        break;
      case Kind::Heading:
        out_.field("depth", node.number);
        break;
      case Kind::List:
        out_.field("ordered", node.ordered).field("start", node.number);
        out_.field("spread", node.spread);
        break;
      case Kind::ListItem:
        item(node);
        break;
      case Kind::TableCell:
        cell(node);
        break;
      case Kind::MdxjsEsm:
        out_.field("value", squeezed(node.value));
        break;
      case Kind::MdxFlowExpression:
      case Kind::MdxTextExpression:
        expression(node);
        break;
      case Kind::MdxJsxFlowElement:
      case Kind::MdxJsxTextElement:
        element(node);
        break;
      case Kind::Link:
      case Kind::Image:
      case Kind::LinkReference:
      case Kind::ImageReference:
      case Kind::Definition:
      case Kind::FootnoteReference:
      case Kind::FootnoteDefinition:
        link(node);
        break;
      case Kind::Root:
      case Kind::Paragraph:
      case Kind::ThematicBreak:
      case Kind::Blockquote:
      case Kind::Table:
      case Kind::TableRow:
      case Kind::Emphasis:
      case Kind::Strong:
      case Kind::Delete:
      case Kind::Break:
        break;
    }
  }

  const Tree& tree_;
  JsonWriter& out_;
};

rdr::Dialect dialect_of(const Json& request) {
  return request.text_at("dialect") == "mdx" ? rdr::Dialect::Mdx : rdr::Dialect::Markdown;
}

std::string answer(const Json& request) {
  rdr::Parsed parsed = rdr::parse(request.text_at("text"), dialect_of(request));
  const bool whole = parsed.problems.empty();
  const std::vector<rdr::Problem> refused =
      whole ? rdr::vet(parsed.tree) : std::move(parsed.problems);
  JsonWriter out;
  out.begin_object().field("verdict", !whole ? "syntax" : refused.empty() ? "accept" : "reject");
  out.field("line", refused.empty() ? 0U : refused[0].line);
  out.field("column", refused.empty() ? 0U : refused[0].column);
  out.field("construct", refused.empty() ? "" : refused[0].construct);
  out.field("why", refused.empty() ? "" : refused[0].text).key("tree");
  if (whole) {
    Lines(parsed.tree, out).nodes();
  } else {
    out.begin_array().end_array();
  }
  return out.end_object().take();
}

double cpu_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// The fastest of a few rounds, so that neighbours on the machine don't count.
void print_rate(const std::vector<Json>& documents) {
  constexpr int kRounds = 5;
  double fastest = 0;
  std::size_t bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = cpu_ms();
    bytes = 0;
    for (const Json& one : documents) {
      rdr::Parsed parsed = rdr::parse(one.text_at("text"), dialect_of(one));
      static_cast<void>(rdr::vet(parsed.tree));
      bytes += one.text_at("text").size();
    }
    const double spent = cpu_ms() - begin;
    fastest = round == 0 ? spent : std::min(fastest, spent);
  }
  std::printf("{\"bytes\": %zu, \"ms\": %.3f}\n", bytes, fastest);
}

}  // namespace
}  // namespace rb

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  std::vector<rb::Json> documents;
  for (std::string line; std::getline(std::cin, line);) {
    const rb::Result<rb::Json> request = rb::parse_json(line);
    if (!request) {
      std::fprintf(stderr, "tree_lines: not a request: %.80s\n", line.c_str());
      return 2;
    }
    if (mode == "--rate") {
      documents.push_back(*request);
    } else {
      std::printf("%s\n", rb::answer(*request).c_str());
    }
  }
  if (mode == "--rate") {
    rb::print_rate(documents);
  }
  return 0;
}
