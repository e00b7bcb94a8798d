// vet_rate — the reader's own time, without processes: how fast runbooks are parsed, vetted and
// made into registry and document (`check` does the same), and what opening one folder takes of it.
// Prints one JSON line.   [./dev bench]
//   vet_rate FILE...      {"files","bytes","ms","mb_per_s"}: the fastest of a few rounds over them
//   all vet_rate --open DIR   {"load_ms","read_ms","blocks"}: load and read modes over a runbook's
//   folder
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/fd.h"
#include "daemon/reader/modes.h"
#include "daemon/reader/read.h"
#include "protocol/limits.h"
#include "protocol/reader.capnp.h"
#include "protocol/wire.h"
#include "tests/support/cpu_time.h"

namespace {

using rb::testing::cpu_ms;

constexpr int kRounds = 5;

struct File {
  std::string name;
  std::string text;
};

int rate(const std::vector<File>& files) {
  double fastest = 0;
  std::size_t bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = cpu_ms();
    bytes = 0;
    for (const File& file : files) {
      const bool mdx = file.name.size() > 4 && file.name.substr(file.name.size() - 4) == ".mdx";
      const rb::rdr::Answer answer = rb::rdr::read_text(
          file.text, mdx ? rb::rdr::Dialect::Mdx : rb::rdr::Dialect::Markdown, file.name, nullptr);
      bytes += answer.source.size();
    }
    const double took = cpu_ms() - begin;
    fastest = round == 0 ? took : std::min(fastest, took);
  }
  std::printf("{\"files\": %zu, \"bytes\": %zu, \"ms\": %.3f, \"mb_per_s\": %.2f}\n", files.size(),
              bytes, fastest, static_cast<double>(bytes) / 1e3 / fastest);
  return 0;
}

// As the broker asks: the loader's answer becomes the question of the next reader.
rb::Packet question(const rb::rdr::Reply& loaded) {
  rb::Packet out;
  (void)rb::wire::read<rb::reader::FromReader>(
      loaded.message, rb::limits::kTrustedNesting,
      [&](rb::reader::FromReader::Reader from) -> rb::Status {
        out.bytes = rb::wire::build<rb::reader::ToReader>([&](auto root) {
          auto read = root.initRead();
          read.setTree(from.getLoaded());
          read.setShownPath("runbook");
        });
        return rb::done();
      });
  rb::Result<rb::Fd> content = loaded.fds[0].duplicate();
  out.fds.push_back(std::move(*content));
  return out;
}

int open_folder(const char* folder) {
  double load_ms = 0;
  double read_ms = 0;
  std::size_t blocks = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double begin = cpu_ms();
    rb::Packet load;
    load.bytes = rb::wire::build<rb::reader::ToReader>([](auto root) { root.initLoad(); });
    load.fds.emplace_back(::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const rb::rdr::Reply loaded = rb::rdr::serve_load(load);
    if (loaded.fds.empty()) {
      std::fprintf(stderr, "vet_rate: %s can't be loaded\n", folder);
      return 1;
    }
    const double middle = cpu_ms();
    const rb::rdr::Reply reply = rb::rdr::serve_read(question(loaded));
    const double end = cpu_ms();
    load_ms = round == 0 ? middle - begin : std::min(load_ms, middle - begin);
    read_ms = round == 0 ? end - middle : std::min(read_ms, end - middle);
    (void)rb::wire::read<rb::reader::FromReader>(
        reply.message, rb::limits::kTrustedNesting,
        [&](rb::reader::FromReader::Reader from) -> rb::Status {
          blocks = from.isRead() ? from.getRead().getBlocks().size() : 0;
          return rb::done();
        });
  }
  std::printf("{\"load_ms\": %.3f, \"read_ms\": %.3f, \"blocks\": %zu}\n", load_ms, read_ms,
              blocks);
  return blocks > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--open") == 0) {
    return open_folder(argv[2]);
  }
  std::vector<File> files;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    files.push_back({argv[i], {std::istreambuf_iterator<char>(file), {}}});
  }
  return files.empty() ? 2 : rate(files);
}
