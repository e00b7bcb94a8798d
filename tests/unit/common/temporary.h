// temporary.h — a folder that goes with its test.   [tests]
#pragma once

#include <fcntl.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/fd.h"

namespace rb::test {

class Temporary {
 public:
  Temporary() {
    std::string pattern = std::filesystem::temp_directory_path() / "rb-unit-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
    fd_ = Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
  }

 private:
  std::filesystem::path path_;
  Fd fd_;
};

}  // namespace rb::test
