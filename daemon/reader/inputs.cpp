#include "daemon/reader/inputs.h"

#include <algorithm>
#include <array>
#include <optional>

#include "protocol/limits.h"

namespace rb::rdr {
namespace {

constexpr std::size_t kVariables = 500;
constexpr std::size_t kOptions = 1000;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

Finding finding_at(const TextPlace& place, std::uint32_t line, std::uint32_t column) {
  Finding out;
  out.severity = Severity::Warning;
  out.file = place.file();
  const auto [at_line, at_column] = place.at(line, column);
  out.line = at_line;
  out.column = at_column;
  return out;
}
Finding finding_at(const TextPlace& place, const YamlNode& node) {
  return finding_at(place, node.line, node.column);
}

std::string text_or_empty(const YamlNode& node, std::string_view key) {
  const YamlNode* value = node.find(key);
  return value != nullptr && value->is(YamlNode::Kind::Text) ? value->text : "";
}

// A value as it travels: text as it is, lists and maps as JSON.
std::string value_text(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::Null:
      return "";
    case YamlNode::Kind::Text:
      return node.text;
    case YamlNode::Kind::List:
    case YamlNode::Kind::Map:
      return to_json(node);
  }
  return "";
}

// One validation: "required", or {type: regex, args: [...]} in its several spellings.
std::string rule_text(const YamlNode& node) {
  if (node.is(YamlNode::Kind::Text)) {
    return node.text;
  }
  std::string out = text_or_empty(node, "type");
  const YamlNode* args = node.find("args");
  if (args != nullptr && args->is(YamlNode::Kind::List)) {
    for (const YamlNode& arg : args->items) {
      out += " " + value_text(arg);
    }
  } else if (args != nullptr) {
    out += " " + value_text(*args);
  }
  for (const char* key : {"min", "max", "regex"}) {
    if (const std::string value = text_or_empty(node, key); !value.empty()) {
      out += " " + value;
    }
  }
  return out;
}

std::vector<std::string> read_rules(const YamlNode& variable) {
  std::vector<std::string> out;
  const YamlNode* rules = variable.find("validations");
  if (rules == nullptr) {
    return out;
  }
  if (!rules->is(YamlNode::Kind::List)) {
    out.push_back(rule_text(*rules));
    return out;
  }
  for (const YamlNode& rule : rules->items) {
    out.push_back(rule_text(rule));
  }
  return out;
}

void read_default(const YamlNode& variable, InputDeclaration& out) {
  const YamlNode* value = variable.find("default");
  if (value != nullptr && !value->is(YamlNode::Kind::Null)) {
    std::string text = value_text(*value);
    if (text.find("{{") == std::string::npos && text.size() <= limits::kInputBytes) {
      out.has_default = true;
      out.default_value = std::move(text);
    }
    return;
  }
  if (out.type == "bool") {
    out.has_default = true;
    out.default_value = "false";
  }
}

std::optional<InputDeclaration> read_variable(const YamlNode& node) {
  constexpr std::array kTypes = {"string", "int", "float", "bool", "enum", "list", "map"};
  InputDeclaration out;
  out.name = text_or_empty(node, "name");
  if (out.name.empty()) {
    return std::nullopt;
  }
  out.type = lower(text_or_empty(node, "type"));
  if (std::find(kTypes.begin(), kTypes.end(), out.type) == kTypes.end()) {
    out.type = "string";
  }
  out.description = text_or_empty(node, "description");
  const YamlNode* sensitive = node.find("sensitive");
  out.sensitive = sensitive != nullptr && sensitive->is_true();
  for (const char* key : {"options", "x-options"}) {
    const YamlNode* options = node.find(key);
    if (options != nullptr && options->is(YamlNode::Kind::List) &&
        options->items.size() <= kOptions) {
      for (const YamlNode& option : options->items) {
        out.options.push_back(value_text(option));
      }
      break;
    }
  }
  out.rules = read_rules(node);
  read_default(node, out);
  return out;
}

Finding no_list_of_mappings(const TextPlace& place, const YamlNode& node) {
  Finding finding = finding_at(place, node);
  finding.severity = Severity::Refusal;
  finding.code = "front-matter-inputs";
  finding.construct = "syntax";
  finding.text = "inputs aren't a list of mappings";
  finding.advice = "write each as - name: NAME, with prompt, default and secret below it";
  return finding;
}

// What is wrong with a name, beside those that were declared before it.
std::optional<Finding> odd_name(const std::string& name,
                                const std::vector<InputDeclaration>& before) {
  Finding finding;
  finding.severity = Severity::Warning;
  finding.code = "input-name";
  const bool twice = std::any_of(before.begin(), before.end(),
                                 [&](const InputDeclaration& other) { return other.name == name; });
  if (!is_variable_name(name)) {
    finding.text = "an input's name can't be a variable's name";
    finding.advice = "use letters, digits and _, beginning with a letter or _";
  } else if (is_dangerous_variable(name)) {
    finding.text = name + " decides what programs do, so it can't be an input";
    finding.advice = "choose another name and set " + name + " in the script";
  } else if (twice) {
    finding.text = "the input " + name + " is declared twice";
    finding.advice = "remove one of the two";
  } else {
    return std::nullopt;
  }
  return finding;
}

InputDeclaration read_front_input(const YamlNode& item) {
  InputDeclaration input;
  input.name = text_or_empty(item, "name");
  input.description = text_or_empty(item, "prompt");
  const YamlNode* secret = item.find("secret");
  input.sensitive = secret != nullptr && secret->is_true();
  const YamlNode* value = item.find("default");
  if (value != nullptr && !value->is(YamlNode::Kind::Null)) {
    input.has_default = true;
    input.default_value = value_text(*value);
  }
  return input;
}

}  // namespace

