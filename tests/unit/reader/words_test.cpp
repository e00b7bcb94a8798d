// Info strings, interpreters and near misses.
#include <doctest/doctest.h>

#include <string>

#include "daemon/reader/info_string.h"
#include "daemon/reader/inputs.h"
#include "daemon/reader/interpreter.h"
#include "daemon/reader/near_miss.h"

namespace rb::rdr {
namespace {

std::string interpreter(const std::string& script) {
  const Interpreter found = interpreter_of_script(script);
  if (!found.problem.empty()) {
    return "!" + found.problem;
  }
  std::string out = found.from + ":";
  for (const std::string& word : found.words) {
    out += " " + word;
  }
  return out;
}

std::string info(const std::string& text) {
  const InfoString parsed = parse_info_string(text);
  std::string out = parsed.language + "|";
  for (const std::string& flag : parsed.flags) {
    out += flag + " ";
  }
  out += "|";
  for (const auto& [name, value] : parsed.attributes) {
    out += name + "=" + value + ";";
  }
  return out;
}

}  // namespace

TEST_CASE("info string: language, flags and attributes") {
  CHECK(info("sh run destructive") == "sh|run destructive |");
  CHECK(info("  sh\t run  ") == "sh|run |");
  CHECK(info("") == "||");
  CHECK(info("sh {name=hello cwd=/tmp} run") == "sh|run |name=hello;cwd=/tmp;");
  CHECK(info("sh name=\"run me\" x='y z'") == "sh||name=run me;x=y z;");
  CHECK(info("sh name=\"open run") == "sh||name=open run;");
  CHECK(info("sh =x }{ run}") == "sh|=x run |");
}

TEST_CASE("interpreter: the first line decides, bash by default") {
  CHECK(interpreter("echo") == "default: bash");
  CHECK(interpreter("") == "default: bash");
  CHECK(interpreter("\n#!/bin/sh\n") == "default: bash");
  CHECK(interpreter("#!/bin/sh\necho") == "shebang: /bin/sh");
  CHECK(interpreter("#! /bin/bash -eu\r\necho") == "shebang: /bin/bash -eu");
  CHECK(interpreter("#!/usr/bin/env python3\n") == "shebang: python3");
  CHECK(interpreter("#!/usr/bin/env python3 -u\n") == "shebang: python3 -u");
  CHECK(interpreter("#!/usr/bin/env -S python3 -u 'a b'\n") == "shebang: python3 -u a b");
  CHECK(interpreter("#!/usr/bin/env -Sbash -e\n") == "shebang: bash -e");
  CHECK(interpreter("#!bash\n") == "shebang: bash");
  for (const char* bad :
       {"#!\n", "#!   \n", "#!/usr/bin/env\n", "#!/usr/bin/env -i bash\n",
        "#!/usr/bin/env A=b bash\n", "#!./run\n", "#!{{ .x }}\n", "#!/usr/bin/env -S 'x\n"}) {
    CHECK_MESSAGE(interpreter(bad).starts_with("!"), std::string(bad));
  }
}

TEST_CASE("interpreter: only plain bash and sh are shells we quote for") {
  CHECK(shell_of(interpreter_of_script("echo")) == Shell::Bash);
  CHECK(shell_of(interpreter_of_script("#!/bin/sh -e\n")) == Shell::Sh);
  CHECK(shell_of(interpreter_of_script("#!/bin/dash\n")) == Shell::Sh);
  CHECK(shell_of(interpreter_of_script("#!/bin/bash -O extglob\n")) == Shell::None);
  CHECK(shell_of(interpreter_of_script("#!/bin/bash -k\n")) == Shell::None);
  CHECK(shell_of(interpreter_of_script("#!/bin/zsh\n")) == Shell::None);
  CHECK(shell_of(interpreter_of_script("#!/usr/bin/env python3\n")) == Shell::None);
}

TEST_CASE("languages: bash, sh, zsh and ruby, and what a front matter adds") {
  Languages languages;
  CHECK(languages.runs("zsh"));
  CHECK(!languages.runs("sql"));
  CHECK(languages.add("sql", "psql -f"));
  CHECK(languages.interpreter_of("sql").words == std::vector<std::string>{"psql", "-f"});
  CHECK(languages.add("ruby", "bin/rails runner -"));
  CHECK(languages.interpreter_of("ruby").words.size() == 3);
  CHECK(!languages.add("x", ""));
  CHECK(!languages.add("x", "'open"));
}

TEST_CASE("words: split as a shell would, nothing expanded") {
  std::vector<std::string> words;
  CHECK(split_words("a 'b c' \"d \\\" e\" f\\ g $HOME '' ", words));
  CHECK(words == std::vector<std::string>{"a", "b c", "d \" e", "f g", "$HOME", ""});
}

TEST_CASE("near misses: fences that ask to run where none can stand") {
  CHECK(fences_in_html("<!--\n```sh run\nx\n```\n-->").size() == 1);
  CHECK(fences_in_html("<!--\n```sh run\nx\n```\n-->")[0].in_comment);
  CHECK(!fences_in_html("<pre>\n```sh run\n```\n</pre>")[0].in_comment);
  CHECK(fences_in_html("<!--\n```sh\n```\n-->").empty());
  CHECK(fences_in_html("<!-- a\n````md\n```sh run\n```\n````\n-->").empty());
  CHECK(fences_in_indented("a\n```sh run\n```") == std::vector<std::uint32_t>{1});
  CHECK(swallows_fence("echo\n```sh run\n", '`', 3));
  CHECK(!swallows_fence("echo\n```sh run\n", '`', 4));
  CHECK(!swallows_fence("echo\n~~~sh run\n", '`', 3));
}

TEST_CASE("inputs: a form with every kind of variable") {
  std::vector<Finding> findings;
  const Form form = parse_form(
      "variables:\n"
      "  - name: A\n    type: String\n    description: what\n    default: x\n"
      "  - name: B\n    type: bool\n"
      "  - name: C\n    type: enum\n    options: [one, 2]\n"
      "  - name: D\n    type: list\n    default: [a, 1]\n    sensitive: true\n"
      "  - name: E\n    type: oddity\n    default: \"{{ .inputs.A }}-x\"\n"
      "    validations:\n      - required\n      - type: length\n        args: [1, 5]\n"
      "  - description: no name\n",
      "form", TextPlace(), findings);
  CHECK(findings.empty());
  REQUIRE(form.variables.size() == 5);
  CHECK(form.variables[0].type == "string");
  CHECK(form.variables[0].default_value == "x");
  CHECK(form.variables[1].default_value == "false");
  CHECK(form.variables[2].options == std::vector<std::string>{"one", "2"});
  CHECK(!form.variables[2].has_default);
  CHECK(form.variables[3].default_value == "[\"a\",1]");
  CHECK(form.variables[3].sensitive);
  CHECK(form.variables[4].type == "string");
  CHECK(!form.variables[4].has_default);
  CHECK(form.variables[4].rules == std::vector<std::string>{"required", "length 1 5"});
  CHECK(form.variables[4].inputs_id == "form");
}

TEST_CASE("inputs: names that decide what programs do can't be inputs") {
  for (const char* name : {"PATH", "LD_PRELOAD", "BASH_ENV", "IFS", "GIT_SSH_COMMAND", "RB_1",
                           "RUNBOOK_WORK", "PYTHONPATH", "PS4"}) {
    CHECK_MESSAGE(is_dangerous_variable(name), std::string(name));
  }
  for (const char* name : {"NAME", "DB_HOST", "Region", "path", "TOKEN", "PATHS"}) {
    CHECK_MESSAGE(!is_dangerous_variable(name), std::string(name));
  }
}

}  // namespace rb::rdr
