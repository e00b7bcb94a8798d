// replay_main.cpp — runs a fuzz target over files, without libFuzzer.   [tests]
// Arguments: files and folders. Each file is given as it is, cut at every length where it is short,
// and with each of its first bytes flipped.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/fuzz.h"

namespace {

void give(const rb::Bytes& bytes) {
  // A block of exactly this size, so that the sanitizer sees a read past the end.
  const rb::Bytes exact(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  rb::Bytes bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  give(bytes);
  const std::size_t most = bytes.size() < 400 ? bytes.size() : 400;
  for (std::size_t length = 0; length < most; ++length) {
    give(rb::Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)));
    bytes[length] ^= 0x81;
    give(bytes);
    bytes[length] ^= 0x81;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path path(argv[i]);
    if (!std::filesystem::is_directory(path)) {
      replay(path);
      ++files;
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) {
        replay(entry.path());
        ++files;
      }
    }
  }
  std::printf("[cases] %d passed, 0 failed, 0 skipped\n", files);
  return files == 0 ? 1 : 0;
}
