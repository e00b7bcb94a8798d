// The blocks of an MDX runbook: one registry entry for each component that has an id.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "daemon/reader/forms.h"
#include "daemon/reader/naming.h"
#include "daemon/reader/prop.h"
#include "daemon/reader/reading.h"
#include "daemon/reader/script.h"
#include "daemon/reader/tree/vet.h"
#include "protocol/limits.h"

namespace rb::rdr {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

bool is_element(const Node& node) {
  return node.kind == Kind::MdxJsxFlowElement || node.kind == Kind::MdxJsxTextElement;
}

bool has_script(std::string_view type) {
  return type == "command" || type == "check" || type == "finish";
}

// A path that a file system could hold, so that the loader may be asked for it.
bool is_path(const std::string& path) {
  constexpr std::size_t kPartBytes = 255;
  std::size_t part = 0;
  for (const char c : path) {
    part = c == '/' ? 0 : part + 1;
    if (part > kPartBytes) {
      return false;
    }
  }
  return path.size() <= kTextBytes && is_utf8(path) && path.find('\0') == std::string::npos;
}

std::string why_not_yet(std::string_view name) {
  if (name == "Inputs") {
    return "a form: its values are given with --input to the blocks that use it";
  }
  return "<" + std::string(name) + "> doesn't run yet";
}

class BlockReader {
 public:
  explicit BlockReader(Reading& reading) : reading_(reading), forms_(reading) {}

  void read() {
    const std::vector<Node>& nodes = reading_.tree.nodes;
    for (NodeId id = 0; id < nodes.size(); ++id) {
      if (!is_element(nodes[id])) {
        continue;
      }
      const std::string_view name = reading_.tree.element(nodes[id]).name;
      if (is_known_block(name) && name != "Admonition" && name != "Iframe") {
        read_block(id, nodes[id], name);
      }
    }
    for (auto& [index, node] : unsettled_) {
      settle(reading_.blocks[index], node);
    }
  }

 private:
  void fail(const Node& node, const std::string& block, std::string code, std::string text,
            std::string advice) {
    Finding finding = reading_.at(node, Severity::Error, std::move(code));
    finding.block = block;
    finding.text = std::move(text);
    finding.advice = std::move(advice);
    reading_.findings.push_back(std::move(finding));
  }

  // The id, or nullopt where there is none to be used. What holds an id holds it for good.
  std::optional<std::string> take_id(const Node& node, std::string_view name) {
    const Prop id = prop_of(reading_.tree, node, "id");
    const std::string shown = "<" + std::string(name) + ">";
    if (id.state == PropState::NotText) {
      fail(node, "", "bad-value", shown + " has an id that isn't text", "write id=\"a-name\"");
      return std::nullopt;
    }
    if (id.text.empty()) {
      fail(node, "", "missing-id", shown + " needs an id",
           "add id=\"a-name\", once in the runbook");
      return std::nullopt;
    }
    if (!is_name(id.text)) {
      fail(node, "", "bad-value", shown + " has an id that can't be typed",
           "use at most 256 printable characters");
      return std::nullopt;
    }
    std::string key(id.text);
    std::replace(key.begin(), key.end(), '-', '_');
    const auto [first, fresh] = ids_.emplace(key, node.span.start.line);
    if (!fresh) {
      fail(node, std::string(id.text), "duplicate-id",
           "the id \"" + std::string(id.text) + "\" is taken by the block of line " +
               std::to_string(first->second),
           "choose another one; - and _ count as the same");
      return std::nullopt;
    }
    return std::string(id.text);
  }

  void read_block(NodeId id, const Node& node, std::string_view name) {
    std::optional<std::string> block_id = take_id(node, name);
    if (name == "Inputs") {
      forms_.add(id, block_id.value_or(""));
    }
    if (!block_id) {
      return;
    }
    Block block;
    block.id = std::move(*block_id);
    block.type = lower(name);
    block.line = node.span.start.line;
    block.title = for_people(prop_of(reading_.tree, node, "title").text, 300);
    if (has_script(block.type)) {
      read_script(node, name, block);
    } else {
      block.why_not = why_not_yet(name);
    }
    const auto index = static_cast<std::uint32_t>(reading_.blocks.size());
    if (!block.kind.empty()) {
      unsettled_.emplace_back(index, id);
    }
    reading_.block_of_node[id] = index;
    reading_.blocks.push_back(std::move(block));
  }

