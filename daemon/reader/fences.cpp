// The blocks of a Markdown runbook.
#include <algorithm>
#include <array>
#include <optional>

#include "daemon/reader/info_string.h"
#include "daemon/reader/naming.h"
#include "daemon/reader/near_miss.h"
#include "daemon/reader/reading.h"
#include "daemon/reader/template.h"
#include "protocol/limits.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kMostFlags = 64;  // of one fence, that are told

constexpr std::array<std::string_view, 5> kFlags = {"run", "destructive", "background", "terminal",
                                                    "expect"};

bool is_known_flag(std::string_view flag) {
  return std::find(kFlags.begin(), kFlags.end(), flag) != kFlags.end();
}

bool is_executed(std::string_view kind) {
  return kind == "run" || kind == "destructive" || kind == "background";
}

struct Asked {
  std::string kind = "display";
  bool conflict = false;
  std::string unknown;  // flags nobody knows, with commas
};

// Destructive wins over everything; otherwise the first known flag counts.
Asked what_is_asked(const InfoString& info) {
  Asked out;
  for (const std::string& flag : info.flags) {
    if (!is_known_flag(flag)) {
      out.unknown += (out.unknown.empty() ? "" : ", ") + flag;
      continue;
    }
    if (out.kind == "display") {
      out.kind = flag;
      continue;
    }
    const bool with_run = (out.kind == "run" && flag == "destructive") ||
                          (out.kind == "destructive" && flag == "run");
    out.conflict = out.conflict || (flag != out.kind && !with_run);
    if (flag == "destructive") {
      out.kind = flag;
    }
  }
  return out;
}

// The document's slug: "runbook" for runbook.md, else the file's name without its ending.
std::string slug_of(std::string_view file_name) {
  std::string_view stem = file_name.substr(file_name.rfind('/') + 1);
  stem = stem.substr(0, stem.rfind('.'));
  std::string out;
  for (const char c : stem) {
    const bool plain = static_cast<unsigned char>(c) > 0x20 && c != 0x7f;
    out += plain ? c : '-';
  }
  if (out.empty() || out.size() > kNameBytes - 16 || !is_utf8(out)) {
    return "runbook";
  }
  return out;
}

std::string code_of(const Node& node, const Code& code) {
  std::string out(node.value);
  if (code.body_lines != 0) {
    out += '\n';
  }
  return out;
}

bool mentions_variable(std::string_view script, std::string_view name) {
  const auto ends = [&](std::size_t at) {
    if (at >= script.size()) {
      return true;
    }
    const char c = script[at];
    return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_');
  };
  for (std::size_t at = script.find(name); at != std::string_view::npos;
       at = script.find(name, at + 1)) {
    const bool bare = at >= 1 && script[at - 1] == '$';
    const bool braced = at >= 2 && script[at - 1] == '{' && script[at - 2] == '$';
    if ((bare || braced) && ends(at + name.size())) {
      return true;
    }
  }
  return false;
}

class FenceReader {
 public:
  explicit FenceReader(Reading& reading) : reading_(reading), slug_(slug_of(reading.file_name)) {}

  void read() {
    for (NodeId id = 0; id < reading_.tree.nodes.size(); ++id) {
      const Node& node = reading_.tree.nodes[id];
      if (node.kind == Kind::Code) {
        read_code(id, node, reading_.tree.code(node));
      } else if (node.kind == Kind::Html) {
        warn_hidden(node);
      }
    }
  }

 private:
  void warn(const Node& node, std::string code, std::string text, std::string advice) {
    Finding finding = reading_.at(node, Severity::Warning, std::move(code));
    finding.text = std::move(text);
    finding.advice = std::move(advice);
    reading_.findings.push_back(std::move(finding));
  }

  void warn_hidden(const Node& node) {
    for (const NearMiss& miss : fences_in_html(node.value)) {
      Finding finding = reading_.at(node, Severity::Warning,
                                    miss.in_comment ? "commented-out-fence" : "hidden-fence");
      finding.line += miss.line;
      finding.column = miss.line == 0 ? finding.column : 1;
      finding.text = miss.in_comment
                         ? "a fence that asks to run stands inside an HTML comment: it is no block"
                         : "a fence that asks to run stands inside HTML: it is no block";
      finding.advice = miss.in_comment ? "remove the comment, or the flag"
                                       : "leave an empty line between the HTML and the fence";
      reading_.findings.push_back(std::move(finding));
    }
  }
  void warn_indented(const Node& node) {
    for (const std::uint32_t line : fences_in_indented(node.value)) {
      Finding finding = reading_.at(node, Severity::Warning, "indented-fence");
      finding.line += line;
      finding.text = "a fence that asks to run is indented so far that it is plain text";
      finding.advice = "indent it by at most three columns beyond its list item";
      reading_.findings.push_back(std::move(finding));
    }
  }

