// The collected conformance data and the public corpus, where they lie beside the source.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "common/digest.h"
#include "common/json_reader.h"
#include "daemon/reader/interpreter.h"
#include "daemon/reader/shell_state.h"
#include "daemon/reader/template.h"
#include "tests/unit/reader/opened.h"

namespace rb::test {
namespace {

std::string shown(const std::string& block, std::uint64_t line, std::string_view kind) {
  return (block.empty() ? "-" : block) + ":" + std::to_string(line) + ":" + std::string(kind);
}

void set_up(const Json& data, const Folder& folder) {
  folder.write("runbook.mdx", data.text_at("source"));
  if (const Json* files = data.find("files")) {
    for (std::size_t i = 0; i < files->names().size(); ++i) {
      folder.write(files->names()[i], files->items()[i].text());
    }
  }
  if (const Json* links = data.find("symlinks")) {
    for (std::size_t i = 0; i < links->names().size(); ++i) {
      folder.link(links->names()[i], links->items()[i].text());
    }
  }
  if (const Json* fifos = data.find("fifos")) {
    for (const Json& fifo : fifos->items()) {
      folder.fifo(fifo.text());
    }
  }
}

std::string without_dot(std::string_view path) {
  return std::string(path.starts_with("./") ? path.substr(2) : path);
}

// doctest prints C strings.
std::string visible(std::string text) {
  for (std::size_t at = text.find('\0'); at != std::string::npos; at = text.find('\0')) {
    text.replace(at, 1, "<NUL>");
  }
  return text;
}

// "" where ours equals the expectation.
std::string registry_difference(const Json& data) {
  const Folder folder;
  set_up(data, folder);
  const Opened opened = open_folder(folder.path());
  std::string wanted;
  std::string got;
  for (const Json& one : data.find("executables")->items()) {
    const Json* verbatim = one.find("script_verbatim");
    wanted +=
        shown(std::string(one.text_at("block")), one.natural_at("line"), one.text_at("type")) +
        ":" + std::string(one.text_at("kind")) + ":" +
        (verbatim != nullptr ? verbatim->text() : std::string(one.text_at("script"))) + "\n";
  }
  for (const OpenedBlock& block : opened.executables()) {
    got += shown(block.id, block.line, block.type) + ":" + block.kind + ":" + block.script + "\n";
  }
  for (const Json& one : data.find("errors")->items()) {
    const bool vetting = one.text_at("kind") == "not-vetted";
    const Json* line = one.find("line");
    const bool anywhere = vetting && line->is(Json::Kind::Null);
    wanted += "error " +
              (anywhere ? std::string("refused somewhere")
                        : shown(std::string(one.text_at("block")), one.natural_at("line"),
                                one.text_at("kind"))) +
              "\n";
    if (vetting && !opened.vetted && !opened.problems.empty()) {
      got += "error " +
             (anywhere ? std::string("refused somewhere")
                       : shown("", opened.problems.front().line, "not-vetted")) +
             "\n";
    }
  }
  for (const OpenedProblem& problem : opened.problems) {
    if (problem.severity == "error") {
      got += "error " + shown(problem.block, problem.line, problem.code) + "\n";
    }
  }
  if (const Json* warnings = data.find("warnings")) {
    for (const Json& one : warnings->items()) {
      wanted +=
          "warning " +
          shown(std::string(one.text_at("block")), one.natural_at("line"), one.text_at("kind")) +
          "\n";
    }
  }
  for (const OpenedProblem& problem : opened.problems) {
    if (problem.severity == "warning") {
      got += "warning " + shown(problem.block, problem.line, problem.code) + "\n";
    }
  }
  return wanted == got ? "" : visible("wanted:\n" + wanted + "got:\n" + got + opened.failed);
}

std::string fences_difference(const Json& data) {
  const Opened opened = open_text("runbook.md", data.text_at("source"));
  std::string wanted;
  std::string got;
  for (const Json& one : data.find("blocks")->items()) {
    wanted += shown("", one.natural_at("line"), one.text_at("kind")) + ":" +
              std::string(one.text_at("language")) + ":" + std::string(one.text_at("code"));
  }
  for (const OpenedBlock& block : opened.blocks) {
    got += shown("", block.line, block.kind) + ":" + block.language + ":" + block.script;
  }
  std::set<std::string> wanted_warnings;
  std::set<std::string> allowed;
  std::set<std::string> got_warnings;
  for (const Json& one : data.find("warnings")->items()) {
    wanted_warnings.insert(shown("", one.natural_at("line"), one.text_at("kind")));
  }
  if (const Json* may = data.find("may_warn")) {
    for (const Json& one : may->items()) {
      allowed.insert(shown("", one.natural_at("line"), one.text_at("kind")));
    }
  }
  for (const OpenedProblem& problem : opened.problems) {
    const std::string one = shown("", problem.line, problem.code);
    if (allowed.count(one) == 0) {
      got_warnings.insert(one);
    }
  }
  for (const std::string& one : wanted_warnings) {
    wanted += "warning " + one + "\n";
  }
  for (const std::string& one : got_warnings) {
    got += "warning " + one + "\n";
  }
  return wanted == got ? "" : visible("wanted:\n" + wanted + "got:\n" + got + opened.failed);
}

template <typename Difference>
void run_cases(const std::string& file, Difference&& difference) {
  const std::string shared = shared_folder();
  if (shared.empty()) {
    return;
  }
  std::size_t passed = 0;
  const std::vector<std::string> lines = lines_of(shared + "/conformance/" + file);
  for (const std::string& line : lines) {
    const Result<Json> data = parse_json(line);
    REQUIRE(data.ok());
    const std::string found = difference(*data);
    CHECK_MESSAGE(found.empty(), data->text_at("id"), "\n", found);
    passed += found.empty() ? 1U : 0U;
  }
  MESSAGE(file, ": ", passed, " of ", lines.size());
  CHECK(passed == lines.size());
  CHECK(!lines.empty());
}

// Values as {name:place}, what is dropped left out.
std::string shown_trace(const std::string& script) {
  const rdr::Interpreter interpreter = rdr::interpreter_of_script(script);
  rdr::Template parsed = rdr::parse_template(script);
  if (!parsed.why_not.empty()) {
    return "refused on line " + std::to_string(parsed.why_line);
  }
  const rdr::Placing placing =
      rdr::place_insertions(script, parsed.pieces, rdr::shell_of(interpreter));
  if (!placing.why_not.empty()) {
    return "refused on line " + std::to_string(placing.line);
  }
  constexpr const char* kPlaces[] = {"plain", "double", "single", "here", "harmless"};
  std::string out;
  for (const rdr::Piece& piece : parsed.pieces) {
    if (piece.kind == rdr::PieceKind::Literal) {
      out += script.substr(piece.offset, piece.length);
    } else if (piece.kind == rdr::PieceKind::Insertion) {
      const bool reference = piece.place != rdr::Place::HarmlessOnly;
      out += "{" + piece.input + (piece.output.empty() ? "" : ">" + piece.output) + ":" +
             kPlaces[static_cast<unsigned>(piece.place)] +
             (reference && piece.word_start ? ":no dash" : "") +
             (piece.not_value.empty() ? "" : ":not " + piece.not_value) + "}";
    }
  }
  return out;
}

}  // namespace

TEST_CASE("registry conformance: executables and errors of MDX runbooks") {
  run_cases("registry.jsonl", registry_difference);
}

TEST_CASE("fences conformance: blocks and warnings of Markdown runbooks") {
  run_cases("fences.jsonl", fences_difference);
}

TEST_CASE("template golden cases: trace and places of whole scripts") {
  std::size_t cases = 0;
  for (const std::string& line : lines_of(golden_folder() + "/templates/cases.jsonl")) {
    const Result<Json> data = parse_json(line);
    REQUIRE(data.ok());
    const std::string script(data->text_at("script"));
    const std::string got = shown_trace(script);
    const std::uint64_t refused = data->natural_at("refused");
    const std::string wanted = refused != 0 ? "refused on line " + std::to_string(refused)
                                            : std::string(data->text_at("trace"));
    CHECK_MESSAGE(got == wanted, script, "\nwanted:\n", wanted, "\ngot:\n", got);
    ++cases;
  }
  CHECK(cases >= 13);
}

TEST_CASE("corpus: public MDX runbooks are accepted with their executables") {
  const std::string shared = shared_folder();
  if (shared.empty()) {
    return;
  }
  std::size_t files = 0;
  std::size_t right = 0;
  for (const std::string& line : lines_of(shared + "/corpus/expected-mdx.jsonl")) {
    const Result<Json> data = parse_json(line);
    REQUIRE(data.ok());
    const std::string file(data->text_at("file"));
    // The corpus holds no script files: their names are enough here.
    const Folder folder;
    folder.write("runbook.mdx", read_file(shared + "/corpus/" + file));
    for (const Json& one : data->find("executables")->items()) {
      if (one.text_at("kind") == "file") {
        folder.write(std::string(one.text_at("path")), "true\n");
      }
    }
    const Opened opened = open_folder(folder.path());
    std::string wanted;
    std::string got;
    for (const Json& one : data->find("executables")->items()) {
      wanted +=
          shown(std::string(one.text_at("block")), one.natural_at("line"), one.text_at("kind")) +
          ":" +
          without_dot(one.text_at(one.text_at("kind") == "file" ? "path" : "sha256_of_script")) +
          "\n";
    }
    for (const Json& one : data->find("errors")->items()) {
      wanted +=
          "error " +
          shown(std::string(one.text_at("block")), one.natural_at("line"), one.text_at("kind")) +
          "\n";
    }
    for (const OpenedBlock& block : opened.executables()) {
      got += shown(block.id, block.line, block.kind) + ":" +
             (block.kind == "file" ? block.path : sha256(as_bytes(block.script)).hex()) + "\n";
    }
    for (const OpenedProblem& problem : opened.problems) {
      if (problem.severity == "error") {
        got += "error " + shown(problem.block, problem.line, problem.code) + "\n";
      }
    }
    CHECK_MESSAGE(opened.vetted, file);
    CHECK_MESSAGE(wanted == got, file, "\nwanted:\n", wanted, "got:\n", got);
    ++files;
    right += opened.vetted && wanted == got ? 1U : 0U;
  }
  MESSAGE("corpus: ", right, " of ", files, " MDX runbooks right");
  CHECK(right == files);
}

TEST_CASE("corpus: every fence of public Markdown is found with its code") {
  const std::string shared = shared_folder();
  if (shared.empty()) {
    return;
  }
  std::size_t files = 0;
  std::size_t right = 0;
  for (const std::string& line : lines_of(shared + "/corpus/expected-fences.jsonl")) {
    const Result<Json> data = parse_json(line);
    REQUIRE(data.ok());
    const std::string file(data->text_at("file"));
    const Opened opened = open_text("runbook.md", read_file(shared + "/corpus/" + file));
    std::string wanted;
    std::string got;
    for (const Json& one : data->find("fences")->items()) {
      if (!one.text_at("info").empty()) {
        wanted += std::to_string(one.natural_at("line")) + ":" +
                  std::string(one.text_at("sha256_of_code")) + "\n";
      }
    }
    for (const OpenedBlock& block : opened.blocks) {
      got += std::to_string(block.line) + ":" + sha256(as_bytes(block.script)).hex() + "\n";
    }
    ++files;
    CHECK_MESSAGE(wanted == got, file, "\nwanted:\n", wanted, "got:\n", got,
                  opened.problems.empty() ? "" : opened.problems.front().text);
    right += wanted == got ? 1U : 0U;
  }
  MESSAGE("corpus: ", right, " of ", files, " Markdown files right");
  CHECK(right == files);
}

}  // namespace rb::test
