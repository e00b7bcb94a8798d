// Values against real shells: they arrive whole, and nothing else happens.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include "daemon/reader/shell_state.h"
#include "daemon/reader/template.h"
#include "tests/unit/reader/shell_run.h"

namespace rb::test {
namespace {

using rdr::Piece;
using rdr::PieceKind;
using rdr::Shell;

constexpr std::size_t kValuesFloor = 5000;

class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t most) { return engine_() % most; }
  template <typename List>
  const auto& pick(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937 engine_;
};

// Every attack we know, in the spellings that fit some place; CANARY is a file in the work folder.
const std::vector<std::string> kAttacks = {"$(touch CANARY)",
                                           "`touch CANARY`",
                                           "; touch CANARY;",
                                           "'; touch CANARY; '",
                                           "\"; touch CANARY; \"",
                                           "\n touch CANARY\n",
                                           "| touch CANARY",
                                           "&& touch CANARY",
                                           "a[$(touch CANARY)]",
                                           "${x:=$(touch CANARY)}",
                                           "$((a[$(touch CANARY)]))",
                                           "> CANARY",
                                           ">CANARY",
                                           "<(touch CANARY)",
                                           "EOF\ntouch CANARY\n",
                                           "\nEOF\ntouch CANARY",
                                           "EOF",
                                           "A",
                                           "B",
                                           "\\",
                                           "\\\\",
                                           "\\$(touch CANARY)",
                                           "'",
                                           "\"",
                                           "''",
                                           "\"\"",
                                           "'\"'",
                                           "$'\\n'",
                                           "*",
                                           "?",
                                           "[a]",
                                           "~",
                                           "~root",
                                           "-n",
                                           "-e",
                                           "--",
                                           "a b  c",
                                           " lead",
                                           "trail ",
                                           "\ttab\t",
                                           "line\nline\n",
                                           "\n\n",
                                           "%s%n%d",
                                           "\\c",
                                           "\\0",
                                           "!!",
                                           "#",
                                           "# touch CANARY",
                                           "$x",
                                           "${RB_1}",
                                           "$RB_2",
                                           "}",
                                           "{a,b}",
                                           ")",
                                           "(",
                                           "((",
                                           "]]",
                                           "[[",
                                           "done",
                                           "fi",
                                           "esac",
                                           ";;",
                                           "x;;y",
                                           "a=b",
                                           "=",
                                           "\xc3\xa4\xf0\x9f\x9a\x80",
                                           "\xff\xfe",
                                           "\x01\x02\x7f",
                                           "\r\n",
                                           "2",
                                           "2>CANARY",
                                           "x > CANARY",
                                           "\"$(touch CANARY)\"",
                                           "'$(touch CANARY)'",
                                           "\"`touch CANARY`\"",
                                           "x'$(touch CANARY)'x",
                                           "x\"$(touch CANARY)\"x",
                                           "a\\",
                                           "\\\n",
                                           "a\\\nb",
                                           "$",
                                           "$$",
                                           "$(",
                                           "`",
                                           "${",
                                           "$((",
                                           "EOF)",
                                           "touch CANARY"};

std::string hostile(Chance& chance) {
  if (chance.below(3) != 0) {
    return chance.pick(kAttacks);
  }
  static const std::string kBytes = "aZ09 _-./$`'\"\\\n\t;&|<>(){}[]*?~!#=%^,:@+\x01\xc3\xa4";
  std::string out;
  for (std::size_t left = 1 + chance.below(24); left > 0; --left) {
    out += chance.below(8) == 0 ? chance.pick(kAttacks) : std::string(1, chance.pick(kBytes));
  }
  return out;
}

// A statement with one value, and what it prints of it; NUL ends each print.
struct Statement {
  const char* text;    // @ is where the value goes
  const char* before;  // printed before the value
  const char* after;
};

constexpr Statement kStatements[] = {
    {"printf '%s\\0' @\n", "", ""},
    {"printf '%s\\0' a@b\n", "a", "b"},
    {"printf '%s\\0' \"@\"\n", "", ""},
    {"printf '%s\\0' \"a @ b\"\n", "a ", " b"},
    {"printf '%s\\0' '@'\n", "", ""},
    {"printf '%s\\0' 'a \" @ b'\n", "a \" ", " b"},
    {"printf '%s\\0' \"it's \"@'\"q\"'\n", "it's ", "\"q\""},
    {"X=@\nprintf '%s\\0' \"$X\"\n", "", ""},
    {"X=\"<@>\"; printf '%s\\0' \"${X}\"\n", "<", ">"},
    {"X='@'; Y=\"$X\"; printf '%s\\0' \"$Y\"\n", "", ""},
    {"export X=a@; printf '%s\\0' \"$X\"\n", "a", ""},
    {"for f in @; do printf '%s\\0' \"$f\"; done\n", "", ""},
    {"for f in 'x @'; do printf '%s\\0' \"$f\"; done\n", "x ", ""},
    {"case @ in zzz) exit 9 ;; *) printf '%s\\0' \"@\" ;; esac\n", "", ""},
    {"f() { printf '%s\\0' \"$1\"; }\nf @\n", "", ""},
    {"f() { printf '%s\\0' \"$1\"; }\nf \"@\" other\n", "", ""},
    {"set -- \"@\"; printf '%s\\0' \"$1\"\n", "", ""},
    {"printf '%s\\0' \"$(printf '%s.' @)\"\n", "", "."},
    {"printf '%s\\0' \"$(printf '%s.' \"@\" | cat)\"\n", "", "."},
    {"Y=\"$(printf '%s.' '@')\"; printf '%s\\0' \"$Y\"\n", "", "."},
    {"if [ \"x@\" != y ]; then printf '%s\\0' @; fi\n", "", ""},
    {"( printf '%s\\0' @ )\n", "", ""},
    {"{ printf '%s\\0' \"@\"; } | cat\n", "", ""},
    {"printf '%s\\0' a # @\n", "a", nullptr},
    {"# @\nprintf '%s\\0' b\n", "b", nullptr},
    {"cat <<EOF\nv: @ .\nEOF\nprintf '\\0'\n", "v: ", " .\n"},
    {"cat <<-EOF\n\tv: @ .\n\tEOF\nprintf '\\0'\n", "v: ", " .\n"},
    {"cat <<A; printf '\\0'\n\"@\" '$x\nA\n", "\"", "\" '\n"},
    {"X=$(cat <<EOF\n<@>\nEOF\n)\nprintf '%s\\0' \"$X\"\n", "<", ">"},
    {"cat <<EOF\n@\nEOF\nprintf '\\0'\n", "", "\n"},
    {"printf '%s\\0' -- @ | cat\n", "--\0", ""},
    {"printf '%s\\0' \\\n  \"@\" \\\n  2>&1\n", "", ""},
    {"true && printf '%s\\0' @ || exit 9\n", "", ""},
};

struct Wrapper {
  const char* before;
  const char* after;
};
constexpr Wrapper kWrappers[] = {
    {"", ""},
    {"if true; then\n", "fi\n"},
    {"{\n", "}\n"},
    {"(\n", ")\n"},
    {"for i in 1; do\n", "done\n"},
    {"while true; do\n", "break\ndone\n"},
    {"case a in\na)\n", ";;\nesac\n"},
    {"g() {\n", "}\ng\n"},
    {"cat <<'Q'\n$( ` \" '\nQ\n", ""},
    {"echo 'a\"b' \"c'd\" `echo e` >/dev/null\n", ""},
    {"! false && {\n", "}\n"},
};

struct Made {
  std::string script;
  std::string expected;
  Values values;
  std::size_t insertions = 0;
};

// Some statements, each with a value of its own that its places take.
Made make_script(Chance& chance, Shell shell) {
  Made out;
  for (std::size_t i = 0; i < 8; ++i) {
    const Statement& statement = chance.pick(kStatements);
    const Wrapper& wrapper = chance.pick(kWrappers);
    const std::string name = "v" + std::to_string(i);
    std::string text = statement.text;
    for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@')) {
      text.replace(at, 1, "{{ ." + name + " }}");
    }
    const std::string script = wrapper.before + text + wrapper.after;
    rdr::Template parsed = rdr::parse_template(script);
    const rdr::Placing placing = rdr::place_insertions(script, parsed.pieces, shell);
    REQUIRE_MESSAGE(placing.why_not.empty(), script);
    std::string value = hostile(chance);
    while (!std::all_of(parsed.pieces.begin(), parsed.pieces.end(), [&](const Piece& piece) {
      return piece.kind != PieceKind::Insertion || accepts(piece, value);
    })) {
      value = hostile(chance);
    }
    for (const Piece& piece : parsed.pieces) {
      out.insertions += piece.kind == PieceKind::Insertion ? 1U : 0U;
      CHECK_MESSAGE((piece.kind != PieceKind::Insertion || piece.place != rdr::Place::HarmlessOnly),
                    script, piece.why);
    }
    if (std::string(wrapper.before).starts_with("cat")) {
      out.expected += "$( ` \" '\n";
    }
    std::string before = statement.before;
    if (before == "--") {
      before += '\0';
    }
    out.expected += before;
    if (statement.after != nullptr) {
      out.expected += value + statement.after;
    }
    out.expected += '\0';
    out.values[name] = value;
    out.script += script;
  }
  return out;
}

