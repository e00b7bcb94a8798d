#include "client/lib/paths.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <memory>

namespace rb::client {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }  // NOLINT(cppcoreguidelines-no-malloc)
};

// A variable that holds an absolute path; the XDG rules ignore any other.
std::string absolute_from(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && value[0] == '/' ? value : "";
}

std::string own_folder() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) {
    return "";
  }
  std::string out(path.data(), static_cast<std::size_t>(length));
  const std::size_t slash = out.rfind('/');
  return slash == std::string::npos ? "" : out.substr(0, slash);
}

}  // namespace

std::string runtime_folder() {
  const std::string base = absolute_from("XDG_RUNTIME_DIR");
  return base.empty() ? "/tmp/runbookd-" + std::to_string(::getuid()) : base + "/runbookd";
}

std::string operator_socket() {
  return runtime_folder() + "/operator.sock";
}

std::string home() {
  std::string from_environment = absolute_from("HOME");
  if (!from_environment.empty()) {
    return from_environment;
  }
  const passwd* entry = ::getpwuid(::getuid());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "/";
}

std::string state_folder() {
  const std::string base = absolute_from("XDG_STATE_HOME");
  return (base.empty() ? home() + "/.local/state" : base) + "/runbookd";
}

std::string program_folder() {
  const std::string own = own_folder();
  struct stat facts {};
  if (!own.empty() && ::stat((own + "/runbook-broker").c_str(), &facts) == 0) {
    return own;
  }
  return RUNBOOKD_LIBEXEC;
}

Status check_private(const std::string& folder) {
  struct stat facts {};
  if (::lstat(folder.c_str(), &facts) < 0) {
    Error failure = errno_error(folder);
    failure.code = failure.errnum == ENOENT ? Code::NotFound : Code::System;
    return failure;
  }
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 077) != 0) {
    return error(Code::Refused, folder + " isn't a folder of yours alone (mode 0700): remove it");
  }
  return done();
}

Status ensure_folder(const std::string& folder) {
  for (std::size_t at = folder.find('/', 1);; at = folder.find('/', at + 1)) {
    const std::string part = folder.substr(0, at);
    if (::mkdir(part.c_str(), 0700) < 0 && errno != EEXIST) {
      return errno_error("make the folder " + part);
    }
    if (at == std::string::npos) {
      return done();
    }
  }
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, Free> real(::realpath(path.c_str(), nullptr));
  return real ? std::string(real.get()) : path;
}

std::string link_on_the_way(const std::string& path) {
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    struct stat facts {};
    if (::lstat(part.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode) && facts.st_uid != 0) {
      return part;
    }
    if (at == std::string::npos) {
      return "";
    }
  }
}

std::string tilde(const std::string& path) {
  const std::string top = home();
  if (top.size() > 1 && path.compare(0, top.size(), top) == 0 &&
      (path.size() == top.size() || path[top.size()] == '/')) {
    return "~" + path.substr(top.size());
  }
  return path;
}

}  // namespace rb::client
