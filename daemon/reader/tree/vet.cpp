#include "daemon/reader/tree/vet.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "daemon/reader/tree/unicode.h"

namespace rb::rdr {
namespace {

using grammar::ascii_lower;

using namespace std::string_view_literals;

constexpr std::array kBlockedElements = {"script"sv, "iframe"sv, "frame"sv,  "frameset"sv,
                                         "object"sv, "embed"sv,  "webview"sv};
constexpr std::size_t kExcerpt = 57;
constexpr std::string_view kLiterals =
    "write a value: \"text\", 42, true, null, [..] or {name: ..}; expressions never run here";

class Vetting {
 public:
  explicit Vetting(Tree& tree) : tree_(tree) {}
  std::vector<Problem> run();

 private:
  enum class Finding { None, NotLiteral, ProtoKey };

  void vet_node(const Node& node);
  void vet_expression(const Node& node);
  void vet_element(const Node& node);
  void vet_name(const Node& node, std::string_view name);
  void vet_attribute(const Attribute& attribute, bool component);
  void vet_value(const Attribute& attribute);
  void vet_link(const Node& node);
  [[nodiscard]] Finding first_finding(LiteralId root) const;
  [[nodiscard]] bool literal_holds_script_url(LiteralId root) const;
  [[nodiscard]] std::string excerpt(std::uint32_t begin, std::uint32_t end) const;
  void report(const Span& span, std::string_view code, std::string_view construct, std::string text,
              std::string advice);

  Tree& tree_;
  std::vector<Problem> problems_;
};

std::vector<Problem> Vetting::run() {
  for (const Node& node : tree_.nodes) {
    vet_node(node);
  }
  return std::move(problems_);
}

void Vetting::report(const Span& span, std::string_view code, std::string_view construct,
                     std::string text, std::string advice) {
  Problem problem;
  problem.line = span.start.line;
  problem.column = span.start.column;
  problem.end_column = span.end.line == span.start.line ? span.end.column : 0;
  problem.offset = span.start.offset;
  problem.code = code;
  problem.construct = construct;
  problem.text = std::move(text);
  problem.advice = std::move(advice);
  problems_.push_back(std::move(problem));
}

// One line of the source, for a message.
std::string Vetting::excerpt(std::uint32_t begin, std::uint32_t end) const {
  std::string out;
  for (const char c :
       tree_.source().substr(begin, std::min<std::size_t>(end - begin, 4 * kExcerpt))) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank || (!out.empty() && out.back() != ' ')) {
      out += blank ? ' ' : c;
    }
  }
  if (out.size() <= kExcerpt + 3) {
    return out;
  }
  std::size_t cut = kExcerpt;
  while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xc0U) == 0x80U) {
    --cut;
  }
  return out.substr(0, cut) + "...";
}

// Depth first, in the order of the source: a part that is no literal, or a key __proto__.
Vetting::Finding Vetting::first_finding(LiteralId root) const {
  if (root == kNone) {
    return Finding::NotLiteral;
  }
  std::vector<LiteralId> open{root};
  while (!open.empty()) {
    const Literal& literal = tree_.literals[open.back()];
    open.pop_back();
    if (literal.proto_key) {
      return Finding::ProtoKey;
    }
    if (literal.kind == LiteralKind::NotLiteral) {
      return Finding::NotLiteral;
    }
    if (literal.next != kNone) {
      open.push_back(literal.next);
    }
    if (literal.first_child != kNone) {
      open.push_back(literal.first_child);
    }
  }
  return Finding::None;
}

// Strings, template strings and what arrays hold; values of objects are no URLs.
bool Vetting::literal_holds_script_url(LiteralId root) const {
  std::vector<LiteralId> open{root};
  while (!open.empty()) {
    const Literal& literal = tree_.literals[open.back()];
    open.pop_back();
    const bool text = literal.kind == LiteralKind::String || literal.kind == LiteralKind::Template;
    if (text && (holds_script_url(literal.value) || holds_script_url(literal.verbatim))) {
      return true;
    }
    if (literal.next != kNone) {
      open.push_back(literal.next);
    }
    if (literal.kind == LiteralKind::Array && literal.first_child != kNone) {
      open.push_back(literal.first_child);
    }
  }
  return false;
}

void Vetting::vet_node(const Node& node) {
  const Kind kind = node.kind;
  if (kind == Kind::MdxjsEsm) {
    report(node.span, "R1-esm", "esm",
           "import and export are not allowed in runbooks: `" +
               excerpt(node.span.start.offset, node.span.end.offset) + "`",
           "remove it; blocks are known without imports, and values are written where they stand");
  } else if (kind == Kind::MdxFlowExpression || kind == Kind::MdxTextExpression) {
    vet_expression(node);
  } else if (kind == Kind::MdxJsxFlowElement || kind == Kind::MdxJsxTextElement) {
    vet_element(node);
  } else if (kind == Kind::Link || kind == Kind::Image || kind == Kind::LinkReference ||
             kind == Kind::ImageReference || kind == Kind::Definition) {
    vet_link(node);
  }
}

void Vetting::vet_expression(const Node& node) {
  const Expression& expression = tree_.expression(node);
  if (expression.empty) {
    return;
  }
  const Finding finding = first_finding(expression.partial);
  const std::string shown = "`" + excerpt(node.span.start.offset, node.span.end.offset) + "`";
  if (finding == Finding::ProtoKey) {
    report(node.span, "R10-proto", "proto",
           "the key __proto__ is not allowed in runbooks: " + shown, "rename the key");
  } else if (finding == Finding::NotLiteral) {
    report(node.span, "R2-expression", "expression",
           "an expression is not allowed in runbooks, it must be a literal value: " + shown,
           std::string(kLiterals) + "; write \\{ for a plain brace");
  }
}

