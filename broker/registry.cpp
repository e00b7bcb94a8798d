#include "broker/registry.h"

#include <algorithm>
#include <map>
#include <set>

#include "protocol/digests.h"
#include "protocol/limits.h"

namespace rb::brk {
namespace {

constexpr std::size_t kPathBytes = 4096;
constexpr std::size_t kNameBytes = 256;
constexpr std::size_t kTextBytes = 4096;
constexpr std::size_t kWords = 64;
constexpr std::size_t kInputs = 1024;
constexpr std::size_t kAllScriptsBytes = 4 << 20;  // whoever is shown the blocks gets them all

Error broken(const char* what) {
  return error(Code::Invalid, std::string("the reader broke its contract: ") + what);
}

// A text for people: UTF-8, bounded, no control character.
bool printable(std::string_view text, std::size_t most) {
  return text.size() <= most && is_utf8(text) && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
         });
}

// A relative path that stays beneath: no empty part, no "." and no "..".
bool beneath(std::string_view path) {
  if (path.empty() || path.size() > kPathBytes || !is_utf8(path) ||
      path.find('\0') != std::string_view::npos) {
    return false;
  }
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == ".." || part.size() > 255) {
      return false;
    }
    at = end + 1;
  }
  return true;
}

std::vector<std::string> texts(capnp::List<capnp::Text>::Reader from) {
  std::vector<std::string> out;
  for (const auto text : from) {
    out.push_back(wire::text(text));
  }
  return out;
}

Result<Piece> check_insertion(reader::Insertion::Reader from) {
  Piece out;
  out.kind = Piece::Kind::Insertion;
  out.offset = from.getRange().getOffset();
  out.length = from.getRange().getLength();
  out.input = wire::text(from.getInput());
  out.not_value = wire::text(from.getNotValue());
  out.why = wire::text(from.getWhy());
  out.place = from.getPlace();
  out.line = from.getLine();
  out.word_start = from.getWordStart();
  const bool known = out.place > reader::Place::UNSET && out.place <= reader::Place::HARMLESS_ONLY;
  if (!known || !printable(out.why, kTextBytes) || !printable(out.input, kNameBytes)) {
    return broken("an insertion");
  }
  if (from.getOutput().size() > 0) {
    return broken("a runnable block that takes another block's output");
  }
  return out;
}

Result<Piece> check_piece(reader::Piece::Reader from) {
  if (from.isInsertion()) {
    return check_insertion(from.getInsertion());
  }
  if (!from.isLiteral() && !from.isDropped()) {
    return broken("an unknown piece");
  }
  const auto range = from.isLiteral() ? from.getLiteral() : from.getDropped();
  Piece out;
  out.kind = from.isLiteral() ? Piece::Kind::Literal : Piece::Kind::Dropped;
  out.offset = range.getOffset();
  out.length = range.getLength();
  return out;
}

// Pieces must cover the script exactly, in order: what isn't covered would run unshown.
Result<std::vector<Piece>> check_trace(capnp::List<reader::Piece>::Reader from, std::size_t size) {
  std::vector<Piece> out;
  std::uint64_t at = 0;
  for (const auto piece : from) {
    Result<Piece> next = check_piece(piece);
    if (!next) {
      return next.failure();
    }
    if (next->offset != at) {
      return broken("a trace with a gap");
    }
    at += next->length;
    out.push_back(std::move(*next));
  }
  if (at != size) {
    return broken("a trace that doesn't cover the script");
  }
  return out;
}

Result<InputSpec> check_input(front::InputInfo::Reader from) {
  InputSpec out;
  out.name = wire::text(from.getName());
  out.type = wire::text(from.getType());
  out.inputs_id = wire::text(from.getInputsId());
  out.description = wire::text(from.getDescription());
  out.options = texts(from.getOptions());
  out.fallback = as_text(ByteView(from.getDefault().begin(), from.getDefault().size()));
  out.required = from.getRequired();
  out.has_fallback = from.getHasDefault();
  out.sensitive = from.getSensitive();
  if (out.name.empty() || !printable(out.name, kNameBytes) || !printable(out.type, kNameBytes) ||
      !printable(out.inputs_id, kNameBytes) || !is_utf8(out.description) ||
      out.fallback.size() > limits::kInputBytes || out.options.size() > 1000) {
    return broken("an input");
  }
  return out;
}

