#include "tests/unit/reader/shell_run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "tests/unit/reader/opened.h"

namespace rb::test {
namespace {

namespace fs = std::filesystem;

bool harmless(const std::string& value) {
  return !value.empty() && value[0] != '-' &&
         value.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
             "_./:@%+=,-") == std::string::npos;
}

std::string reference(const std::string& name, rdr::Place place) {
  switch (place) {
    case rdr::Place::Plain:
      return "\"${" + name + "}\"";
    case rdr::Place::DoubleQuoted:
    case rdr::Place::HereDocument:
      return "${" + name + "}";
    case rdr::Place::SingleQuoted:
      return "'\"${" + name + "}\"'";
    case rdr::Place::HarmlessOnly:
      break;
  }
  return "";
}

void limit(__rlimit_resource what, rlim_t most) {
  const rlimit wanted{most, most};
  (void)::setrlimit(what, &wanted);
}

[[noreturn]] void become_shell(const std::string& shell, const std::string& folder,
                               const JoinedScript& joined) {
  if (::chdir((folder + "/cwd").c_str()) < 0) {
    _exit(99);
  }
  limit(RLIMIT_CPU, 5);
  limit(RLIMIT_FSIZE, 1 << 20);
  const int in = ::open("/dev/null", O_RDONLY);
  const int out = ::open("../out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = ::open("../err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(in, 0);
  ::dup2(out, 1);
  ::dup2(err, 2);
  (void)::close_range(3, ~0U, 0);
  (void)::setpgid(0, 0);
  (void)::alarm(10);
  std::vector<std::string> words = joined.environment;
  words.push_back("PATH=/usr/bin:/bin");
  words.push_back("LC_ALL=C.UTF-8");
  std::vector<char*> environment;
  for (std::string& word : words) {
    environment.push_back(word.data());
  }
  environment.push_back(nullptr);
  std::string name = shell;
  std::string script = "../script";
  char* arguments[] = {name.data(), script.data(), nullptr};
  ::execvpe(name.c_str(), arguments, environment.data());
  _exit(98);
}

}  // namespace

bool accepts(const rdr::Piece& piece, const std::string& value) {
  if (piece.word_start && value.starts_with("-")) {
    return false;
  }
  if (!piece.not_value.empty() && value == piece.not_value) {
    return false;
  }
  return harmless(value) || piece.place != rdr::Place::HarmlessOnly;
}

JoinedScript join_script(const std::string& script, const std::vector<rdr::Piece>& trace,
                         const Values& values) {
  JoinedScript out;
  for (const rdr::Piece& piece : trace) {
    if (piece.kind == rdr::PieceKind::Dropped) {
      continue;
    }
    if (piece.kind == rdr::PieceKind::Literal) {
      out.script += script.substr(piece.offset, piece.length);
      continue;
    }
    const std::string& value = values.at(piece.input);
    if (!accepts(piece, value)) {
      out.refused = true;
      return out;
    }
    if (harmless(value)) {
      out.script += value;
      continue;
    }
    const std::string name = "RB_" + std::to_string(out.environment.size() + 1);
    out.environment.push_back(name + "=" + value);
    out.script += reference(name, piece.place);
  }
  return out;
}

ShellResult run_shell(const std::string& shell, const JoinedScript& joined) {
  const Folder folder;
  folder.write("script", joined.script);
  fs::create_directory(folder.path() + "/cwd");
  const pid_t child = ::fork();
  if (child == 0) {
    become_shell(shell, folder.path(), joined);
  }
  ShellResult out;
  (void)::waitpid(child, &out.status, 0);
  (void)::kill(-child, SIGKILL);
  out.output = read_file(folder.path() + "/out");
  out.errors = read_file(folder.path() + "/err");
  for (const auto& entry : fs::directory_iterator(folder.path() + "/cwd")) {
    out.files.push_back(entry.path().filename().string());
  }
  return out;
}

bool has_program(const std::string& name) {
  return fs::exists("/bin/" + name) || fs::exists("/usr/bin/" + name);
}

}  // namespace rb::test