void Vetting::vet_element(const Node& node) {
  const Element& element = tree_.element(node);
  const bool component =
      !element.name.empty() && !(element.name[0] >= 'a' && element.name[0] <= 'z');
  vet_name(node, element.name);
  for (std::uint32_t i = 0; i < element.attribute_count; ++i) {
    vet_attribute(tree_.attributes[element.first_attribute + i], component);
  }
}

// What the rules R5 and R7-R9 say about a name; an empty code: nothing.
struct NameRule {
  std::string_view code;
  std::string_view construct;
  std::string_view what;
  std::string_view advice;
};

NameRule name_rule(std::string_view name, bool lower) {
  const std::string folded = ascii_lower(name);
  const auto has = [&](char c) { return name.find(c) != std::string_view::npos; };
  if (lower && std::find(kBlockedElements.begin(), kBlockedElements.end(), folded) !=
                   kBlockedElements.end()) {
    return {"R5-element", "element", "this element is not allowed in runbooks",
            folded == "iframe" ? "use the block <Iframe>" : "remove it; link to the page instead"};
  }
  if (has('.')) {
    return {"R8-dotted", "dotted", "element names with a dot are not allowed in runbooks",
            "use a block or an HTML element by its own name"};
  }
  if (has('-')) {
    return {"R7-custom", "custom", "custom elements are not allowed in runbooks",
            "use a block or an HTML element"};
  }
  if (has(':')) {
    return {"R9-namespaced", "namespaced",
            "element names with a namespace are not allowed in runbooks",
            "use a block or an HTML element by its own name"};
  }
  if (!lower && !is_known_block(name)) {
    return {"S1-unknown-block", "unknown-block", "there is no block of this name",
            "see docs/RUNBOOKS.md for the blocks there are"};
  }
  if (lower && !is_allowed_element(name)) {
    return {"S2-element", "element", "this is not among the elements a runbook may hold",
            "use Markdown, or a plain element such as <div>"};
  }
  return {};
}

void Vetting::vet_name(const Node& node, std::string_view name) {
  if (name.empty()) {
    return;  // a fragment
  }
  const NameRule rule = name_rule(name, name[0] >= 'a' && name[0] <= 'z');
  if (rule.code.empty()) {
    return;
  }
  Span span = node.span;
  span.end = span.start;
  span.end.column += static_cast<std::uint32_t>(name.size()) + 1;
  const std::string_view likely = rule.code[0] == 'S' ? likely_block(name) : "";
  report(span, rule.code, rule.construct, std::string(rule.what) + ": <" + std::string(name) + ">",
         likely.empty() ? std::string(rule.advice) : "did you mean <" + std::string(likely) + ">?");
}

void Vetting::vet_attribute(const Attribute& attribute, bool component) {
  if (attribute.kind == AttributeKind::Spread) {
    report(attribute.span, "R4-spread", "spread",
           "a spread is not allowed in runbooks: `" +
               excerpt(attribute.span.start.offset, attribute.span.end.offset) + "`",
           "write each attribute out");
    return;
  }
  const std::string name = ascii_lower(attribute.name);
  const std::string shown = "`" + std::string(attribute.name) + "`";
  if (name == "__proto__") {
    report(attribute.span, "R6-proto", "proto", "the prop __proto__ is not allowed in runbooks",
           "rename it");
  } else if (name == "dangerouslysetinnerhtml" || name == "srcdoc") {
    report(attribute.span, "R6-prop", "prop", "the prop " + shown + " is not allowed in runbooks",
           "write the text as Markdown between the tags");
  } else if (!component && name.substr(0, 2) == "on") {
    report(attribute.span, "S3-handler", "prop",
           "event handlers are not allowed in runbooks: " + shown, "remove it");
  } else {
    vet_value(attribute);
  }
}

void Vetting::vet_value(const Attribute& attribute) {
  const std::string shown = "`" + std::string(attribute.name) + "`";
  bool url = attribute.kind == AttributeKind::String &&
             (holds_script_url(attribute.value) || holds_script_url(attribute.verbatim));
  if (attribute.kind == AttributeKind::Expression) {
    const Finding finding = first_finding(attribute.partial);
    if (finding == Finding::ProtoKey) {
      report(attribute.span, "R10-proto", "proto",
             "the key __proto__ is not allowed in runbooks: " + shown, "rename the key");
      return;
    }
    if (finding == Finding::NotLiteral) {
      report(attribute.span, "R3-prop", "prop",
             "the prop " + shown + " must be a literal value: `" +
                 excerpt(attribute.span.start.offset, attribute.span.end.offset) + "`",
             std::string(kLiterals));
      return;
    }
    url = literal_holds_script_url(attribute.literal);
  }
  if (url) {
    report(attribute.span, "R11-url", "url",
           "a javascript: URL is not allowed in runbooks: " + shown,
           "write an https: address, or text that doesn't start with javascript:");
  }
}

void Vetting::vet_link(const Node& node) {
  Link& link = tree_.links[node.detail];
  link.unsafe = !is_followable_url(link.url);
  const bool own =
      node.kind == Kind::Link || node.kind == Kind::Image || node.kind == Kind::Definition;
  if (tree_.dialect == Dialect::Mdx && own && is_script_url(link.url)) {
    report(node.span, "S4-url", "url", "a javascript: URL is not allowed in runbooks",
           "write an https: address");
  }
}

}  // namespace

std::vector<Problem> vet(Tree& tree) {
  return Vetting(tree).run();
}

}  // namespace rb::rdr