// Script bytes of path blocks are shared: 4,000 blocks may name one file of a mebibyte.
class Scripts {
 public:
  Scripts(const Tree& tree, ByteView content) : tree_(tree), content_(content) {}

  // Its script, and room for it in an answer: shared or not, it is shown with each block.
  Result<std::shared_ptr<const Bytes>> of(reader::Block::Reader block) {
    Result<std::shared_ptr<const Bytes>> script = find(block);
    total_ += script ? (*script)->size() : 0;
    return total_ <= kAllScriptsBytes
               ? script
               : error(Code::TooLarge, "the scripts of all its blocks together are over 4 MiB");
  }

 private:
  Result<std::shared_ptr<const Bytes>> find(reader::Block::Reader block) {
    const std::string path = wire::text(block.getPath());
    if (wire::text(block.getKind()) != "file") {
      if (block.getScript().size() > limits::kScriptBytes) {
        return broken("a script over the limit");
      }
      return std::shared_ptr<const Bytes>(
          std::make_shared<Bytes>(block.getScript().begin(), block.getScript().end()));
    }
    std::shared_ptr<const Bytes>& kept = files_[path];
    if (kept) {
      return kept;
    }
    const TreeEntry* entry = tree_.file(path);
    if (entry == nullptr || entry->length > limits::kScriptBytes) {
      return broken("a script file that isn't there");
    }
    const ByteView bytes = content_.subspan(entry->offset, entry->length);
    kept = std::make_shared<Bytes>(bytes.begin(), bytes.end());
    return kept;
  }

  const Tree& tree_;
  ByteView content_;
  std::map<std::string, std::shared_ptr<const Bytes>> files_;
  std::size_t total_ = 0;
};

// What makes a block runnable: script, trace, inputs, interpreter.
Status check_runnable(reader::Block::Reader from, Scripts& scripts, Executable& out) {
  Result<std::shared_ptr<const Bytes>> script = scripts.of(from);
  if (!script) {
    return script.failure();
  }
  out.script = *script;
  Result<std::vector<Piece>> trace = check_trace(from.getTrace(), out.script->size());
  if (!trace) {
    return trace.failure();
  }
  out.trace = std::move(*trace);
  out.interpreter = texts(from.getInterpreter());
  const auto fine = [](const std::string& word) { return printable(word, kPathBytes); };
  if (out.interpreter.empty() || out.interpreter.front().empty() ||
      out.interpreter.size() > kWords ||
      !std::all_of(out.interpreter.begin(), out.interpreter.end(), fine)) {
    return broken("a block without an interpreter");
  }
  for (const Piece& piece : out.trace) {
    const bool declared =
        piece.kind != Piece::Kind::Insertion ||
        std::any_of(out.inputs.begin(), out.inputs.end(),
                    [&piece](const InputSpec& input) { return input.name == piece.input; });
    if (!declared) {
      return broken("an insertion of an undeclared input");
    }
  }
  out.digest = executable_digest(from, *out.script);
  return done();
}

Result<Executable> check_block(reader::Block::Reader from, Scripts& scripts) {
  Executable out;
  out.id = wire::text(from.getId());
  out.type = wire::text(from.getType());
  out.kind = wire::text(from.getKind());
  out.language = wire::text(from.getLanguage());
  out.title = wire::text(from.getTitle());
  out.path = wire::text(from.getPath());
  out.profile = wire::text(from.getProfile());
  out.why_not = wire::text(from.getWhyNot());
  out.runnable = from.getRunnable();
  out.use_pty = from.getUsePty();
  out.line = from.getLine();
  out.timeout_ms = from.getTimeoutMs();
  for (const std::string* text : {&out.id, &out.type, &out.kind, &out.language, &out.profile}) {
    if (!printable(*text, kNameBytes)) {
      return broken("a block's name");
    }
  }
  if (out.id.empty() || !is_utf8(out.title) || out.title.size() > kTextBytes ||
      !is_utf8(out.why_not) || from.getInputs().size() > kInputs ||
      (!out.path.empty() && !beneath(out.path))) {
    return broken("a block");
  }
  for (const auto input : from.getInputs()) {
    Result<InputSpec> spec = check_input(input);
    if (!spec) {
      return spec.failure();
    }
    out.inputs.push_back(std::move(*spec));
  }
  if (out.runnable) {
    if (Status runnable = check_runnable(from, scripts, out); !runnable) {
      return runnable.failure();
    }
  } else {
    out.script = std::make_shared<Bytes>(from.getScript().begin(), from.getScript().end());
  }
  return out;
}

}  // namespace

