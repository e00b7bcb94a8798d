// What runbookctl decides without a daemon: words, plans, inputs, reports, walks, completion.
#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <map>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "client/ctl/arguments.h"
#include "client/ctl/check_report.h"
#include "client/ctl/check_walk.h"
#include "client/ctl/commands.h"
#include "client/ctl/completion.h"
#include "client/ctl/help.h"
#include "client/ctl/inputs.h"
#include "client/ctl/report.h"
#include "client/ctl/run_plan.h"
#include "common/json_reader.h"

using namespace rb;
using namespace rb::ctl;

namespace {

// Standard error is where refusals go: they are part of what is tested, not of the report.
class Quiet {
 public:
  Quiet() : saved_(::dup(STDERR_FILENO)) {
    const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(null, STDERR_FILENO);
    ::close(null);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

Result<Parsed> parsed(const Command& command, const std::vector<std::string>& words) {
  Context context;
  return parse_arguments(command, words, context);
}

client::BlockInfo block(const char* id, bool runnable = true, const char* kind = "inline") {
  client::BlockInfo out;
  out.id = id;
  out.type = "command";
  out.kind = kind;
  out.runnable = runnable;
  out.why_not = runnable ? "" : "not yet";
  return out;
}

client::InputInfo input(const char* name, bool required, const char* inputs_id = "in") {
  client::InputInfo out;
  out.name = name;
  out.required = required;
  out.inputs_id = inputs_id;
  return out;
}

Got<Inputs> inputs_from(const std::vector<std::string>& words,
                        const std::vector<const client::BlockInfo*>& blocks) {
  const Quiet quiet;
  Context context;
  std::vector<std::string> all = {"book"};
  for (const std::string& word : words) {
    all.push_back("--input");
    all.push_back(word);
  }
  const auto arguments = parse_arguments(kRun, all, context);
  REQUIRE(arguments.ok());
  return Inputs::from_arguments(context, arguments->arguments, blocks);
}

struct Folder {
  std::string path;
  Folder() {
    char base[] = "/tmp/rb-ctl-XXXXXX";
    path = ::mkdtemp(base);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  void file(const std::string& name, const std::string& text = "") const {
    const std::string whole = path + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(whole).parent_path());
    std::ofstream(whole) << text;
  }
};

}  // namespace

TEST_CASE("arguments: options may stand before, between and after operands") {
  const auto got = parsed(kRun, {"--input", "a=1", "book", "-i", "b=2", "block", "--json", "-k"});
  REQUIRE(got.ok());
  CHECK(got->arguments.operand(0) == "book");
  CHECK(got->arguments.operands_from(1) == std::vector<std::string>{"block"});
  CHECK(got->arguments.values("--input") == std::vector<std::string>{"a=1", "b=2"});
  CHECK(got->arguments.has("--keep-going"));
  CHECK_FALSE(got->arguments.has("--new"));
}

TEST_CASE("arguments: every option that takes a value takes one, and what follows is an operand") {
  for (const Command* command : commands()) {
    if (command->operands.empty()) {
      continue;
    }
    for (const auto options : {command->options, common_options()}) {
      for (const OptionSpec& option : options) {
        if (option.value[0] == '\0') {
          continue;
        }
        CAPTURE(command->name);
        CAPTURE(option.name);
        const auto got = parsed(*command, {option.name, "1", "book"});
        REQUIRE(got.ok());
        CHECK(got->arguments.operands_from(0) == std::vector<std::string>{"book"});
      }
    }
  }
}

TEST_CASE("arguments: values may look like anything") {
  const auto got = parsed(kRun, {"book", "--input=a=--x", "--input", "b=", "--timeout=5m"});
  REQUIRE(got.ok());
  CHECK(got->arguments.values("--input") == std::vector<std::string>{"a=--x", "b="});
  CHECK(got->arguments.value("--timeout") == "5m");
}

TEST_CASE("arguments: operands are taken as they are") {
  const auto got = parsed(kSessionNote, {"[a,b]", "{}", "-", "%%", "--", "-x", "--json", "--"});
  REQUIRE(got.ok());
  CHECK(got->arguments.operands_from(0) ==
        std::vector<std::string>{"[a,b]", "{}", "-", "%%", "-x", "--json", "--"});
}

TEST_CASE("arguments: what isn't in the table is refused, with what was meant") {
  CHECK_FALSE(parsed(kRun, {}).ok());
  CHECK_FALSE(parsed(kPs, {"x"}).ok());
  CHECK_FALSE(parsed(kRun, {"book", "--input"}).ok());
  const auto typo = parsed(kRun, {"book", "--keep-goign"});
  REQUIRE_FALSE(typo.ok());
  CHECK(typo.failure().what.find("--keep-going") != std::string::npos);
}

TEST_CASE("table: every verb has a name of its own, a summary and a help text") {
  const client::Terminal plain_terminal;
  for (const Command* command : commands()) {
    CHECK(find_command(command->name) == command);
    CHECK(std::string(command->summary).size() > 5);
    CHECK(help_of(*command, plain_terminal).find(command->summary) != std::string::npos);
    CHECK(help_overview(plain_terminal).find(std::string("\n  ") + command->name) !=
          std::string::npos);
    for (std::size_t i = 0; i < command->operands.size(); ++i) {
      CHECK((!command->operands[i].repeat || i + 1 == command->operands.size()));
    }
  }
}

TEST_CASE("help: an unknown verb gets the nearest one, a later one its answer") {
  CHECK(unknown_verb("rnu").find("`run`") != std::string::npos);
  CHECK(unknown_verb("approve").find("isn't in this version") != std::string::npos);
  CHECK(unknown_verb("\x1b[2J").find('\x1b') == std::string::npos);
}

TEST_CASE("completion: the shells that are here accept the scripts") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    REQUIRE_FALSE(script.empty());
    CHECK(script.find("attach") != std::string::npos);
    const Folder folder;
    folder.file("script", script);
    const std::string check = std::string("command -v ") + shell + " >/dev/null || exit 0; " +
                              shell + " -n " + folder.path + "/script";
    CHECK(std::system(check.c_str()) == 0);
  }
  CHECK(completion_script("tcsh").empty());
}