std::string visible(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '\0' ? "<NUL>" : std::string(1, c);
  }
  return out;
}

void run_property(const std::string& program, Shell shell, unsigned seed, std::size_t& values) {
  if (!has_program(program)) {
    MESSAGE("skipped: no ", program);
    return;
  }
  Chance chance(seed);
  for (int round = 0; round < 250; ++round) {
    const Made made = make_script(chance, shell);
    rdr::Template parsed = rdr::parse_template(made.script);
    const rdr::Placing placing = rdr::place_insertions(made.script, parsed.pieces, shell);
    REQUIRE_MESSAGE(placing.why_not.empty(), made.script);
    const JoinedScript joined = join_script(made.script, parsed.pieces, made.values);
    if (joined.refused) {
      continue;  // together the statements mean more: X may be taken apart by another one
    }
    const ShellResult result = run_shell(program, joined);
    values += made.insertions;
    const bool whole = result.output == made.expected && result.errors.empty() &&
                       result.files.empty() && result.status == 0;
    CHECK_MESSAGE(whole, program, "\n", joined.script, "\nwanted: ", visible(made.expected),
                  "\ngot: ", visible(result.output), "\nerrors: ", result.errors);
    if (!whole) {
      return;
    }
  }
}

const std::vector<std::string> kTokens = {"echo ",       "printf '%s' ",
                                          "cat ",        "eval ",
                                          "sh -c ",      "test ",
                                          "[ ",          " ] ",
                                          "[[ ",         " ]] ",
                                          ": ",          "X=",
                                          "X=(",         "Y=\"$X\" ",
                                          "$X ",         "\"$X\" ",
                                          "${X} ",       "\"${X:-",
                                          "} ",          "}\" ",
                                          "\" ",         "' ",
                                          "\"",          "'",
                                          "$(",          ") ",
                                          "`",           "$((",
                                          ")) ",         "((",
                                          "{ ",          "( ",
                                          "; ",          "\n",
                                          "&& ",         "|| ",
                                          "| ",          "| sh ",
                                          "<<EOF ",      "<<'EOF' ",
                                          "<<-EOF ",     "\nEOF\n",
                                          "EOF\n",       "\nA\n",
                                          "<<A ",        "<<< ",
                                          "> out ",      "< out ",
                                          "2>&1 ",       "if ",
                                          "then ",       "else ",
                                          "fi ",         "fi\n",
                                          "for f in ",   "do ",
                                          "done ",       "done\n",
                                          "case ",       " in ",
                                          "a) ",         ";; ",
                                          "esac ",       "esac\n",
                                          "f() ",        "f ",
                                          "# ",          "\\",
                                          "\\\n",        "$",
                                          "$'",          "-gt 3 ",
                                          "= a ",        "-v ",
                                          "export ",     "read -r X ",
                                          "declare -i ", "set -- ",
                                          "\"$1\" ",     "$1 ",
                                          "$@ ",         "trap ",
                                          " EXIT ",      "let ",
                                          "a ",          "b",
                                          "=",           "/",
                                          "!",           "+=",
                                          "[",           "]=",
                                          "<(",          "&",
                                          "%s ",         "\t"};