const TreeEntry* Tree::file(std::string_view path) const {
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), path,
      [](const TreeEntry& entry, std::string_view wanted) { return entry.path < wanted; });
  return found != entries.end() && found->path == path && !found->folder ? &*found : nullptr;
}

Result<Tree> check_tree(reader::Tree::Reader from, ByteView content) {
  Tree out;
  out.main = wire::text(from.getMain());
  out.bound = from.getBound();
  if (from.getEntries().size() > 2 * limits::kTreeFiles || content.size() > limits::kTreeBytes) {
    return broken("a tree over the limits");
  }
  std::string last;
  std::uint64_t end = 0;
  for (const auto entry : from.getEntries()) {
    const bool file = entry.getKind() == reader::EntryKind::FILE;
    TreeEntry next{wire::text(entry.getPath()), entry.getKind() == reader::EntryKind::FOLDER,
                   file && (entry.getMode() & 0100) != 0, entry.getOffset(), entry.getLength()};
    if (!beneath(next.path) || next.path <= last || next.offset > content.size() ||
        next.length > content.size() - next.offset || (!file && next.length != 0) ||
        (file && next.offset < end) || entry.getKind() == reader::EntryKind::UNSET) {
      return broken("a tree entry");
    }
    last = next.path;
    if (file) {
      end = next.offset + next.length;
    }
    if (file || next.folder) {
      out.entries.push_back(std::move(next));
    }
  }
  if (out.file(out.main) == nullptr) {
    return broken("a tree without its runbook");
  }
  out.digest = tree_digest(out, content);
  return out;
}

Digest tree_digest(const Tree& tree, ByteView content) {
  Hasher hasher;
  hasher.field("runbookd tree").field(std::uint64_t{2});
  hasher.field(std::uint64_t{tree.bound}).field(std::uint64_t{tree.entries.size()});
  for (const TreeEntry& entry : tree.entries) {
    hasher.field(entry.path).field(std::uint64_t{entry.folder});
    hasher.field(std::uint64_t{entry.executable});
    hasher.field(content.subspan(entry.offset, entry.length));
  }
  return hasher.digest();
}

const Executable* Registry::block(std::string_view id) const {
  const auto found = std::find_if(blocks.begin(), blocks.end(),
                                  [id](const Executable& one) { return one.id == id; });
  return found == blocks.end() ? nullptr : &*found;
}

Result<Registry> seal_registry(reader::Outcome::Reader from, const Tree& tree, ByteView content) {
  for (const auto problem : from.getProblems()) {
    if (problem.getSeverity() == front::Severity::REFUSAL) {
      return broken("vetted and refused at once");
    }
  }
  Registry out;
  out.title = wire::text(from.getTitle());
  out.format = wire::text(from.getFormat());
  if (!from.getVetted() || (out.format != "mdx" && out.format != "markdown") ||
      !is_utf8(out.title) || out.title.size() > kTextBytes ||
      from.getBlocks().size() > limits::kExecutables) {
    return broken("its outcome");
  }
  Scripts scripts(tree, content);
  std::set<std::string> ids;
  for (const auto block : from.getBlocks()) {
    Result<Executable> sealed = check_block(block, scripts);
    if (!sealed) {
      return sealed.failure();
    }
    if (sealed->runnable && !ids.insert(sealed->id).second) {
      return broken("two runnable blocks of one id");
    }
    out.blocks.push_back(std::move(*sealed));
  }
  return out;
}

}  // namespace rb::brk