TEST_CASE("completion: bash offers verbs, second words and options") {
  const Folder folder;
  folder.file("script", completion_script("bash"));
  const auto offers = [&](const std::string& words, const std::string& count) {
    const std::string run = "bash -c 'source " + folder.path + "/script; COMP_WORDS=(" + words +
                            "); COMP_CWORD=" + count +
                            "; _runbookctl; echo \"${COMPREPLY[*]}\"' >" + folder.path + "/out";
    CHECK(std::system(run.c_str()) == 0);
    std::ifstream in(folder.path + "/out");
    std::string line;
    std::getline(in, line);
    return line;
  };
  CHECK(offers("runbookctl at", "1") == "attach");
  CHECK(offers("runbookctl session st", "2") == "start");
  CHECK(offers("runbookctl session start --w", "3") == "--why");
  CHECK(offers("runbookctl run --keep", "2") == "--keep-going");
}

TEST_CASE("plan: blocks run in the document's order, display blocks aren't steps") {
  client::Opened opened;
  opened.info.blocks = {block("a"), block("show", false, "display"), block("later", false),
                        block("b")};
  const Context context;
  auto all = plan_run(context, opened, {});
  REQUIRE(all);
  REQUIRE(all->size() == 3);
  CHECK((*all)[1].block->id == "later");
  CHECK_FALSE((*all)[1].runs);
  CHECK_FALSE((*all)[1].stops_here);
  auto some = plan_run(context, opened, {"b", "a"});
  REQUIRE(some);
  REQUIRE(some->size() == 2);
  CHECK((*some)[0].block->id == "a");
}

TEST_CASE("plan: a named block that can't run is refused, an unknown one isn't there") {
  const Quiet quiet;
  client::Opened opened;
  opened.info.blocks = {block("alpha"), block("alps"), block("later", false)};
  const Context context;
  CHECK(plan_run(context, opened, {"later"}).status == kRefused);
  CHECK(plan_run(context, opened, {"nix"}).status == kUnknown);
  CHECK(plan_run(context, opened, {"al"}).status == kUnknown);
  auto prefix = plan_run(context, opened, {"alph"});
  REQUIRE(prefix);
  CHECK((*prefix)[0].block->id == "alpha");
}

TEST_CASE("plan: the run ends before what a person must look at") {
  client::Opened opened;
  opened.info.blocks = {block("broken", false), block("wipe", false, "destructive")};
  client::Problem problem;
  problem.severity = client::Severity::Error;
  problem.block = "broken";
  opened.problems = {problem};
  const Context context;
  auto steps = plan_run(context, opened, {});
  REQUIRE(steps);
  CHECK((*steps)[0].stops_here);
  CHECK((*steps)[1].stops_here);
}

TEST_CASE("inputs: a value with an id wins over one without, the last over the first") {
  client::BlockInfo one = block("one");
  one.inputs = {input("Name", true, "x"), input("Other", false, "y")};
  auto got = inputs_from({"Name=a", "Name=b", "x.Name=c", "Name=d"}, {&one});
  REQUIRE(got);
  const auto given = got->for_block(one);
  REQUIRE(given.size() == 1);
  CHECK(given[0].value == "c");
  CHECK(given[0].inputs_id == "x");
}

