#include "client/ctl/draw_block.h"

#include <algorithm>

#include "client/ctl/report.h"
#include "client/lib/escape.h"

namespace rb::ctl {
namespace {

using client::BlockInfo;
using client::InputInfo;

constexpr std::size_t kCardLines = 12;

std::string_view without_last_newline(std::string_view text) {
  return !text.empty() && text.back() == '\n' ? text.substr(0, text.size() - 1) : text;
}

// A Markdown fence's language says more than that it runs.
std::string short_type(const BlockInfo& block) {
  return client::label(block.type == "run" && !block.language.empty() ? block.language
                                                                      : block.type);
}

unsigned face_of_state(const std::string& state) {
  return state == "passed" ? kGood : state == "failed" ? kBad : state.empty() ? kPlain : kWarn;
}

void head_line(Page& page, const BlockInfo& block) {
  std::string line = (block.runnable ? "● " : "○ ") +
                     painted(client::label(block.id), kBold, page.colours()) + "  " +
                     short_type(block);
  if (block.runnable) {
    line += "  " + painted(client::label(block.profile), kDim, page.colours());
  }
  if (!block.state.empty()) {
    const std::string state = client::label(block.state);
    line += "  " + painted(state, face_of_state(block.state), page.colours());
  }
  page.line(line);
}

void described(Page& page, const BlockInfo& block, const std::string& description) {
  for (const auto& [text, face] : {std::pair<std::string, unsigned>{block.title, kBold},
                                   std::pair<std::string, unsigned>{description, kPlain}}) {
    Flow flow;
    flow.add(client::plain(text), face);
    page.flow(flow);
  }
}

void input_lines(Page& page, const BlockInfo& block) {
  for (const InputInfo& input : block.inputs) {
    Flow flow;
    flow.add("input", kDim);
    flow.add(" " + client::label(input.name), kLiteral);
    flow.add(" " + client::label(input.type), kPlain);
    if (input.sensitive) {
      flow.add(" secret", kPlain);
    }
    if (input.has_default && !input.sensitive) {
      flow.add(" default " + client::label(as_text(input.default_value)), kPlain);
    } else if (input.required) {
      flow.add(" required", kPlain);
    }
    if (!input.options.empty()) {
      std::string all;
      for (const std::string& option : input.options) {
        all += (all.empty() ? " one of " : ", ") + client::label(option);
      }
      flow.add(all, kPlain);
    }
    flow.add("  " + client::plain(input.description), kDim);
    page.flow(flow);
  }
}

void not_runnable(Page& page, const BlockInfo& block) {
  if (!block.runnable && !block.why_not.empty()) {
    Flow flow;
    flow.add("not runnable: " + client::label(block.why_not), kWarn);
    page.flow(flow);
  }
}

// What a person does with it who has no runbookd.
std::string to_do(const BlockInfo& block) {
  if (block.type == "inputs") {
    return "Fill in";
  }
  if (block.type == "check") {
    return "Check";
  }
  return block.script.empty() ? "By hand" : "Run";
}

// Lines behind a bar, at most `most`; returns how many are left out.
std::size_t draw_barred(Page& page, std::string_view text, std::size_t most) {
  text = without_last_newline(text);
  std::size_t drawn = 0;
  std::size_t left = 0;
  page.push("│ ", "│ ", kDim);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (drawn < most) {
      page.line(client::plain(text.substr(0, end)));
      ++drawn;
    } else {
      ++left;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  page.pop();
  return left;
}

}  // namespace

void draw_fenced(Page& page, const std::string& text, const std::string& language) {
  std::size_t longest = 2;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && text[end] == '`') {
      ++end;
    }
    longest = std::max(longest, end - at);
    at = std::max(end, at + 1);
  }
  const std::string fence(longest + 1, '`');
  page.bare(fence + client::label(language));
  page.bare(client::plain(without_last_newline(text)));
  page.bare(fence);
}

void draw_card(Page& page, const BlockInfo& block, const client::RunbookInfo& info,
               const std::string& description) {
  page.blank();
  head_line(page, block);
  page.push("  ", "  ");
  described(page, block, description);
  not_runnable(page, block);
  input_lines(page, block);
  if (!block.path.empty()) {
    page.line(painted(client::label(block.path), kLiteral, page.colours()));
  }
  std::string_view script = as_text(block.script);
  script.remove_prefix(std::min(script.find_first_not_of('\n'), script.size()));
  const std::size_t left = draw_barred(page, script, kCardLines);
  if (left > 0) {
    Flow flow;
    flow.add("… " + std::to_string(left) + (left == 1 ? " more line:" : " more lines:"), kDim);
    flow.add(" runbookctl show " + client::label(info.name) + " " + client::label(block.id), kDim);
    page.flow(flow);
  }
  page.pop();
  page.blank();
}

void draw_instructions(Page& page, const BlockInfo& block, const std::string& description) {
  page.blank();
  Flow head;
  head.add(to_do(block) + ": " + client::label(block.id), kBold);
  if (!block.path.empty()) {
    head.add(" (" + client::label(block.path) + ")", kPlain);
  }
  page.flow(head);
  described(page, block, description);
  input_lines(page, block);
  if (!block.script.empty()) {
    page.blank();
    draw_fenced(page, std::string(as_text(block.script)),
                block.language.empty() ? "bash" : block.language);
  }
  page.blank();
}

}  // namespace rb::ctl
