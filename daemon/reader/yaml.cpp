#include "daemon/reader/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <new>
#include <set>
#include <sstream>

#include "common/bytes.h"
#include "common/json_writer.h"

namespace rb::rdr {
namespace {

// Thrown out of the library's parser by our own handler and caught below: it never leaves the file.
struct Refused {
  YamlProblem problem;
};

[[noreturn]] void refuse(const YAML::Mark& mark, std::string text, std::string advice) {
  throw Refused{{static_cast<std::uint32_t>(mark.line + 1),
                 static_cast<std::uint32_t>(mark.column + 1), std::move(text), std::move(advice)}};
}

class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}
  void OnDocumentStart(const YAML::Mark& mark) override {
    count(mark);
    if (seen_document_) {
      refuse(mark, "a second YAML document", "keep one document: remove the line ---");
    }
    seen_document_ = true;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    no_anchor(mark, anchor);
    add(mark, YamlNode{});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, "an alias (*name)", "write the value out where it is wanted");
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse(mark, "an anchor (&" + name + ")", "write the value out where it is wanted");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    no_anchor(mark, anchor);
    no_tag(mark, tag);
    // The library calls what stands in quotes `!` as well.
    const auto at = static_cast<std::size_t>(std::max(0, mark.pos));
    if (tag == "!" && at < text_.size() && text_[at] == '!') {
      refuse_bare_tag(mark);
    }
    YamlNode node;
    node.kind = YamlNode::Kind::Text;
    node.quoted = tag == "!";
    node.text = value;
    add(mark, std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::List);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::Map);
  }
  void OnMapEnd() override { close(); }

  YamlNode take() { return std::move(root_); }

 private:
  struct Open {
    YamlNode node;
    std::set<std::string> keys;
    bool wants_value = false;  // Map: its key stands already
  };

  void count(const YAML::Mark& mark) {
    if (++events_ > kYamlEvents) {
      refuse(mark, "more than " + std::to_string(kYamlEvents) + " YAML values", "make it smaller");
    }
  }
  static void no_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      refuse(mark, "an anchor (&name)", "write the value out where it is wanted");
    }
  }
  [[noreturn]] static void refuse_bare_tag(const YAML::Mark& mark) {
    refuse(mark, "a tag (!)", "remove it: values are text, lists and maps");
  }
  static void no_tag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(mark, "a tag (" + tag + ")", "remove it: values are text, lists and maps");
    }
  }
  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    count(mark);
    no_anchor(mark, anchor);
    if (tag == "!") {
      refuse_bare_tag(mark);  // no list or map is in quotes
    }
    no_tag(mark, tag);
    if (stack_.size() >= kYamlDepth) {
      refuse(mark, "more than " + std::to_string(kYamlDepth) + " levels of YAML",
             "nest less deeply");
    }
    if (!stack_.empty() && stack_.back().node.is(YamlNode::Kind::Map) &&
        !stack_.back().wants_value) {
      refuse(mark, "a key that is a list or a map", "use text as key");
    }
    Open opened;
    opened.node.kind = kind;
    opened.node.line = static_cast<std::uint32_t>(mark.line + 1);
    opened.node.column = static_cast<std::uint32_t>(mark.column + 1);
    stack_.push_back(std::move(opened));
  }
  void close() {
    YamlNode node = std::move(stack_.back().node);
    stack_.pop_back();
    place(std::move(node));
  }
  void add(const YAML::Mark& mark, YamlNode node) {
    count(mark);
    node.line = static_cast<std::uint32_t>(mark.line + 1);
    node.column = static_cast<std::uint32_t>(mark.column + 1);
    if (!stack_.empty() && stack_.back().node.is(YamlNode::Kind::Map) &&
        !stack_.back().wants_value) {
      add_key(mark, node);
      return;
    }
    place(std::move(node));
  }
  void add_key(const YAML::Mark& mark, YamlNode& node) {
    Open& map = stack_.back();
    if (!node.is(YamlNode::Kind::Text)) {
      refuse(mark, "a key without text", "name the key");
    }
    if (node.text == "<<" && !node.quoted) {
      refuse(mark, "a merge key (<<)", "write the keys out where they are wanted");
    }
    if (!map.keys.insert(node.text).second) {
      refuse(mark, "the key \"" + node.text + "\" stands twice", "remove one of the two");
    }
    map.node.keys.push_back(std::move(node.text));
    map.wants_value = true;
  }
  void place(YamlNode node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    stack_.back().node.items.push_back(std::move(node));
    stack_.back().wants_value = false;
  }

  const std::string_view text_;
  YamlNode root_;
  std::vector<Open> stack_;
  std::size_t events_ = 0;
  bool seen_document_ = false;
};

