#include "client/ctl/draw_document.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "client/ctl/document_tree.h"
#include "client/ctl/draw_block.h"
#include "client/ctl/draw_inline.h"
#include "client/ctl/draw_table.h"
#include "client/ctl/page.h"
#include "client/lib/escape.h"
#include "client/lib/text.h"
#include "common/io.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::ctl {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

// Goes through the preorder list once; depth is that of the call stack, bounded by kDeepest.
class Drawer {
 public:
  Drawer(DocumentNodes nodes, const client::RunbookInfo& info, const Drawing& drawing)
      : tree_(nodes),
        info_(info),
        instructions_(drawing.manner == Manner::Instructions),
        page_(drawing.width, drawing.colours),
        words_(tree_, drawing.colours) {}

  std::string text() {
    if (tree_.size() > 0) {
      children(0, 0);
    }
    return page_.take();
  }

 private:
  // Those that stand in a line make one paragraph until one comes that doesn't.
  void children(unsigned index, int depth) {
    if (depth > kDeepest) {
      page_.line("… nested too deep to be drawn");
      return;
    }
    Flow flow;
    tree_.for_children(index, [&](unsigned child) {
      if (stands_in_a_line(role_of(tree_[child]))) {
        words_.add(child, kPlain, flow, depth + 1);
        return;
      }
      flush(flow, depth);
      standing(child, depth + 1);
    });
    flush(flow, depth);
  }

  // Blocks that were written within a line follow it.
  void flush(Flow& flow, int depth) {
    page_.flow(flow);
    flow = Flow();
    for (const unsigned block : words_.take_blocks()) {
      registry_block(block, depth);
    }
  }

  // NOLINTNEXTLINE(readability-function-size): one line a role
  void standing(unsigned index, int depth) {
    const Node node = tree_[index];
    if (node.getBlock().size() > 0) {
      registry_block(index, depth);
      return;
    }
    switch (role_of(node)) {
      case Role::Heading:
        heading(index, depth);
        return;
      case Role::Paragraph:
        page_.blank();
        paragraph(index, kPlain, "", depth);
        return;
      case Role::Summary:
        paragraph(index, kBold, "▸ ", depth);
        return;
      case Role::Term:
        paragraph(index, kBold, "", depth);
        return;
      case Role::List:
        list(index, depth);
        return;
      case Role::Item:
        item(index, "  ", depth);
        return;
      case Role::Quote:
        framed(index, "│ ", kDim, depth);
        return;
      case Role::Pre:
        code(index);
        return;
      case Role::Table:
        table(index, depth);
        return;
      case Role::Rule:
        rule();
        return;
      case Role::Html:
        html(node);
        return;
      case Role::Footnote:
        footnote(index, depth);
        return;
      case Role::Block:
        element_block(index, depth);
        return;
      case Role::Text:
      case Role::Faced:
      case Role::Code:
      case Role::Break:
      case Role::Link:
      case Role::Image:
      case Role::FootnoteMark:
      case Role::Container:
      case Role::Row:
      case Role::Cell:
        children(index, depth);
    }
  }

  void rule() {
    page_.blank();
    page_.line(painted(repeated("─", page_.room()), kDim, page_.colours()));
    page_.blank();
  }

  void paragraph(unsigned index, unsigned faces, const char* before, int depth) {
    Flow flow;
    flow.add(before, faces);
    words_.add_children(index, faces, flow, depth);
    flush(flow, depth);
  }

  void heading(unsigned index, int depth) {
    const unsigned level = heading_depth(tree_[index]);
    Flow flow;
    flow.add(level > 2 ? std::string(level, '#') + " " : "", kBold);
    words_.add_children(index, kBold, flow, depth);
    page_.blank();
    std::size_t widest = 0;
    for (const std::string& line : flow.lines(page_.room(), false)) {
      widest = std::max(widest, client::columns(line));
    }
    page_.flow(flow);
    if (level <= 2) {
      page_.line(painted(repeated(level == 1 ? "━" : "─", widest), kDim, page_.colours()));
    }
    flow = Flow();
    flush(flow, depth);
    page_.blank();
  }

