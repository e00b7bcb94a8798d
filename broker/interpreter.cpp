#include "broker/interpreter.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "common/fd.h"

namespace rb::brk {
namespace {

constexpr std::size_t kMostKnown = 64;
constexpr off_t kLargest = off_t{256} << 20;

bool is_program(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
}

using MayRun = std::function<bool(const std::string&)>;

// The first program of that name on the path that may be run; only absolute parts count.
std::string on_path(const std::string& name, std::string_view path, const MayRun& may_run) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const std::string candidate = std::string(path.substr(at, end - at)) + "/" + name;
    if (candidate.front() == '/' && candidate[1] != '/' && is_program(candidate) &&
        may_run(candidate)) {
      return candidate;
    }
    at = end + 1;
  }
  return "";
}

std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

Result<Interpreter> Interpreters::resolve(const std::vector<std::string>& words,
                                          std::string_view path, const MayRun& may_run) {
  Interpreter out;
  out.argv = words;
  // "#!/usr/bin/env X" names X; env itself would look it up again, later and elsewhere.
  if (out.argv.size() > 1 && file_name(out.argv[0]) == "env" && out.argv[1].front() != '-' &&
      out.argv[1].find('=') == std::string::npos) {
    out.argv.erase(out.argv.begin());
  }
  std::string& program = out.argv.front();
  const std::string asked = program;
  if (program.find('/') == std::string::npos) {
    program = on_path(program, path, may_run);
  }
  const bool found = program != asked;  // on_path has looked
  if (!program.starts_with('/') || !(found || is_program(program))) {
    return error(Code::NotFound, "interpreter " + asked +
                                     " isn't on this machine, or the sandbox "
                                     "doesn't show it");
  }
  if (std::filesystem::path(program).lexically_normal() != program) {
    return error(Code::NotFound, "interpreter " + asked + " isn't a plain absolute path");
  }
  if (!found && !may_run(program)) {
    return error(Code::NotFound, "interpreter " + asked +
                                     " lies where the sandbox shows none, or where "
                                     "scripts may change it: profile host runs it");
  }
  const std::string name = file_name(program);
  out.reads_memory = name == "bash" || name == "sh" || name == "dash";
  const Result<Digest> digest = digest_of(program);
  if (!digest) {
    return digest.failure();
  }
  out.sha256 = *digest;
  return out;
}

Result<Digest> Interpreters::digest_of(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!fd || ::fstat(fd.get(), &facts) < 0) {
    return errno_error("read interpreter " + path);
  }
  if (!S_ISREG(facts.st_mode) || facts.st_size > kLargest) {  // nobody is answered meanwhile
    return error(Code::NotFound, "interpreter " + path + " is too large for one (256 MiB)");
  }
  const Known now{facts.st_dev,
                  facts.st_ino,
                  facts.st_ctim.tv_sec * 1'000'000'000 + facts.st_ctim.tv_nsec,
                  facts.st_size,
                  {}};
  const auto found = known_.find(path);
  if (found != known_.end() && found->second.device == now.device &&
      found->second.inode == now.inode && found->second.changed_ns == now.changed_ns &&
      found->second.size == now.size) {
    return found->second.sha256;
  }
  const Result<Digest> digest =
      sha256_of_file(fd.get(), 0, static_cast<std::uint64_t>(facts.st_size));
  if (!digest) {
    return digest;
  }
  if (known_.size() >= kMostKnown) {
    known_.clear();
  }
  known_[path] = now;
  known_[path].sha256 = *digest;
  return digest;
}

}  // namespace rb::brk