// LF alone ends a line, and what can't be text is refused before the library sees it (it would take
// NUL bytes for UTF-16).
std::optional<YamlProblem> tidy(std::string_view text, std::string& out) {
  if (text.size() > kYamlBytes) {
    return YamlProblem{1, 1, "more than " + std::to_string(kYamlBytes) + " bytes of YAML",
                       "make it smaller"};
  }
  out = to_valid_utf8(text);
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::size_t to = 0;
  for (std::size_t from = 0; from < out.size(); ++from, ++column) {
    char c = out[from];
    if (c == '\r') {
      if (from + 1 < out.size() && out[from + 1] == '\n') {
        continue;
      }
      c = '\n';
    }
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') {
      return YamlProblem{line, column, "a control character in YAML", "remove it"};
    }
    out[to++] = c;
    if (c == '\n') {
      ++line;
      column = 0;
    }
  }
  out.resize(to);
  return std::nullopt;
}

YamlProblem from_library(const YAML::Exception& failed) {
  const YAML::Mark mark = failed.mark;
  const bool placed = !mark.is_null() && mark.line >= 0;
  YamlProblem out;
  out.line = placed ? static_cast<std::uint32_t>(mark.line + 1) : 1;
  out.column = placed ? static_cast<std::uint32_t>(mark.column + 1) : 1;
  // The library looks an alias up before it tells of it.
  const bool alias = failed.msg.find("referenced anchor") != std::string::npos;
  out.text = alias ? "an alias (*name)" : "broken YAML: " + failed.msg;
  out.advice = alias ? "write the value out where it is wanted"
                     : "check indentation, quotes and brackets here and on the line above";
  return out;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

void write_json(const YamlNode& node, JsonWriter& json, std::string& out) {
  // The writer has no fractions: a number is copied as it stands, it was checked to be one.
  switch (node.kind) {
    case YamlNode::Kind::Null:
      out += "null";
      return;
    case YamlNode::Kind::Text:
      if (node.is_true() || node.is_false()) {
        out += node.is_true() ? "true" : "false";
      } else if (node.is_number()) {
        out += node.text;
      } else {
        out += json.text(node.text).take();
      }
      return;
    case YamlNode::Kind::List:
    case YamlNode::Kind::Map:
      break;
  }
  const bool map = node.is(YamlNode::Kind::Map);
  out += map ? '{' : '[';
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i != 0) {
      out += ',';
    }
    if (map) {
      out += json.text(node.keys[i]).take();
      out += ':';
    }
    write_json(node.items[i], json, out);  // at most kYamlDepth deep
  }
  out += map ? '}' : ']';
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) {
      return &items[i];
    }
  }
  return nullptr;
}

bool YamlNode::is_true() const {
  return kind == Kind::Text && !quoted && is_one_of(text, {"true", "True", "TRUE"});
}

bool YamlNode::is_false() const {
  return kind == Kind::Text && !quoted && is_one_of(text, {"false", "False", "FALSE"});
}

// JSON's numbers alone: 0x10, 1_000, .5 and 010 stay text.
bool YamlNode::is_number() const {
  if (kind != Kind::Text || quoted) {
    return false;
  }
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t from = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
      ++at;
    }
    return at - from;
  };
  const std::size_t whole_from = at;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[whole_from] == '0')) {
    return false;
  }
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (digits() == 0) {
      return false;
    }
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    at += at < text.size() && (text[at] == '+' || text[at] == '-') ? 1U : 0U;
    if (digits() == 0) {
      return false;
    }
  }
  return at == text.size();
}

Yaml parse_yaml(std::string_view text) {
  Yaml out;
  std::string tidied;
  out.problem = tidy(text, tidied);
  if (out.problem) {
    return out;
  }
  TreeBuilder builder(tidied);
  try {
    std::istringstream stream(tidied);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    out.root = builder.take();
  } catch (const Refused& refused) {
    out.problem = refused.problem;
  } catch (const YAML::Exception& failed) {
    out.problem = from_library(failed);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception&) {
    out.problem = YamlProblem{1, 1, "YAML that can't be read", "write it more simply"};
  }
  return out;
}

std::string to_json(const YamlNode& node) {
  std::string out;
  JsonWriter json;
  write_json(node, json, out);
  return out;
}

}  // namespace rb::rdr