  void list(unsigned index, int depth) {
    const Node node = tree_[index];
    const bool element = wire::text(node.getKind()) == "element";
    const bool ordered = element ? wire::text(node.getText()) == "ol" : node.getFlag();
    std::uint64_t number = element ? 1 : node.getNumber();
    std::uint64_t count = 0;
    tree_.for_children(index, [&](unsigned) { ++count; });
    const std::size_t digits = std::to_string(number + count).size();
    constexpr const char* kBullets[] = {"•", "◦", "▪"};
    const char* bullet = kBullets[static_cast<std::size_t>(lists_) % 3];
    if (lists_++ == 0) {
      page_.blank();
    }
    tree_.for_children(index, [&](unsigned child) {
      std::string mark = bullet;
      if (ordered) {
        mark = std::to_string(number++) + ".";
        mark = std::string(digits + 1 - std::min(digits + 1, mark.size()), ' ') + mark;
      }
      item(child, mark + " ", depth);
    });
    if (--lists_ == 0) {
      page_.blank();
    }
  }

  void item(unsigned index, const std::string& mark, int depth) {
    const Node node = tree_[index];
    const bool task = wire::text(node.getKind()) == "listItem" && node.getNumber() == 1;
    const std::string first = mark + (task ? node.getFlag() ? "[x] " : "[ ] " : "");
    page_.push(first, std::string(client::columns(first), ' '));
    if (tree_.end_of(index) == index + 1) {
      page_.line("");
    }
    children(index, depth + 1);
    page_.pop();
    std::size_t parts = 0;
    tree_.for_children(index, [&](unsigned child) {
      const Role role = role_of(tree_[child]);
      parts += role == Role::List || stands_in_a_line(role) ? 0 : 1;
    });
    if (parts > 1) {
      page_.blank();
    }
  }

  void framed(unsigned index, const char* margin, unsigned faces, int depth) {
    page_.blank();
    page_.push(margin, margin, faces);
    children(index, depth + 1);
    page_.pop();
    page_.blank();
  }

  void footnote(unsigned index, int depth) {
    const std::string mark = "[^" + client::label(wire::text(tree_[index].getText())) + "] ";
    page_.blank();
    page_.push(mark, std::string(client::columns(mark), ' '), kDim);
    children(index, depth + 1);
    page_.pop();
  }

  void code(unsigned index) {
    const std::string text = tree_.text_of(index);
    page_.blank();
    if (instructions_) {
      const std::string info = attribute_of(tree_[index], "info");
      draw_fenced(page_, text, info.substr(0, info.find_first_of(" \t{")));
    } else {
      page_.push("    ", "    ");
      lines(text, kLiteral);
      page_.pop();
    }
    page_.blank();
  }

  void html(const Node& node) {
    page_.blank();
    lines(wire::text(node.getText()), kDim);
    page_.blank();
  }

  void lines(std::string_view text, unsigned faces) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      page_.line(painted(client::plain(text.substr(0, end)), faces, page_.colours()));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void rows_below(unsigned index, int depth, std::vector<DrawnRow>& rows,
                  std::vector<Align>& aligns) {
    tree_.for_children(index, [&](unsigned child) {
      const Role role = role_of(tree_[child]);
      if (role == Role::Row) {
        rows.push_back(row(child, depth, aligns));
      } else if (role == Role::Container && depth < kDeepest) {
        rows_below(child, depth + 1, rows, aligns);
      } else if (role != Role::Text) {
        standing(child, depth + 1);  // a caption
      }
    });
  }

