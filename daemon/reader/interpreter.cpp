#include "daemon/reader/interpreter.h"

#include <algorithm>

#include "daemon/reader/info_string.h"
#include "daemon/reader/naming.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kWords = 64;
constexpr std::size_t kShebangBytes = 256;  // what Linux itself looks at

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::vector<std::string> split_at_blanks(std::string_view line) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_blank(line[at])) {
      ++at;
    }
    const std::size_t from = at;
    while (at < line.size() && !is_blank(line[at])) {
      ++at;
    }
    if (at > from) {
      words.emplace_back(line.substr(from, at - from));
    }
  }
  return words;
}

Interpreter refused(std::string why) {
  Interpreter out;
  out.problem = std::move(why);
  return out;
}

// "#!/usr/bin/env [-S] [NAME=VALUE...] PROGRAM ARGS": the kernel hands env everything after its
// name as one word, env -S splits it. Both spellings are taken for what their author meant.
Interpreter from_env(std::vector<std::string> words, std::string_view line) {
  const bool split = words.size() > 1 && words[1].starts_with("-S");
  if (split) {
    const std::size_t at = line.find("-S");
    words.assign(1, "env");
    if (!split_words(line.substr(at + 2), words)) {
      return refused("the first line's quotes don't end");
    }
  }
  if (words.size() < 2) {
    return refused("the first line names no program after env");
  }
  if (words[1].starts_with('-')) {
    return refused("the first line gives env an option (" + words[1] + "): only -S is understood");
  }
  if (words[1].find('=') != std::string::npos) {
    return refused("the first line sets a variable: export it in the script instead");
  }
  Interpreter out;
  out.words.assign(words.begin() + 1, words.end());
  out.from = "shebang";
  return out;
}

}  // namespace

Interpreter interpreter_of_script(std::string_view script) {
  if (!script.starts_with("#!")) {
    return {{"bash"}, "default", ""};
  }
  std::string_view line = script.substr(2, script.find('\n') - 2);
  if (!line.empty() && line.back() == '\r') {
    line.remove_suffix(1);
  }
  if (line.size() > kShebangBytes) {
    return refused("the first line (#!) is longer than " + std::to_string(kShebangBytes) +
                   " bytes");
  }
  if (line.find("{{") != std::string_view::npos || line.find('\0') != std::string_view::npos) {
    return refused("the first line (#!) can't hold a template or a NUL byte");
  }
  std::vector<std::string> words = split_at_blanks(line);
  if (words.empty()) {
    return refused("the first line (#!) names no program");
  }
  if (base_name(words[0]) == "env") {
    return from_env(std::move(words), line);
  }
  if (!words[0].starts_with('/') && words[0].find('/') != std::string::npos) {
    return refused("the first line (#!) names a relative path");
  }
  return {std::move(words), "shebang", ""};
}

Languages::Languages() {
  for (const char* shell : {"bash", "sh", "zsh", "ruby"}) {
    known_.push_back({shell, {shell}});
  }
}

bool Languages::add(const std::string& language, std::string_view command) {
  std::vector<std::string> words;
  if (!split_words(command, words) || words.empty() || words.size() > kWords ||
      !std::all_of(words.begin(), words.end(), [](const auto& word) { return is_name(word); })) {
    return false;
  }
  const auto same = std::find_if(known_.begin(), known_.end(),
                                 [&](const auto& known) { return known.first == language; });
  if (same != known_.end()) {
    same->second = std::move(words);
  } else {
    known_.emplace_back(language, std::move(words));
  }
  return true;
}

bool Languages::runs(std::string_view language) const {
  return std::any_of(known_.begin(), known_.end(),
                     [&](const auto& known) { return known.first == language; });
}

Interpreter Languages::interpreter_of(std::string_view language) const {
  for (const auto& [name, words] : known_) {
    if (name == language) {
      return {words, "language", ""};
    }
  }
  return refused("no interpreter for " + std::string(language));
}

std::string Languages::names() const {
  std::string out;
  for (const auto& known : known_) {
    out += (out.empty() ? "" : ", ") + known.first;
  }
  return out;
}

Shell shell_of(const Interpreter& interpreter) {
  if (interpreter.words.empty()) {
    return Shell::None;
  }
  const std::string_view name = base_name(interpreter.words[0]);
  // Options that change how the shell reads its text (-c, -k, -O extglob, --posix) end certainty.
  const auto plain = [](const std::string& word) {
    return word.starts_with('-') && word.size() > 1 &&
           word.find_first_not_of("eufxvp", 1) == std::string::npos;
  };
  if (!std::all_of(interpreter.words.begin() + 1, interpreter.words.end(), plain)) {
    return Shell::None;
  }
  if (name == "bash") {
    return Shell::Bash;
  }
  return name == "sh" || name == "dash" ? Shell::Sh : Shell::None;
}

}  // namespace rb::rdr
