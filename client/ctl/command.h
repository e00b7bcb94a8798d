// command.h — what one verb of runbookctl is: a name, its words and options, and a function.
// Adding a verb is adding a file with one static entry and naming it in commands.h: parsing, help,
// completion and "did you mean" come from the entry alone.
// Out:    exit statuses as DESIGN §9 fixes them; data on stdout, talk on stderr.
// Source: docs/COMMANDS.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rb::ctl {

// Exit statuses that are ours; a script's own 0..255 and 128+N travel as plain numbers.
enum Exit : int {
  kYes = 0,
  kNo = 1,            // the answer is no; `check --strict` with warnings
  kTimeout = 124,     // an execution reached its time limit
  kFailure = 125,     // wrong command line, daemon failure, error, interrupted, lost
  kRefused = 126,     // refused, cancelled, not runnable
  kUnknown = 127,     // no such thing
  kInterrupted = 130  // stopped by this client's Ctrl-C
};

// What the shell may offer for a word.
enum class Complete : std::uint8_t {
  Nothing,
  Path,
  Folder,
  Runbook,
  Block,
  Execution,
  Profile,
  Verb
};

struct OptionSpec {
  const char* name;   // "--input"
  char letter;        // 'i', or 0
  const char* value;  // "NAME=VALUE"; "" for a flag
  const char* help;
  Complete complete = Complete::Nothing;
  bool repeat = false;
};

struct OperandSpec {
  const char* name;  // "EXEC"
  const char* help;
  bool required = true;
  bool repeat = false;  // the last one only
  Complete complete = Complete::Nothing;
};

class Arguments {
 public:
  struct Given {
    std::string option;  // "--input"
    std::vector<std::string> values;
  };

  Arguments() = default;
  Arguments(std::vector<Given> options, std::vector<std::string> operands)
      : options_(std::move(options)), operands_(std::move(operands)) {}

  [[nodiscard]] bool has(std::string_view option) const { return find(option) != nullptr; }
  // The last value given; nullopt when the option isn't there.
  [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view option) const;
  // "" when there is none at that place.
  [[nodiscard]] std::string operand(std::size_t index) const {
    return index < operands_.size() ? operands_[index] : std::string();
  }
  [[nodiscard]] std::vector<std::string> operands_from(std::size_t index) const;
  [[nodiscard]] std::size_t operands() const { return operands_.size(); }

 private:
  [[nodiscard]] const Given* find(std::string_view option) const;

  std::vector<Given> options_;
  std::vector<std::string> operands_;
};

class Context;  // context.h: terminals, the session asked for, the daemon

struct Command {
  const char* name;     // "ps", "session start": one word or two
  const char* summary;  // one line, no full stop
  std::span<const OperandSpec> operands;
  std::span<const OptionSpec> options;  // --session --json --help come by themselves
  const char* more;                     // examples and details for --help, or ""
  int (*run)(Context& context, const Arguments& arguments);
};

}  // namespace rb::ctl