TEST_CASE("inputs: a value keeps every letter after the first equals sign") {
  client::BlockInfo one = block("one");
  one.inputs = {input("Name", true)};
  auto got = inputs_from({"Name= a=b $(id) "}, {&one});
  REQUIRE(got);
  CHECK(got->for_block(one)[0].value == " a=b $(id) ");
}

TEST_CASE("inputs: a file gives texts as they are and the rest as JSON, by name or by form") {
  client::BlockInfo one = block("one");
  one.inputs = {input("Name", true, "x"), input("List", false, "y"), input("Map", false, "y")};
  const Folder folder;
  const auto from = [&](const std::string& text) {
    const Quiet quiet;
    folder.file("in.json", text);
    Context context;
    const auto arguments =
        parse_arguments(kRun, {"book", "--inputs", folder.path + "/in.json"}, context);
    REQUIRE(arguments.ok());
    return Inputs::from_arguments(context, arguments->arguments, {&one});
  };
  auto got = from(R"({"x.Name":"a \"b\"\n","y":{"List":["p",-1,true,null]},"Map":{"k":{"v":2}}})");
  REQUIRE(got);
  const auto given = got->for_block(one);
  REQUIRE(given.size() == 3);
  CHECK(given[0].value == "a \"b\"\n");
  CHECK(given[1].value == R"(["p",-1,true,null])");
  CHECK(given[2].value == R"({"k":{"v":2}})");
  for (const char* wrong :
       {"", "[]", "{\"Nix\":1}", "{\"Name\":1e999}", "{\"Name\":.5}", "{\"z\":{\"Name\":1}}"}) {
    CHECK(from(wrong).status == kFailure);
  }
}

TEST_CASE("inputs: numbers of a file arrive as they were spelled, and null as nothing given") {
  const Quiet quiet;
  const Folder folder;
  client::BlockInfo one = block("one");
  one.inputs = {input("Number", true), input("List", false), input("Absent", false)};
  const auto given = [&](const std::string& text) {
    folder.file("in.json", text);
    Context context;
    const auto arguments =
        parse_arguments(kRun, {"book", "--inputs", folder.path + "/in.json"}, context);
    REQUIRE(arguments.ok());
    auto got = Inputs::from_arguments(context, arguments->arguments, {&one});
    REQUIRE(got);
    return got->for_block(one);
  };
  for (const char* number : {"1.5", "-0.50", "1e3", "-7", "0", "123456789012345678901234567890"}) {
    const auto values = given(std::string("{\"Absent\":null,\"Number\":") + number + ",\"List\":[" +
                              number + ",\"1.5\"]}");
    REQUIRE(values.size() == 2);
    CHECK(values[0].value == number);
    CHECK(values[1].value == std::string("[") + number + ",\"1.5\"]");
  }
}

TEST_CASE("inputs: a sensitive one is marked to travel sealed, and an argument fits none of them") {
  client::BlockInfo one = block("one");
  one.inputs = {input("Key", true)};
  client::BlockInfo two = one;
  two.inputs[0].sensitive = true;
  CHECK(inputs_from({"Key=x"}, {&one, &two}).status == kFailure);
  auto plain = inputs_from({"Key=x"}, {&one});
  REQUIRE(plain);
  CHECK_FALSE(plain->for_block(one)[0].sensitive);
  CHECK(plain->for_block(two)[0].sensitive);
}

TEST_CASE("report: a rule's number is for programs, its name for people") {
  client::Problem problem;
  for (const auto& [code, name] :
       std::map<std::string, std::string>{{"R2-expression", "expression"},
                                          {"S1-unknown-block", "unknown-block"},
                                          {"R11-x", "x"},
                                          {"front-matter-inputs", "front-matter-inputs"},
                                          {"R-2", "R-2"},
                                          {"RX2-y", "RX2-y"},
                                          {"duplicate-id", "duplicate-id"},
                                          {"", ""}}) {
    problem.code = code;
    CHECK(problem_text(problem, "f", false).find("error[" + name + "]") != std::string::npos);
  }
}

TEST_CASE("inputs: undeclared names, missing equals signs and secrets are refused") {
  client::BlockInfo one = block("one");
  one.inputs = {input("Name", true), input("Key", true)};
  one.inputs[1].sensitive = true;
  CHECK(inputs_from({"Nmae=x"}, {&one}).status == kFailure);
  CHECK(inputs_from({"Name"}, {&one}).status == kFailure);
  CHECK(inputs_from({"=x"}, {&one}).status == kFailure);
  CHECK(inputs_from({"Key=secret"}, {&one}).status == kFailure);
}

