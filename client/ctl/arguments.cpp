#include "client/ctl/arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <deque>

#include "client/lib/escape.h"
#include "client/lib/text.h"

namespace rb::ctl {
namespace {

constexpr OptionSpec kCommon[] = {
    {"--session", 0, "ID",
     "the session (id or unique prefix); else $RUNBOOKD_SESSION, else the current one"},
    {"--json", 0, "", "one JSON object, or one a line where it streams"},
    {"--quiet", 'q', "", "errors only on standard error"},
    {"--help", 'h', "", "this text"},
};

// What CLI11 fills while it parses.
struct Taken {
  const OptionSpec* spec;
  std::vector<std::string> values;
  bool flag = false;
  CLI::Option* option = nullptr;
};

std::string names_of(const OptionSpec& spec) {
  return spec.letter == 0 ? spec.name : "-" + std::string(1, spec.letter) + "," + spec.name;
}

void add_option(CLI::App& app, const OptionSpec& spec, std::deque<Taken>& taken) {
  Taken& into = taken.emplace_back(Taken{&spec, {}, false, nullptr});
  if (spec.value[0] == '\0') {
    into.option = app.add_flag(names_of(spec), into.flag, spec.help);
    return;
  }
  into.option = app.add_option(names_of(spec), into.values, spec.help);
  if (!spec.repeat) {
    into.option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
  into.option->allow_extra_args(false);  // one value each time: what follows is an operand
}

std::string usage_hint(const Command& command) {
  return " (runbookctl " + std::string(command.name) + " --help)";
}

// CLI11 names its own types; these sentences name what to type.
std::string sentence(const CLI::ParseError& failure) {
  const std::string text = client::label(failure.what());
  const std::size_t start = text.find("--");
  const std::string option = start == std::string::npos
                                 ? text
                                 : text.substr(start, text.find_first_of(": ", start) - start);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&failure) != nullptr) {
    return option + " needs a value";
  }
  return dynamic_cast<const CLI::ConversionError*>(&failure) != nullptr ? option + " takes no value"
                                                                        : text;
}

Error unexpected(const std::string& word, const Command& command) {
  std::vector<std::string> known;
  for (const auto options : {command.options, common_options()}) {
    for (const OptionSpec& spec : options) {
      known.emplace_back(spec.name);
    }
  }
  const std::string near = word[0] == '-' ? client::closest(word, known) : "";
  return error(Code::Invalid, "unexpected argument " + client::label(word) +
                                  (near.empty() ? "" : "; did you mean " + near + "?") +
                                  usage_hint(command));
}

// Operands are what CLI11 leaves over: it would take "[a,b]" apart. What looks like an option there
// is one that nobody declared; after "--" nothing is an option.
Result<std::vector<std::string>> operands_of(const CLI::App& app, std::vector<std::string> behind,
                                             const Command& command) {
  std::vector<std::string> out = app.remaining();
  for (const std::string& word : out) {
    if (word.size() > 1 && word[0] == '-') {
      return unexpected(word, command);
    }
  }
  out.insert(out.end(), std::make_move_iterator(behind.begin()),
             std::make_move_iterator(behind.end()));
  return out;
}

Status check_operands(const Command& command, const std::vector<std::string>& operands) {
  std::size_t most = 0;
  for (const OperandSpec& spec : command.operands) {
    if (spec.required && operands.size() <= most) {
      return error(Code::Invalid, std::string(spec.name) + " is missing" + usage_hint(command));
    }
    most = spec.repeat ? std::string::npos : most + 1;
  }
  if (operands.size() > most) {
    return unexpected(operands[most], command);
  }
  return done();
}

void take_common(const Taken& taken, Context& context, bool& help) {
  const std::string_view name = taken.spec->name;
  if (name == "--session" && !taken.values.empty()) {
    context.session = taken.values.back();
  } else if (name == "--json") {
    context.json = context.json || taken.flag;
  } else if (name == "--quiet") {
    context.quiet = context.quiet || taken.flag;
  } else if (name == "--help") {
    help = help || taken.flag;
  }
}

}  // namespace

std::span<const OptionSpec> common_options() {
  return kCommon;
}

Result<Parsed> parse_arguments(const Command& command, const std::vector<std::string>& words,
                               Context& context) {
  CLI::App app;
  app.set_help_flag();
  std::deque<Taken> taken;  // never moves its elements: CLI11 holds pointers to them
  app.allow_extras();
  for (const OptionSpec& spec : command.options) {
    add_option(app, spec, taken);
  }
  const std::size_t own = taken.size();
  for (const OptionSpec& spec : kCommon) {
    add_option(app, spec, taken);
  }
  Parsed out;
  const auto mark = std::find(words.begin(), words.end(), "--");
  try {
    // CLI11 wants them reversed.
    app.parse(std::vector<std::string>(std::make_reverse_iterator(mark), words.rend()));
  } catch (const CLI::ParseError& failure) {
    return error(Code::Invalid, sentence(failure) + usage_hint(command));
  }
  for (std::size_t i = own; i < taken.size(); ++i) {
    take_common(taken[i], context, out.help);
  }
  if (out.help) {
    return out;
  }
  Result<std::vector<std::string>> operands =
      operands_of(app, {mark == words.end() ? mark : mark + 1, words.end()}, command);
  if (!operands) {
    return operands.failure();
  }
  if (Status fits = check_operands(command, *operands); !fits) {
    return fits.failure();
  }
  std::vector<Arguments::Given> given;
  for (std::size_t i = 0; i < own; ++i) {
    if (taken[i].flag || taken[i].option->count() > 0) {
      given.push_back({taken[i].spec->name, taken[i].values});
    }
  }
  out.arguments = Arguments(std::move(given), std::move(*operands));
  return out;
}

const Arguments::Given* Arguments::find(std::string_view option) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const Given& given) { return given.option == option; });
  return found == options_.end() ? nullptr : &*found;
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  const Given* given = find(option);
  if (given == nullptr || given->values.empty()) {
    return std::nullopt;
  }
  return given->values.back();
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  const Given* given = find(option);
  return given == nullptr ? std::vector<std::string>() : given->values;
}

std::vector<std::string> Arguments::operands_from(std::size_t index) const {
  if (index >= operands_.size()) {
    return {};
  }
  return {operands_.begin() + static_cast<std::ptrdiff_t>(index), operands_.end()};
}

}  // namespace rb::ctl
