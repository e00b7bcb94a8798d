#include "client/ctl/document_text.h"

#include "client/lib/escape.h"
#include "common/io.h"
#include "protocol/document.capnp.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::ctl {
namespace {

using Nodes = capnp::List<rb::document::Node>::Reader;

// Goes through the preorder list once; depth is that of the call stack, bounded by kDeepest.
class Printer {
 public:
  Printer(Nodes nodes, const client::RunbookInfo& info) : nodes_(nodes), info_(info) {}

  std::string text() {
    if (nodes_.size() > 0) {
      children(0, 0);
    }
    return std::move(out_);
  }

 private:
  static constexpr int kDeepest = 64;

  // The index after the node and all beneath it, never beyond the list.
  [[nodiscard]] unsigned end_of(unsigned index) const {
    const std::uint64_t end = std::uint64_t{index} + 1 + nodes_[index].getDescendants();
    return static_cast<unsigned>(std::min<std::uint64_t>(end, nodes_.size()));
  }

  void children(unsigned index, int depth) {
    if (depth > kDeepest) {
      return;
    }
    const unsigned end = end_of(index);
    for (unsigned child = index + 1; child < end; child = std::max(child + 1, end_of(child))) {
      node(child, depth + 1);
    }
  }

  void node(unsigned index, int depth) {
    const auto one = nodes_[index];
    const std::string kind = wire::text(one.getKind());
    if (kind == "text" || kind == "inlineCode") {
      const std::string shown = client::plain(wire::text(one.getText()));
      out_ += kind == "text" ? shown : "`" + shown + "`";
    } else if (kind == "break") {
      out_ += "\n";
    } else if (kind == "code") {
      code(client::plain(wire::text(one.getText())));
    } else if (kind == "block") {
      block(wire::text(one.getBlock()));
    } else {
      container(index, kind, depth);
    }
  }

  void container(unsigned index, const std::string& kind, int depth) {
    if (kind == "heading") {
      blank_line();
      out_ += std::string(std::min<std::size_t>(6, nodes_[index].getNumber()), '#') + " ";
    } else if (kind == "paragraph" && !in_item_) {
      blank_line();
    } else if (kind == "listItem") {
      new_line();
      out_ += "- ";
      in_item_ = true;
    }
    children(index, depth);
    if (kind == "heading" || kind == "paragraph" || kind == "tableRow") {
      new_line();
      in_item_ = false;
    } else if (kind == "tableCell") {
      out_ += "  ";
    } else if (kind == "link") {
      out_ += " <" + client::label(wire::text(nodes_[index].getUrl())) + ">";
    }
  }

  void code(const std::string& text) {
    blank_line();
    out_ += "    ";
    for (const char c : text) {
      out_ += c;
      out_ += c == '\n' ? "    " : "";
    }
    new_line();
  }

  void block(const std::string& id) {
    blank_line();
    for (const client::BlockInfo& known : info_.blocks) {
      if (known.id == id) {
        out_ += "● " + client::label(id) + "  " + client::label(known.type) + "  " +
                client::label(known.title);
        new_line();
        code(client::plain(as_text(known.script)));
        return;
      }
    }
    out_ += "● " + client::label(id);
    new_line();
  }

  void new_line() {
    while (!out_.empty() && out_.back() == ' ') {
      out_.pop_back();
    }
    if (!out_.empty() && out_.back() != '\n') {
      out_ += '\n';
    }
  }
  void blank_line() {
    new_line();
    if (!out_.empty()) {
      out_ += '\n';
    }
  }

  Nodes nodes_;
  const client::RunbookInfo& info_;
  std::string out_;
  bool in_item_ = false;
};

}  // namespace

Result<std::string> document_text(int document, const client::RunbookInfo& info) {
  const Result<Bytes> bytes = read_sealed(document, limits::kSpilledBytes * 4);
  if (!bytes) {
    return within("the document", bytes.failure());
  }
  std::string out;
  const Status read = wire::read<rb::document::Document>(
      *bytes, limits::kClientNesting, [&](rb::document::Document::Reader from) -> Status {
        out = Printer(from.getNodes(), info).text();
        return done();
      });
  if (!read) {
    return read.failure();
  }
  return out;
}

}  // namespace rb::ctl