TEST_CASE("inputs: without a terminal everything missing is named, and nothing runs") {
  const Quiet quiet;
  client::BlockInfo one = block("one");
  one.inputs = {input("Name", true), input("Free", false)};
  one.inputs.push_back(input("Default", true));
  one.inputs.back().has_default = true;
  Context context;
  context.terminal.in = false;
  auto got = inputs_from({}, {&one});
  REQUIRE(got);
  CHECK(got->complete(context, {&one}) == kRefused);
  auto full = inputs_from({"Name=x"}, {&one});
  REQUIRE(full);
  CHECK(full->complete(context, {&one}) == kYes);
}

TEST_CASE("report: a problem points at its column") {
  client::Problem problem;
  problem.line = 14;
  problem.column = 3;
  problem.end_column = 8;
  problem.code = "expression";
  problem.text = "not a literal";
  problem.excerpt = "  {1+1}";
  problem.advice = "write the text";
  CHECK(problem_text(problem, "ops/runbook.mdx", false) ==
        "ops/runbook.mdx:14:3: error[expression]: not a literal\n"
        "   14 |     {1+1}\n"
        "      |     ^^^^^ write the text\n");
}

TEST_CASE("report: hostile texts stay on their line and never reach the terminal raw") {
  client::Problem problem;
  problem.severity = client::Severity::Warning;
  problem.line = 1;
  problem.column = 200;
  problem.end_column = 5000;
  problem.code = "x\x1b[2J";
  problem.text = "a\nb\u202e";
  problem.excerpt = std::string(300, 'a') + "\t\x1b]0;x\x07";
  problem.advice = "\r";
  const std::string text = problem_text(problem, "f\n", false);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    CHECK(end - at < 260);
    at = end + 1;
  }
}

TEST_CASE(
    "walk: runbook.mdx hides its neighbours, hidden folders and node_modules are passed over") {
  const Folder folder;
  for (const char* name : {"a/runbook.mdx", "a/README.md", "a/notes/x.md", "b/one.md", "b/two.mdx",
                           "b/three.txt", ".git/x.md", "node_modules/y.md", ".hidden.md"}) {
    folder.file(name);
  }
  std::vector<Candidate> found;
  REQUIRE(find_runbooks(folder.path, found).ok());
  std::vector<std::string> names;
  for (const Candidate& one : found) {
    names.push_back(one.path.substr(folder.path.size() + 1));
  }
  CHECK(names ==
        std::vector<std::string>{"a/notes/x.md", "a/runbook.mdx", "b/one.md", "b/two.mdx"});
  CHECK(find_runbooks(folder.path + "/nix", found).failure().code == Code::NotFound);
}

TEST_CASE("check: the summary and the status follow the worst of all files") {
  std::vector<Checked> all(4);
  for (Checked& one : all) {
    one.vetted = true;
  }
  CHECK(check_status(all, true) == kYes);
  client::Problem problem;
  problem.severity = client::Severity::Warning;
  all[1].problems = {problem};
  CHECK(check_status(all, false) == kYes);
  CHECK(check_status(all, true) == kNo);
  problem.severity = client::Severity::Error;
  all[2].problems = {problem};
  CHECK(check_status(all, true) == kRefused);
  all[3].vetted = false;
  CHECK(check_summary(all) == "4 files: 1 refused, 1 with errors, 1 with warnings");
  all[0].failure = "no reader";
  CHECK(check_status(all, false) == kFailure);
}

TEST_CASE("check: the JSON has every field that scripts may rely on") {
  Checked checked;
  checked.path = "a.mdx";
  checked.format = "mdx";
  CheckedBlock one;
  one.id = "a";
  checked.blocks = {one};
  client::Problem problem;
  problem.severity = client::Severity::Refusal;
  problem.construct = "esm";
  checked.problems = {problem};
  const auto json = parse_json(checked_json(checked));
  REQUIRE(json.ok());
  for (const char* key : {"file", "ok", "format", "blocks", "errors", "warnings"}) {
    CHECK(json->find(key) != nullptr);
  }
  const Json& first = json->find("blocks")->items()[0];
  for (const char* key : {"id", "type", "line", "kind", "language", "flags", "executable",
                          "script_sha256", "digest"}) {
    CHECK(first.find(key) != nullptr);
  }
  CHECK(first.find("digest")->is(Json::Kind::Null));
  CHECK(json->find("errors")->items()[0].text_at("construct") == "esm");
}
