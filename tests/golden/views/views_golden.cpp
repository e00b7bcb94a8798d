// views_golden FOLDER [--update]: the views made from each case's journal, compared byte by byte
// with those under review. A case is a folder with journal-NNNN.jsonl and outputs/<execution>;
// expected beside them: session.json, session.log, run.json and run.md (of run 1).
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/io.h"
#include "daemon/reader/view.h"

namespace {

namespace fs = std::filesystem;
using rb::rdr::ViewKind;

const std::vector<std::pair<const char*, ViewKind>> kViews = {
    {"session.json", ViewKind::SessionJson},
    {"session.log", ViewKind::SessionLog},
    {"run.json", ViewKind::RunJson},
    {"run.md", ViewKind::RunMarkdown},
};

rb::Fd open_file(const fs::path& path) {
  return rb::Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::vector<fs::path> files_in(const fs::path& folder, const char* prefix) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().filename().string().rfind(prefix, 0) == 0) {
      out.push_back(entry.path());
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

rb::rdr::ViewRequest request_for(const fs::path& folder) {
  rb::rdr::ViewRequest request;
  for (const fs::path& segment : files_in(folder, "journal-")) {
    request.segments.push_back(open_file(segment));
  }
  if (fs::exists(folder / "outputs")) {
    for (const fs::path& output : files_in(folder / "outputs", "")) {
      request.outputs.push_back({output.filename().string(), open_file(output)});
    }
  }
  for (const auto& [name, kind] : kViews) {
    request.wanted.push_back({kind, 1, rb::Fd(::memfd_create(name, MFD_CLOEXEC))});
  }
  return request;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The number of the first line that differs.
std::size_t first_difference(const std::string& a, const std::string& b) {
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return static_cast<std::size_t>(std::count(a.begin(), at, '\n')) + 1;
}

bool check(const fs::path& folder, bool update) {
  const rb::rdr::ViewRequest request = request_for(folder);
  if (const rb::Status made = rb::rdr::make_views(request); !made) {
    std::printf("%s: %s\n", folder.c_str(), made.failure().text().c_str());
    return false;
  }
  bool same = true;
  for (std::size_t i = 0; i < kViews.size(); ++i) {
    const int file = request.wanted[i].file.get();
    const rb::Bytes bytes =
        rb::read_at(file, 0, static_cast<std::size_t>(::lseek(file, 0, SEEK_END))).value();
    const std::string made(rb::as_text(bytes));
    const fs::path expected = folder / kViews[i].first;
    if (update) {
      std::ofstream(expected, std::ios::binary) << made;
    } else if (const std::string before = read_file(expected); before != made) {
      std::printf("%s differs from line %zu\n", expected.c_str(), first_difference(before, made));
      same = false;
    }
  }
  return same;
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    return 2;
  }
  const bool update = count > 2 && std::string(words[2]) == "--update";
  unsigned passed = 0;
  unsigned failed = 0;
  for (const auto& entry : fs::directory_iterator(words[1])) {
    if (entry.is_directory()) {
      (check(entry.path(), update) ? passed : failed) += 1;
    }
  }
  std::printf("[cases] %u passed, %u failed, 0 skipped\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