  void read_script(const Node& node, std::string_view name, Block& block) {
    const Prop command = prop_of(reading_.tree, node, "command");
    const Prop path = prop_of(reading_.tree, node, "path");
    const bool both = command.state == PropState::Text && !command.text.empty() &&
                      path.state != PropState::Absent;
    const auto refuse = [&](std::string code, std::string text, std::string advice) {
      block.why_not = text;
      fail(node, block.id, std::move(code), std::move(text), std::move(advice));
    };
    if (command.state == PropState::NotText ||
        (path.state == PropState::NotText && command.text.empty())) {
      const std::string which = command.state == PropState::NotText ? "command" : "path";
      refuse("bad-value", which + " isn't text", "write " + which + "=\"...\"");
      return;
    }
    if (both) {
      Finding finding = reading_.at(node, Severity::Warning, "command-and-path");
      finding.block = block.id;
      finding.text = "both command and path are given: command is what runs";
      finding.advice = "remove one of the two";
      reading_.findings.push_back(std::move(finding));
    }
    if (!command.text.empty()) {
      block.script = script_text(reading_.tree, node, command);
      if (block.script.size() > limits::kScriptBytes) {
        refuse("too-large",
               "command is longer than " + std::to_string(limits::kScriptBytes) + " bytes",
               "put it into a file and shorten it");
        block.script.clear();
        return;
      }
      block.kind = "inline";
    } else if (!path.text.empty()) {
      read_file(path.text, block, refuse);
    } else if (name == "Finish") {
      block.why_not = why_not_yet(name);
    } else {
      refuse("no-script", "neither command nor path says what to run",
             "add command=\"...\" or path=\"scripts/...\"");
    }
  }

  template <typename Refuse>
  void read_file(std::string_view written, Block& block, Refuse&& refuse) {
    if (reading_.folder == nullptr) {
      block.why_not = "its folder isn't known here";
      return;
    }
    const Resolved found = reading_.folder->resolve(written);
    const std::string shown = for_people(written, 200);
    switch (found.state) {
      case PathState::File:
        break;
      case PathState::Missing:
        if (!reading_.folder->bound() && is_path(found.path) &&
            reading_.folder->find(found.path) == nullptr) {
          block.path = found.path;  // the loader is asked for it by this name
          block.why_not =
              "the folder isn't sealed whole (too large, or home), and " + shown + " isn't loaded";
          return;
        }
        refuse("missing-file", "there is no file " + shown, "the path is relative to the runbook");
        return;
      case PathState::NotAFile:
        refuse("not-a-file", shown + " isn't a regular file", "name the script itself");
        return;
      case PathState::Escapes:
        refuse("path-escape", shown + " leads out of the runbook's folder",
               "keep scripts beneath the folder, and links relative");
        return;
      case PathState::TooLarge:
        refuse("too-large", shown + " is too large", "shorten it");
        return;
      case PathState::Unreadable:
        refuse("unreadable", shown + " can't be read", "check its permissions");
        return;
    }
    Result<std::string> bytes = reading_.folder->bytes(*found.entry, limits::kScriptBytes);
    if (!bytes) {
      refuse("too-large", shown + ": " + bytes.failure().text(), "shorten it");
      return;
    }
    block.kind = "file";
    block.path = found.path;
    block.script = std::move(*bytes);
  }

  // What needs the whole document: forms may stand below the block that names them.
  void settle(Block& block, NodeId id) {
    const Node& node = reading_.tree.nodes[id];
    const Prop command = prop_of(reading_.tree, node, "command");
    read_options(node, block);
    const std::vector<const Form*> forms = forms_.of(id, block);
    const ScriptPlace place{block.kind == "file" ? block.path : "",
                            block.kind == "file" ? 1 : command.line};
    prepare_script(block, forms, place);
    if (block.type == "finish") {
      block.runnable = false;
      block.why_not = why_not_yet("Finish");
    }
  }

  void read_options(const Node& node, Block& block) {
    block.use_pty = prop_of(reading_.tree, node, "usePty").is_true;
    const Prop timeout = prop_of(reading_.tree, node, "timeoutMs");
    if (timeout.state == PropState::Absent) {
      return;
    }
    std::uint64_t number = 0;
    const char* end = timeout.number.data() + timeout.number.size();
    const auto [at, failed] = std::from_chars(timeout.number.data(), end, number);
    if (timeout.number.empty() || failed != std::errc() || at != end || number == 0) {
      Finding finding = reading_.at(node, Severity::Warning, "bad-timeout");
      finding.block = block.id;
      finding.text = "timeoutMs isn't a positive whole number, so the default holds";
      finding.advice = "write timeoutMs={60000} for a minute";
      reading_.findings.push_back(std::move(finding));
      return;
    }
    block.timeout_ms = number;
  }

  Reading& reading_;
  Forms forms_;
  std::map<std::string, std::uint32_t> ids_;
  std::vector<std::pair<std::uint32_t, NodeId>> unsettled_;
};

}  // namespace

void read_blocks(Reading& reading) {
  BlockReader(reading).read();
}

}  // namespace rb::rdr