Form parse_form(std::string_view yaml, const std::string& id, const TextPlace& place,
                std::vector<Finding>& findings) {
  Form form;
  form.id = id;
  const auto broken = [&](Finding finding, std::string code, std::string text, std::string advice) {
    finding.code = std::move(code);
    finding.text = std::move(text);
    finding.advice = std::move(advice);
    finding.block = id;
    findings.push_back(std::move(finding));
    form.broken = true;
  };
  const Yaml parsed = parse_yaml(yaml);
  if (parsed.problem) {
    broken(finding_at(place, parsed.problem->line, parsed.problem->column), "inputs-yaml",
           parsed.problem->text, parsed.problem->advice);
    return form;
  }
  if (parsed.root.is(YamlNode::Kind::Null)) {
    return form;
  }
  const YamlNode* variables = parsed.root.find("variables");
  if (!parsed.root.is(YamlNode::Kind::Map) ||
      (variables != nullptr && !variables->is(YamlNode::Kind::List) &&
       !variables->is(YamlNode::Kind::Null))) {
    broken(finding_at(place, variables != nullptr ? *variables : parsed.root), "inputs-schema",
           "inputs aren't a list under \"variables:\"", "write variables:, then - name: ...");
    return form;
  }
  if (variables == nullptr) {
    return form;
  }
  if (variables->items.size() > kVariables) {
    broken(finding_at(place, *variables), "inputs-schema",
           "more than " + std::to_string(kVariables) + " inputs", "split the form");
    return form;
  }
  for (const YamlNode& item : variables->items) {
    std::optional<InputDeclaration> variable = read_variable(item);
    if (variable) {
      variable->inputs_id = id;
      form.variables.push_back(std::move(*variable));
    }
  }
  return form;
}

std::vector<InputDeclaration> parse_front_inputs(const YamlNode& list, const TextPlace& place,
                                                 std::vector<Finding>& findings) {
  std::vector<InputDeclaration> out;
  if (list.is(YamlNode::Kind::Null)) {
    return out;
  }
  if (!list.is(YamlNode::Kind::List) || list.items.size() > kVariables) {
    findings.push_back(no_list_of_mappings(place, list));
    return out;
  }
  for (const YamlNode& item : list.items) {
    if (!item.is(YamlNode::Kind::Map)) {
      findings.push_back(no_list_of_mappings(place, item));
      return out;
    }
    if (std::optional<Finding> odd = odd_name(text_or_empty(item, "name"), out)) {
      const Finding at = finding_at(place, item);
      odd->line = at.line;
      odd->column = at.column;
      findings.push_back(std::move(*odd));
      continue;
    }
    out.push_back(read_front_input(item));
  }
  return out;
}

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && name.size() <= 128 && letter(name[0]) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_dangerous_variable(std::string_view name) {
  constexpr std::string_view kNames =
      " PATH HOME ENV IFS SHELL SHELLOPTS BASHOPTS CDPATH GLOBIGNORE PS0 PS1 PS2 PS3 PS4 "
      "PROMPT_COMMAND EDITOR VISUAL PAGER MANPAGER MANROFFOPT BROWSER LESSOPEN LESSCLOSE LESS "
      "PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONINSPECT PERL5LIB PERL5OPT PERL5DB PERLLIB RUBYOPT "
      "RUBYLIB NODE_OPTIONS NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH "
      "MAKEFLAGS GNUMAKEFLAGS MFLAGS TAR_OPTIONS GZIP AWKPATH AWKLIBPATH ZDOTDIR FPATH NULLCMD "
      "READNULLCMD RSYNC_RSH CVS_RSH SSH_ASKPASS SUDO_ASKPASS GCONV_PATH HOSTALIASES LOCPATH "
      "NLSPATH TERMINFO TERMCAP OPENSSL_CONF ";
  constexpr std::array<std::string_view, 9> kBeginnings = {
      "LD_", "DYLD_", "BASH_", "GIT_", "RUNBOOK", "RB_", "MALLOC_", "GLIBC_", "LUA_"};
  return kNames.find(" " + std::string(name) + " ") != std::string_view::npos ||
         std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace rb::rdr
