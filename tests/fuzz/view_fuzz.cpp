// View mode: a journal and an output, cut out of the input at its first zero byte, and all the
// views made from them.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "common/io.h"
#include "common/json_reader.h"
#include "daemon/reader/view.h"
#include "tests/fuzz/fuzz.h"

namespace {

using rb::fuzz::must;
using rb::rdr::ViewKind;

std::string drawn(int file) {
  must(::lseek(file, 0, SEEK_SET) == 0);
  return std::string(rb::as_text(rb::read_all(file, 64 << 20).value()));
}

// Nothing that a terminal obeys; newlines and tabs apart.
bool is_plain(const std::string& text) {
  return rb::is_utf8(text) && std::all_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0x20 ? c != 0x7f : c == '\n' || c == '\t';
         });
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const rb::ByteView all(data, size);
  const auto cut = static_cast<std::size_t>(std::find(data, data + size, 0) - data);
  const auto journal = rb::sealed_memory("journal", all.first(cut));
  const auto output = rb::sealed_memory("output", all.subspan(std::min(size, cut + 1)));
  must(journal.ok() && output.ok());
  rb::rdr::ViewRequest request;
  request.segments.push_back(std::move(journal->duplicate().value()));
  request.outputs.push_back({"e1", std::move(output->duplicate().value())});
  for (const ViewKind kind :
       {ViewKind::SessionJson, ViewKind::SessionLog, ViewKind::RunJson, ViewKind::RunMarkdown}) {
    request.wanted.push_back({kind, 1, rb::Fd(::memfd_create("view", MFD_CLOEXEC))});
  }
  if (!rb::rdr::make_views(request)) {
    return 0;
  }
  const std::string session = drawn(request.wanted[0].file.get());
  const std::string log = drawn(request.wanted[1].file.get());
  const rb::Result<rb::Json> json = rb::parse_json(session);
  must(json.ok());
  must(json->find("journal") != nullptr);
  // One event is one line, whatever it holds.
  must(static_cast<std::uint64_t>(std::count(log.begin(), log.end(), '\n')) ==
       json->find("journal")->natural_at("lines"));
  must(is_plain(log));
  must(rb::parse_json(drawn(request.wanted[2].file.get())).ok());
  must(is_plain(drawn(request.wanted[3].file.get())));
  rb::fuzz::planted(json->find("counts")->natural_at("passed") > 0);
  return 0;
}