// Statements that are understood, then broken or mended by a few tokens.
std::string make_soup(Chance& chance, Values& values) {
  std::string script;
  const auto value_here = [&] {
    const std::string name = "v" + std::to_string(values.size());
    values[name] = "";
    return "{{ ." + name + " }}";
  };
  for (std::size_t left = 1 + chance.below(3); left > 0; --left) {
    const Wrapper& wrapper = chance.pick(kWrappers);
    script += wrapper.before;
    script += chance.pick(kStatements).text;
    script += wrapper.after;
  }
  for (std::size_t left = chance.below(5); left > 0; --left) {
    const std::size_t at = chance.below(script.size() + 1);
    if (chance.below(4) == 0) {
      script.erase(at, 1 + chance.below(3));
    } else {
      script.insert(at, chance.below(4) == 0 ? "@" : chance.pick(kTokens));
    }
  }
  for (std::size_t at = script.find('@'); at != std::string::npos; at = script.find('@', at)) {
    const std::string value = chance.below(8) == 0 ? "" : value_here();
    script.replace(at, 1, value);
    at += value.size();
  }
  return script;
}

// Gives each value an attack that its place takes; false when none takes more than harmless ones.
bool attack(Chance& chance, const std::vector<Piece>& pieces, Values& values) {
  bool any = false;
  for (const Piece& piece : pieces) {
    if (piece.kind != PieceKind::Insertion) {
      continue;
    }
    std::string& value = values[piece.input];
    value = chance.pick(kAttacks);
    for (int tries = 0; tries < 20 && !accepts(piece, value); ++tries) {
      value = chance.pick(kAttacks);
    }
    if (!accepts(piece, value)) {
      value = "abc";
    }
    any = any || piece.place != rdr::Place::HarmlessOnly;
  }
  return any;
}

}  // namespace

