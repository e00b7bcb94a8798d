// interpreter.h — which program reads a script.   [UNTRUSTED: reader]
// In:     script bytes (MDX) or a fence's language (Markdown).
// Out:    words of the interpreter's command line, without the script itself: the broker resolves
//         the first on the session's PATH and appends the script. `from` says why: "shebang",
//         "language", "default".
// Errors: Interpreter::problem, a sentence: such a block doesn't run.
// Source: docs/RUNBOOKS.md §Interpreters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rb::rdr {

struct Interpreter {
  std::vector<std::string> words;
  std::string from;
  std::string problem;
};

// "#!" counts as the very first bytes alone; without it the answer is bash.
[[nodiscard]] Interpreter interpreter_of_script(std::string_view script);

// Languages that run, in Markdown: bash, sh, zsh, ruby and those a front matter adds.
class Languages {
 public:
  Languages();
  // `command` is split into words; false when a quote never ends or there is no word.
  [[nodiscard]] bool add(const std::string& language, std::string_view command);
  [[nodiscard]] bool runs(std::string_view language) const;
  [[nodiscard]] Interpreter interpreter_of(std::string_view language) const;
  // "bash, sh, zsh, ruby, sql", for messages.
  [[nodiscard]] std::string names() const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> known_;
};

// The shells whose words we know how to quote for.
enum class Shell : std::uint8_t { None, Bash, Sh };
[[nodiscard]] Shell shell_of(const Interpreter& interpreter);

}  // namespace rb::rdr