  void read_code(NodeId id, const Node& node, const Code& code) {
    if (!code.fenced) {
      warn_indented(node);
      return;
    }
    if (!code.closed) {
      warn(node, "unclosed-fence", "the fence is never closed, so it takes all that follows",
           "close it with a line of " + std::string(code.fence_length, code.fence));
    }
    if (code.info.empty()) {
      return;
    }
    const InfoString info = parse_info_string(code.info);
    const Asked asked = what_is_asked(info);
    Block block;
    block.id = slug_ + "-" + std::to_string(++count_);
    block.line = node.span.start.line;
    block.language = is_name(info.language) ? info.language : for_people(info.language, 100);
    for (const std::string& flag : info.flags) {
      if (block.flags.size() < kMostFlags) {
        block.flags.push_back(is_name(flag) ? flag : for_people(flag, 100));
      }
    }
    block.script = code_of(node, code);
    block.kind = asked.kind;
    warn_of_words(node, asked);
    settle_kind(node, code, info, block);
    block.type = block.kind;
    finish(block);
    reading_.block_of_node[id] = static_cast<std::uint32_t>(reading_.blocks.size());
    reading_.blocks.push_back(std::move(block));
  }

  void warn_of_words(const Node& node, const Asked& asked) {
    if (!asked.unknown.empty()) {
      warn(node, "unknown-flag", "unknown flag: " + for_people(asked.unknown, 100),
           "the flags are run, destructive, background, terminal and expect");
    }
    if (asked.conflict) {
      warn(node, "flag-conflict", "flags that exclude each other: the block is " + asked.kind,
           "keep one of them");
    }
  }

  // Turns what was asked for into what the product may do.
  void settle_kind(const Node& node, const Code& code, const InfoString& info, Block& block) {
    const bool asks = is_executed(block.kind);
    const bool swallowed = asks && swallows_fence(node.value, code.fence, code.fence_length);
    const bool runs = reading_.front.languages.runs(info.language);
    if (swallowed) {
      warn(node, "swallowed-fence",
           "the block holds a line that opens a fence: its own closing fence is probably missing",
           "close it above that line, or open it with a longer fence");
    }
    if (asks && !runs) {
      warn(node, "unrunnable-language",
           "no interpreter for " + for_people(info.language, 100) + ", so it is only shown",
           "runs: " + for_people(reading_.front.languages.names(), 200) +
               "; add others under interpreters: in the front matter");
    }
    if (asks && runs && is_shell(info.language) && block.script.starts_with("$ ")) {
      warn(node, "prompt-style", "the first line begins with a prompt ($ ), which a shell refuses",
           "remove the prompts");
    }
    if (!code.closed) {
      show_only(block, "its fence is never closed");
    } else if (swallowed) {
      show_only(block, "its closing fence is probably missing");
    } else if (asks && !runs) {
      show_only(block, "no interpreter for " + for_people(info.language, 100));
    }
    if (block.kind != "display") {
      const Interpreter interpreter = reading_.front.languages.interpreter_of(info.language);
      block.interpreter = interpreter.words;
      block.interpreter_for = interpreter.from;
    }
  }
  static bool is_shell(std::string_view language) {
    return language == "sh" || language == "bash" || language == "zsh";
  }
  static void show_only(Block& block, std::string why) {
    block.why_not = std::move(why);
    block.kind = "display";
  }

  void finish(Block& block) {
    if (block.kind == "run" && block.script.size() > limits::kScriptBytes) {
      block.why_not = "longer than " + std::to_string(limits::kScriptBytes) + " bytes";
    } else if (block.kind == "run") {
      block.runnable = true;
      block.trace = as_literal(block.script);
    } else if (block.kind == "display" && block.why_not.empty()) {
      block.why_not = "only shown: its fence asks for nothing";
    } else if (block.kind == "destructive") {
      block.why_not = "destructive blocks don't run yet: they will ask for a confirmation first";
    } else if (block.kind == "background") {
      block.why_not = "background blocks don't run yet";
    } else if (block.kind == "terminal") {
      block.why_not = "to be run by hand in a terminal; noting that it was isn't possible yet";
    } else if (block.kind == "expect") {
      block.why_not = last_executed_.empty() ? "expected output of nothing: no block above it runs"
                                             : "the output expected of " + last_executed_;
    }
    if (is_executed(block.kind)) {
      last_executed_ = block.id;
      add_inputs(block);
    }
  }
  void add_inputs(Block& block) {
    for (const InputDeclaration& declared : reading_.front.inputs) {
      block.inputs.push_back(declared);
      block.inputs.back().required =
          !declared.has_default && mentions_variable(block.script, declared.name);
    }
  }

  Reading& reading_;
  std::string slug_;
  std::size_t count_ = 0;
  std::string last_executed_;
};

}  // namespace

void read_fences(Reading& reading) {
  FenceReader(reading).read();
}

}  // namespace rb::rdr