TEST_CASE("shell property: hostile values arrive whole in bash, sh and dash, at every place") {
  std::size_t values = 0;
  run_property("bash", Shell::Bash, 1, values);
  run_property("bash", Shell::Bash, 2, values);
  run_property("sh", Shell::Sh, 3, values);
  run_property("dash", Shell::Sh, 4, values);
  MESSAGE("values that arrived whole: ", values);
  CHECK(values >= kValuesFloor);
}

TEST_CASE("shell property: an attack where no reference may stand does act (the control)") {
  for (const char* script : {"eval {{ .x }}", "X={{ .x }}; eval \"$X\"", "[[ {{ .x }} -gt 3 ]]"}) {
    rdr::Template parsed = rdr::parse_template(script);
    (void)rdr::place_insertions(script, parsed.pieces, Shell::Bash);
    for (Piece& piece : parsed.pieces) {
      if (piece.kind == PieceKind::Insertion) {
        CHECK(piece.place == rdr::Place::HarmlessOnly);
        piece.place = rdr::Place::Plain;
      }
    }
    const std::string value =
        std::string(script).starts_with("[[") ? "a[$(touch CANARY)]" : "touch CANARY";
    const ShellResult result =
        run_shell("bash", join_script(script, parsed.pieces, {{"x", value}}));
    CHECK_MESSAGE(result.files == std::vector<std::string>{"CANARY"}, std::string(script));
  }
}

TEST_CASE("shell property: in random scripts no accepted value ever acts") {
  if (!has_program("bash")) {
    MESSAGE("skipped: no bash");
    return;
  }
  const char* wanted = std::getenv("RUNBOOKD_SHELL_ROUNDS");  // for a long hunt
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 800;
  const char* seed = std::getenv("RUNBOOKD_SHELL_SEED");
  Chance chance(seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 7);
  std::size_t ran = 0;
  std::size_t references = 0;
  for (int round = 0; round < rounds; ++round) {
    Values values;
    const std::string script = make_soup(chance, values);
    const bool bash = round % 2 == 0;
    rdr::Template parsed = rdr::parse_template(script);
    const Shell shell = bash ? Shell::Bash : Shell::Sh;
    if (!parsed.why_not.empty() || values.empty() ||
        !rdr::place_insertions(script, parsed.pieces, shell).why_not.empty()) {
      continue;
    }
    const bool any = attack(chance, parsed.pieces, values);
    const JoinedScript joined = join_script(script, parsed.pieces, values);
    if (!any || joined.refused || joined.environment.empty()) {
      continue;
    }
    ++ran;
    references += joined.environment.size();
    const ShellResult result = run_shell(bash ? "bash" : "sh", joined);
    const bool acted =
        std::find(result.files.begin(), result.files.end(), "CANARY") != result.files.end();
    std::string shown;
    for (const std::string& one : joined.environment) {
      shown += "\n  " + one;
    }
    CHECK_MESSAGE(!acted, (bash ? "bash" : "sh"), "\n", joined.script, "\nwith", shown);
  }
  MESSAGE("random scripts run: ", ran, ", references in them: ", references);
  CHECK(ran >= 200);
}

}  // namespace rb::test
