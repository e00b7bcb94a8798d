#include "tests/unit/reader/opened.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/fd.h"
#include "common/io.h"
#include "daemon/reader/modes.h"
#include "protocol/document.capnp.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"

namespace rb::test {
namespace {

namespace fs = std::filesystem;

const char* severity_name(front::Severity severity) {
  switch (severity) {
    case front::Severity::REFUSAL:
      return "refusal";
    case front::Severity::ERROR:
      return "error";
    case front::Severity::WARNING:
      return "warning";
  }
  return "?";
}

std::string kind_name(reader::EntryKind kind) {
  const char* names[] = {"unset",    "file",        "folder",    "special",
                         "link-out", "link-broken", "too-large", "unreadable"};
  return names[static_cast<unsigned>(kind)];
}

void copy_outcome(reader::Outcome::Reader from, Opened& into) {
  into.vetted = from.getVetted();
  into.format = wire::text(from.getFormat());
  into.title = wire::text(from.getTitle());
  for (const auto block : from.getBlocks()) {
    OpenedBlock out;
    out.id = wire::text(block.getId());
    out.type = wire::text(block.getType());
    out.kind = wire::text(block.getKind());
    out.language = wire::text(block.getLanguage());
    out.path = wire::text(block.getPath());
    out.why_not = wire::text(block.getWhyNot());
    out.interpreter_for = wire::text(block.getInterpreterFor());
    out.line = block.getLine();
    out.runnable = block.getRunnable();
    out.script =
        std::string(as_text(ByteView(block.getScript().begin(), block.getScript().size())));
    for (const auto word : block.getInterpreter()) {
      out.interpreter.push_back(wire::text(word));
    }
    into.blocks.push_back(std::move(out));
  }
  for (const auto problem : from.getProblems()) {
    OpenedProblem out;
    out.severity = severity_name(problem.getSeverity());
    out.code = wire::text(problem.getCode());
    out.construct = wire::text(problem.getConstruct());
    out.text = wire::text(problem.getText());
    out.block = wire::text(problem.getBlock());
    out.file = wire::text(problem.getFile());
    out.excerpt = wire::text(problem.getExcerpt());
    out.advice = wire::text(problem.getAdvice());
    out.line = problem.getLine();
    out.column = problem.getColumn();
    into.problems.push_back(std::move(out));
  }
}

// The loader's tree copied into a request to read it, as the broker does.
Bytes request_to_read(const Bytes& loaded, Opened& into, std::vector<reader::EntryKind>& kinds) {
  Bytes out;
  (void)wire::read<reader::FromReader>(
      loaded, limits::kTrustedNesting, [&](reader::FromReader::Reader from) -> Status {
        if (from.isFailed()) {
          into.failed = wire::text(from.getFailed().getCode());
          return done();
        }
        into.bound = from.getLoaded().getBound();
        for (const auto entry : from.getLoaded().getEntries()) {
          into.entries.push_back(kind_name(entry.getKind()) + " " + wire::text(entry.getPath()));
          kinds.push_back(entry.getKind());
        }
        out = wire::build<reader::ToReader>([&](auto root) {
          auto read = root.initRead();
          read.setTree(from.getLoaded());
          read.setShownPath("book/runbook");
        });
        return done();
      });
  return out;
}

void fill_file_scripts(const Bytes& loaded, int content, Opened& into) {
  (void)wire::read<reader::FromReader>(
      loaded, limits::kTrustedNesting, [&](reader::FromReader::Reader from) -> Status {
        for (OpenedBlock& block : into.blocks) {
          for (const auto entry : from.getLoaded().getEntries()) {
            if (block.kind == "file" && wire::text(entry.getPath()) == block.path) {
              const Result<Bytes> bytes =
                  read_at(content, entry.getOffset(), static_cast<std::size_t>(entry.getLength()));
              block.script = bytes ? std::string(as_text(*bytes)) : "";
            }
          }
        }
        return done();
      });
}

}  // namespace

std::vector<OpenedBlock> Opened::executables() const {
  std::vector<OpenedBlock> out;
  for (const OpenedBlock& block : blocks) {
    if (block.kind == "inline" || block.kind == "file") {
      out.push_back(block);
    }
  }
  return out;
}

Opened open_folder(const std::string& folder, const std::string& name) {
  Opened out;
  Packet load;
  load.bytes =
      wire::build<reader::ToReader>([&](auto root) { root.initLoad().setName(wire::text(name)); });
  load.fds.emplace_back(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  rdr::Reply loaded = rdr::serve_load(load);
  std::vector<reader::EntryKind> kinds;
  Packet read;
  read.bytes = request_to_read(loaded.message, out, kinds);
  if (!out.failed.empty() || loaded.fds.empty()) {
    return out;
  }
  Result<Fd> content = loaded.fds[0].duplicate();
  read.fds.push_back(std::move(*content));
  const rdr::Reply reply = rdr::serve_read(read);
  (void)wire::read<reader::FromReader>(reply.message, limits::kTrustedNesting,
                                       [&](reader::FromReader::Reader from) -> Status {
                                         if (from.isFailed()) {
                                           out.failed = wire::text(from.getFailed().getCode());
                                         } else if (from.isRead()) {
                                           copy_outcome(from.getRead(), out);
                                         }
                                         return done();
                                       });
  fill_file_scripts(loaded.message, loaded.fds[0].get(), out);
  if (!reply.fds.empty()) {
    const Result<Bytes> document = read_sealed(reply.fds[0].get(), std::size_t{256} << 20);
    (void)wire::read<document::Document>(*document, limits::kTrustedNesting,
                                         [&](document::Document::Reader from) {
                                           out.document_nodes = from.getNodes().size();
                                           return done();
                                         });
  }
  return out;
}

Opened open_text(const std::string& name, std::string_view text) {
  const Folder folder;
  folder.write(name, text);
  return open_folder(folder.path(), name);
}

Folder::Folder() {
  std::string pattern = (fs::temp_directory_path() / "reader-XXXXXX").string();
  outer_ = ::mkdtemp(pattern.data());
  path_ = outer_ + "/book";
  fs::create_directory(path_);
}
Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(outer_, ignored);
}

void Folder::write(const std::string& name, std::string_view bytes) const {
  const fs::path at = fs::path(path_) / name;
  fs::create_directories(at.parent_path());
  std::ofstream(at, std::ios::binary) << bytes;
}
void Folder::link(const std::string& name, const std::string& target) const {
  const fs::path at = fs::path(path_) / name;
  fs::create_directories(at.parent_path());
  fs::create_symlink(target, at);
}
void Folder::fifo(const std::string& name) const {
  const fs::path at = fs::path(path_) / name;
  fs::create_directories(at.parent_path());
  (void)::mkfifo(at.c_str(), 0600);
}

std::string shared_folder() {
  const char* given = std::getenv("RUNBOOKD_SHARED");
  const std::string path = given != nullptr ? given : std::string(RUNBOOKD_SOURCE) + "/../shared";
  if (fs::exists(path + "/corpus/expected-mdx.jsonl")) {
    return path;
  }
  const char* must = std::getenv("RUNBOOKD_MUST_WORK");
  MESSAGE("SKIPPED: no conformance data (RUNBOOKD_SHARED)");
  CHECK_MESSAGE((must == nullptr || std::string_view(must) != "1"),
                "RUNBOOKD_MUST_WORK=1, and there is no conformance data");
  return "";
}

std::string golden_folder() {
  return std::string(RUNBOOKD_SOURCE) + "/tests/golden";
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) {
    out.push_back(line);
  }
  return out;
}

}  // namespace rb::test