  DrawnRow row(unsigned index, int depth, std::vector<Align>& aligns) {
    const Node node = tree_[index];
    const bool element = wire::text(node.getKind()) == "element";
    DrawnRow out;
    out.heading = !element && node.getFlag();
    tree_.for_children(index, [&](unsigned child) {
      const Node cell = tree_[child];
      if (role_of(cell) != Role::Cell) {
        return;
      }
      const bool title = out.heading || (element && wire::text(cell.getText()) == "th");
      out.heading = out.heading || title;
      if (!element && aligns.size() <= out.cells.size()) {
        aligns.push_back(static_cast<Align>(std::min(cell.getNumber(), 3U)));
      }
      out.cells.emplace_back();
      words_.add_children(child, title ? kBold : kPlain, out.cells.back(), depth);
    });
    return out;
  }

  void table(unsigned index, int depth) {
    std::vector<DrawnRow> rows;
    std::vector<Align> aligns;
    page_.blank();
    rows_below(index, depth, rows, aligns);
    draw_table(page_, rows, aligns);
    Flow none;
    flush(none, depth);
    page_.blank();
  }

  [[nodiscard]] const client::BlockInfo* known(const std::string& id) const {
    const auto found = std::find_if(info_.blocks.begin(), info_.blocks.end(),
                                    [&](const client::BlockInfo& block) { return block.id == id; });
    return found == info_.blocks.end() ? nullptr : &*found;
  }

  // A Markdown fence that nobody marked to be run.
  static bool is_shown_only(const client::BlockInfo& block) {
    return !block.runnable && (block.kind == "display" || block.kind == "expect");
  }

  void registry_block(unsigned index, int depth) {
    const Node node = tree_[index];
    const client::BlockInfo* block = known(wire::text(node.getBlock()));
    if (block == nullptr || is_shown_only(*block)) {
      block == nullptr ? element_block(index, depth) : code(index);
      return;
    }
    const std::string description = attribute_of(node, "description");
    if (instructions_) {
      draw_instructions(page_, *block, description);
    } else {
      draw_card(page_, *block, info_, description);
    }
    if (role_of(node) == Role::Block && tree_.end_of(index) > index + 1) {
      page_.push("  ", "  ");
      children(index, depth + 1);
      page_.pop();
      page_.blank();
    }
  }

  // A block that isn't in the registry: it shows something and never runs.
  void element_block(unsigned index, int depth) {
    const Node node = tree_[index];
    const std::string name = wire::text(node.getText());
    const bool note = name == "Admonition";
    const std::string type = note ? attribute_of(node, "type") : "";
    std::string title = note ? type.empty() ? "note" : type : name;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    const bool grave = type == "danger" || type == "error";
    const unsigned face = grave               ? kBad
                          : type == "warning" ? kWarn
                          : type == "success" ? kGood
                                              : kDim;
    page_.blank();
    page_.push("┃ ", "┃ ", face);
    Flow flow;
    flow.add(client::label(title), kBold);
    for (const char* shown : {"title", "src"}) {
      const std::string text = attribute_of(node, shown);
      flow.add(text.empty() ? "" : ": " + client::plain(text), kBold);
    }
    page_.flow(flow);
    flow = Flow();
    flow.add(client::plain(attribute_of(node, "description")), kPlain);
    page_.flow(flow);
    page_.tight();
    children(index, depth + 1);
    page_.pop();
    page_.blank();
  }

  DocumentTree tree_;
  const client::RunbookInfo& info_;
  bool instructions_;
  Page page_;
  InlineDrawer words_;
  int lists_ = 0;  // that the present place lies in
};

}  // namespace

std::string draw_nodes(rb::document::Document::Reader from, const client::RunbookInfo& info,
                       const Drawing& drawing) {
  return Drawer(from.getNodes(), info, drawing).text();
}

Result<std::string> draw_document(int document, const client::RunbookInfo& info,
                                  const Drawing& drawing) {
  const Result<Bytes> bytes = read_sealed(document, limits::kSpilledBytes * 4);
  if (!bytes) {
    return within("the document", bytes.failure());
  }
  std::string out;
  const Status read = wire::read<rb::document::Document>(
      *bytes, limits::kClientNesting, [&](rb::document::Document::Reader from) -> Status {
        out = draw_nodes(from, info, drawing);
        return done();
      });
  if (!read) {
    return read.failure();
  }
  return out;
}

}  // namespace rb::ctl
