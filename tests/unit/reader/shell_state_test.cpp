// Where a value may stand: one line a case, one letter an insertion.
#include "daemon/reader/shell_state.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "daemon/reader/template.h"

namespace rb::rdr {
namespace {

// p plain, d double quotes, s single quotes, h here-document, x harmless only; "-" after it where a
// word starts, "=V" where V is refused; "!" alone: the block doesn't run.
std::string places(const std::string& script, Shell shell = Shell::Bash) {
  Template parsed = parse_template(script);
  REQUIRE_MESSAGE(parsed.why_not.empty(), script, parsed.why_not);
  const Placing placing = place_insertions(script, parsed.pieces, shell);
  if (!placing.why_not.empty()) {
    return "!";
  }
  std::string out;
  for (const Piece& piece : parsed.pieces) {
    if (piece.kind == PieceKind::Insertion) {
      out += "pdshx"[static_cast<unsigned>(piece.place)];
      out += piece.place != Place::HarmlessOnly && piece.word_start ? "-" : "";
      out += piece.not_value.empty() ? "" : "=" + piece.not_value;
      CHECK(piece.why.empty() == (piece.place != Place::HarmlessOnly));
    }
  }
  return out;
}

std::string why(const std::string& script, Shell shell = Shell::Bash) {
  Template parsed = parse_template(script);
  (void)place_insertions(script, parsed.pieces, shell);
  for (const Piece& piece : parsed.pieces) {
    if (piece.kind == PieceKind::Insertion) {
      return piece.why;
    }
  }
  return "";
}

struct Case {
  const char* script;
  const char* places;
};

void check_all(const std::vector<Case>& cases, Shell shell = Shell::Bash) {
  for (const Case& one : cases) {
    const std::string got = places(one.script, shell);
    CHECK_MESSAGE(got == std::string(one.places), std::string(one.script), "\n  wanted ",
                  std::string(one.places), " got ", got, ": ", why(one.script, shell));
  }
}

}  // namespace

TEST_CASE("shell places: words and quotes of an ordinary command") {
  check_all({
      {"echo {{ .x }}", "p-"},
      {"echo a{{ .x }}", "p"},
      {"echo {{ .x }}b", "p-"},
      {"echo {{ .x }}{{ .y }}", "p-p-"},
      {"echo \"{{ .x }}\"", "d-"},
      {"echo \"a {{ .x }} b\"", "d"},
      {"echo '{{ .x }}'", "s-"},
      {"echo 'a {{ .x }}'", "s"},
      {"echo ''\"{{ .x }}\"", "d-"},
      {"echo --name={{ .x }}", "p"},
      {"echo -- {{ .x }}", "p"},
      {"echo \"it's {{ .x }}\"", "d"},
      {"echo 'say \"{{ .x }}\"'", "s"},
      {"echo $HOME/{{ .x }}", "p"},
      {"echo \"$HOME/{{ .x }}\"", "d"},
      {"echo \"${HOME}{{ .x }}\"", "d-"},
      {"echo a\\ b{{ .x }}", "p"},
      {"echo a; echo {{ .x }} && echo \"{{ .y }}\" || echo '{{ .z }}'", "p-d-s-"},
      {"/usr/bin/printf %s {{ .x }}", "p-"},
      {"\\echo {{ .x }}", "p-"},
      {"\"ec\"ho {{ .x }}", "p-"},
      {"echo {{ .x }} > out.txt", "p-"},
      {"echo a > {{ .x }}", "p"},
      {"echo a 2>&1 >> \"{{ .x }}\"", "d"},
      {"cat < {{ .x }}", "p"},
      {"# a comment {{ .x }}\necho", "p"},
      {"echo a #{{ .x }}", "p"},
      {"echo a#{{ .x }}", "p"},
      {"echo \\\n  {{ .x }}", "p-"},
      {"./deploy.sh {{ .x }}", "p-"},
      {"\"$DIR\"/run.sh {{ .x }}", "p-"},
      {"{ echo {{ .x }}; }", "p-"},
      {"( cd /tmp && echo {{ .x }} )", "p-"},
      {"time_it {{ .x }}", "p-"},
  });
}

TEST_CASE("shell places: assignments, as data wherever the variable goes") {
  check_all({
      {"X={{ .x }}", "p"},
      {"X=\"{{ .x }}\"", "d"},
      {"X='{{ .x }}'; echo \"$X\"", "s"},
      {"X=a{{ .x }}b\nprintf '%s\\n' \"$X\" \"${X}\"", "p"},
      {"export X={{ .x }}", "p"},
      {"local X=\"{{ .x }}\"", "d"},
      {"X=({{ .x }} \"{{ .y }}\"); printf '%s' \"${X[@]}\"", "pd"},
      {"X={{ .x }} printenv X", "p"},
      {"X+={{ .x }}", "p"},
      {"X={{ .x }}; Y=\"$X\"; echo \"$Y\"", "p"},
      // Used where the shell takes it apart, or where it is code:
      {"X={{ .x }}; echo $X", "x"},
      {"X={{ .x }}; ls -- ${X}", "x"},
      {"X={{ .x }}; for i in $X; do echo \"$i\"; done", "x"},
      {"X={{ .x }}; eval \"$X\"", "x"},
      {"X={{ .x }}; eval 'echo $X'", "x"},
      {"X={{ .x }}; Y=\"a $X\"; bash -c \"$Y\"", "x"},
      {"X={{ .x }}; \"$X\" --version", "x"},
      {"X={{ .x }}; (( X > 3 ))", "x"},
      {"X={{ .x }}; echo $((X + 1))", "x"},
      {"X={{ .x }}; [[ $X -gt 3 ]]", "x"},
      {"X={{ .x }}; [[ X -gt 3 ]]", "x"},
      {"X={{ .x }}; echo ${!X}", "x"},
      {"X={{ .x }}; echo \"${X@P}\"", "x"},
      {"X={{ .x }}; echo \"${A[X]}\"", "x"},
      {"X={{ .x }}; trap 'rm \"$X\"' EXIT", "x"},
      {"X={{ .x }}; printf '%s' \"$X\" | sh", "x"},
      {"X={{ .x }}; f() { eval \"$1\"; }; f \"$X\"", "x"},
      {"declare -i X={{ .x }}", "x"},
      {"declare -i X; X={{ .x }}", "x"},
      {"PATH={{ .x }}:$PATH", "x"},
      {"LD_PRELOAD={{ .x }} ls", "x"},
      {"IFS={{ .x }}", "x"},
      {"A[{{ .x }}]=1", "x"},
      {"A=([{{ .x }}]=1)", "x"},
      {"{{ .x }}=1", "x"},
      {"export {{ .x }}", "x"},
      {"read -r {{ .x }}", "x"},
      {"unset {{ .x }}", "x"},
      {"X={{ .x }}; [[ $X == prod ]] && case \"$X\" in a) ;; esac", "p"},
  });
}

TEST_CASE("shell places: attack A18, programs and words that read code") {
  check_all({
      {"git ls-remote {{ .x }}", "x"},
      {"tar cf a.tar {{ .x }}", "x"},
      {"sh -c \"echo {{ .x }}\"", "x"},
      {"awk '{ print \"{{ .x }}\" }' f", "x"},
      {"sed 's/a/{{ .x }}/' f", "x"},
      {"[[ {{ .x }} -gt 3 ]]", "x"},
      {"printf -v {{ .x }} a", "x"},
      {"test -v {{ .x }}", "x"},
      {"X={{ .x }}; ls $X", "x"},
      {"X=\"echo {{ .x }}\"; eval \"$X\"", "x"},
      {"ssh host ls {{ .x }}", "x"},
      // and the rest of the list
      {"su -c {{ .x }}", "x"},
      {"sudo systemctl restart {{ .x }}", "x"},
      {"bash {{ .x }}", "x"},
      {"/bin/dash -c '{{ .x }}'", "x"},
      {"zsh -c {{ .x }}", "x"},
      {"eval {{ .x }}", "x"},
      {"trap \"echo {{ .x }}\" EXIT", "x"},
      {"gawk -v a={{ .x }} f", "x"},
      {"perl -e '{{ .x }}'", "x"},
      {"python3 -c \"{{ .x }}\"", "x"},
      {"python3.11 -c \"{{ .x }}\"", "x"},
      {"ruby -e {{ .x }}", "x"},
      {"node -e {{ .x }}", "x"},
      {"psql -c \"select '{{ .x }}'\"", "x"},
      {"mysql -e {{ .x }}", "x"},
      {"sqlite3 db \"{{ .x }}\"", "x"},
      {"jq \"{{ .x }}\" f", "x"},
      {"echo a | xargs echo {{ .x }}", "x"},
      {"find . -name {{ .x }}", "x"},
      {"kubectl get pod {{ .x }}", "x"},
      {"docker run {{ .x }}", "x"},
      {"podman run {{ .x }}", "x"},
      {"env {{ .x }}", "x"},
      {"nice echo {{ .x }}", "x"},
      {"timeout 5 echo {{ .x }}", "x"},
      {"watch {{ .x }}", "x"},
      {"parallel echo {{ .x }}", "x"},
      {"exec {{ .x }}", "x"},
      {"command {{ .x }}", "x"},
      {". {{ .x }}", "x"},
      {"source {{ .x }}", "x"},
      {"my-wrapper sh -c {{ .x }}", "x"},
      {"\"$SHELL\" -c {{ .x }}", "x"},
      {"$CMD {{ .x }}", "x"},
      {"{{ .x }} a", "x"},
      {"./{{ .x }}/run {{ .y }}", "xx"},
      {"printf {{ .x }}", "x"},
      {"printf '%s' {{ .x }}", "p-"},
      {"let a={{ .x }}", "x"},
      {"git commit -m {{ .x }}", "p-"},
      {"git commit -m \"{{ .x }}\" {{ .y }}", "d-x"},
  });
}

TEST_CASE("shell places: what becomes the input of a program that reads code") {
  check_all({
      {"echo {{ .x }} | sh", "x"},
      {"echo {{ .x }} | tee log | bash", "x"},
      {"echo {{ .x }} | tee log", "p-"},
      {"{ echo {{ .x }}; } | sh", "x"},
      {"(echo {{ .x }}) | (cd / && sh)", "x"},
      {"echo {{ .x }} | while read -r l; do echo \"$l\"; done", "p-"},
      {"echo {{ .x }} | while read -r l; do eval \"$l\"; done", "x"},
      {"echo {{ .x }} | sudo tee f", "p-"},
      {"echo {{ .x }} | sudo bash", "x"},
      {"echo {{ .x }} | sudo -s", "x"},
      {"echo {{ .x }} | docker exec -i web sh", "x"},
      {"sh <<< {{ .x }}", "x"},
      {"cat <<< {{ .x }}", "p"},
      {"read -r v <<< {{ .x }}; eval \"$v\"", "x"},
      {"bash <<EOF\necho {{ .x }}\nEOF\n", "x"},
      {"psql <<EOF\nselect '{{ .x }}'\nEOF\n", "x"},
      {"cat <<EOF | sh\necho {{ .x }}\nEOF\n", "x"},
      {"cat <<EOF |\necho {{ .x }}\nEOF\nsh", "x"},
      {"{ cat <<EOF; } | sh\necho {{ .x }}\nEOF\n", "x"},
      {"f() { sh; }\ncat <<EOF | f\n{{ .x }} a\nEOF\n", "x"},
      {"bash <(echo {{ .x }})", "x"},
      {"diff <(echo {{ .x }}) b", "p-"},
      {"diff <(ssh host cat f) {{ .x }}", "p-"},
      {"echo {{ .x }} > >(sh)", "x"},
      {"echo {{ .x }} | tee >(sh) >(cat)", "x"},
      {"echo {{ .x }} | tee >(cat)", "p-"},
      {"run() { \"$@\"; }; run ls {{ .x }}", "x"},
      {"run() { ssh host \"$@\"; }; run ls {{ .x }}", "x"},
      {"run() { local c=\"$1\"; eval \"$c\"; }; run {{ .x }}", "x"},
      {"eval \"$(echo {{ .x }})\"", "x"},
  });
}

TEST_CASE("shell places: expansions and arithmetic") {
  check_all({
      {"echo \"$(printf '%s' {{ .x }})\"", "p-"},
      {"X=$(printf '%s' {{ .x }})", "p-"},
      {"X=$(printf '%s' {{ .x }}); echo $X", "x"},
      {"echo $(printf '%s' {{ .x }})", "x"},
      {"echo \"$(printf '%s' \"{{ .x }}\" '{{ .y }}')\"", "d-s-"},
      {"echo `printf '%s' {{ .x }}`", "x"},
      {"echo \"`printf {{ .x }}`\"", "x"},
      {"echo $(( {{ .x }} + 1 ))", "x"},
      {"echo $(( ( {{ .x }} ) * 2 ))", "x"},
      {"(( i += {{ .x }} ))", "x"},
      {"for (( i = 0; i < {{ .x }}; i++ )); do echo {{ .y }}; done", "xp-"},
      {"echo ${X:-{{ .x }}}", "x"},
      {"echo \"${X:-{{ .x }}}\"", "x"},
      {"echo ${ {{ .x }} }", "x"},
      {"echo \"${X#\"{{ .x }}\"}\"", "x"},
      {"echo ${X:{{ .x }}:2}", "x"},
      {"echo $'a{{ .x }}'", "x"},
      {"echo $\"a {{ .x }}\"", "d"},
      {"echo \"$X{{ .x }}\"", "x"},
      {"echo \"${X}{{ .x }}\"", "d-"},
      {"echo \"$1{{ .x }}\"", "d-"},
      {"echo \"${X:-it's}\"; echo {{ .x }}", "x"},
      {"echo \"${X:-'a'}\"; echo {{ .x }}", "p-"},
      {"echo \"${#X}\" \"${X//a/b}\" \"${@}\" \"$#\" $? $$; echo {{ .x }}", "p-"},
      {"echo \\{{ .x }}", "!"},
      {"echo \"${{ .x }}\"", "!"},
      {"echo \"\\${{ .x }}\"", "d"},
      {"echo '${{ .x }}'", "s"},
  });
}

TEST_CASE("shell places: tests, loops, cases and functions") {
  check_all({
      {"if [ \"{{ .x }}\" = prod ]; then echo {{ .y }}; fi", "d-p-"},
      {"[[ {{ .x }} == prod ]]", "p"},
      {"[[ -n \"{{ .x }}\" && {{ .y }} != b ]] || exit 1", "dp"},
      {"[[ $a =~ ^(x|y)$ ]] && echo {{ .x }}", "p-"},
      {"[[ -v {{ .x }} ]]", "x"},
      {"while read -r l; do echo {{ .x }}; done < f", "p-"},
      {"for f in {{ .x }} \"{{ .y }}\"; do cp \"$f\" d; done", "pd"},
      {"for f in {{ .x }}; do cp $f d; done", "x"},
      {"for f in {{ .x }}; do sh \"$f\"; done", "x"},
      {"for {{ .x }} in a; do :; done", "x"},
      {"case {{ .x }} in a|b) echo {{ .y }} ;; \"{{ .z }}\") : ;; *) echo ;; esac", "pp-d"},
      {"X=$(case {{ .x }} in (a) echo 1;; b) echo 2;; esac); echo {{ .y }}", "pp-"},
      {"f() { echo {{ .x }}; }\nf", "p-"},
      {"function f { echo \"$1\"; }\nf {{ .x }}", "p-"},
      {"function f () { echo \"$1\"; }\nf {{ .x }}", "p-"},
      {"f() { echo $1; }\nf {{ .x }}", "x"},
      {"f {{ .x }}\nf() { eval \"$@\"; }\n", "x"},
      {"set -- {{ .x }}; echo \"$1\"", "p"},
      {"set -- {{ .x }}; echo $1", "x"},
      {"if true; then :; elif false; then :; else echo {{ .x }}; fi", "p-"},
      {"! grep -q a f && echo {{ .x }}", "p-"},
      {"until false; do echo {{ .x }}; break; done", "p-"},
      {"echo a & echo {{ .x }} &", "p-"},
      {"echo {{ .x }} &> /dev/null", "p-"},
  });
}

TEST_CASE("shell places: here-documents") {
  check_all({
      {"cat <<EOF\nname: {{ .x }}\nEOF\n", "h"},
      {"cat <<EOF\n{{ .x }}\nEOF\n", "h=EOF"},
      {"cat <<EOF\nE{{ .x }}F\nEOF\n", "h=O"},
      {"cat <<EOF\n {{ .x }}\nEOF\n", "h"},
      {"cat <<-EOF\n\t{{ .x }}\n\tEOF\n", "h=EOF"},
      {"cat <<EOF\n{{ .x }}{{ .y }}\nEOF\n", "!"},
      {"cat <<EOF\n{{ .x }} {{ .y }}\nEOF\n", "hh"},
      {"cat <<'EOF'\nname: {{ .x }}\nEOF\n", "x"},
      {"cat <<\\EOF\nname: {{ .x }}\nEOF\n", "x"},
      {"cat <<A <<B\na {{ .x }}\nA\nb {{ .y }}\nB\necho {{ .z }}", "hhp-"},
      {"cat <<EOF > \"{{ .x }}\"\na \"{{ .y }}\" '{{ .z }}'\nEOF\n", "dhh"},
      {"cat <<EOF\n$(printf %s {{ .x }})\nEOF\n", "p-"},
      {"cat <<EOF\n`echo {{ .x }}`\nEOF\n", "x"},
      {"cat <<EOF\n\\{{ .x }} b\nEOF\n", "!"},
      {"cat <<EOF\n${X:-{{ .x }}}\nEOF\n", "x"},
      {"X=$(cat <<EOF\na {{ .x }}\nEOF\n)\necho \"$X\"", "h"},
      {"X=$(cat <<EOF\na {{ .x }}\nEOF\n)\necho $X", "x"},
      {"cat <<{{ .x }}\na\nEOF\n", "!"},
      {"cat <<EOF\na {{ .x }}\n", "x"},
      {"cat <<EOF; echo {{ .x }}\na\nEOF\necho {{ .y }}", "p-p-"},
      {"cat <<EOF\na\\\nEOF\nEOF\necho {{ .x }}", "x"},
      {"while read -r l; do echo \"$l\"; done <<EOF\na {{ .x }}\nEOF\n", "h"},
      {"while read -r l; do echo $l; done <<EOF\na {{ .x }}\nEOF\n", "x"},
      {"if true; then\n  cat <<EOF\n  a {{ .x }}\nEOF\nfi\necho {{ .y }}", "hp-"},
  });
}

TEST_CASE("shell places: sh is taken at its narrowest") {
  check_all({{"echo {{ .x }} \"{{ .y }}\" '{{ .z }}'", "p-d-s-"},
             {"X={{ .x }}; echo \"$X\"", "p"},
             {"cat <<EOF\na {{ .x }}\nEOF\n", "h"},
             {"echo $'a'; echo {{ .x }}", "x"},
             {"[[ {{ .x }} == a ]]", "x"},
             {"cat <<< a; echo {{ .x }}", "x"},
             {"A=(a); echo {{ .x }}", "x"},
             {"echo a &> f; echo {{ .x }}", "x"},
             {"diff <(echo a) b; echo {{ .x }}", "x"},
             {"export X={{ .x }}; echo \"$X\"", "p"}},
            Shell::Sh);
}

TEST_CASE("shell places: what isn't understood takes harmless values only") {
  check_all({
      {"echo \"{{ .x }}", "x"},
      {"echo '{{ .x }}", "x"},
      {"echo {{ .x }} )", "x"},
      {"echo $(echo {{ .x }}", "x"},
      {"if true; then echo {{ .x }}", "x"},
      {"fi; echo {{ .x }}", "x"},
      {"alias ll=ls; echo {{ .x }}", "x"},
      {"shopt -s extglob; echo {{ .x }}", "x"},
      {"shopt -s nullglob; echo {{ .x }}", "p-"},
      {"echo $[1+1]; echo {{ .x }}", "x"},
      {"coproc cat; echo {{ .x }}", "x"},
      {"esac; echo {{ .x }}", "x"},
      {"echo a;; echo {{ .x }}", "x"},
  });
  CHECK(places(std::string("echo \0 {{ .x }}", 15)) == "x");
}

TEST_CASE("shell places: other interpreters take harmless values only") {
  check_all({{"echo {{ .x }}", "x"}}, Shell::None);
}

TEST_CASE("shell places: the reason names the place") {
  CHECK(why("ssh host {{ .x }}").find("ssh") != std::string::npos);
  CHECK(why("X={{ .x }}; eval \"$X\"").find("variable X") != std::string::npos);
  CHECK(why("echo\necho \"{{ .x }}").find("line") != std::string::npos);
}

TEST_CASE("shell places: reading stays linear") {
  const auto seconds = [](const std::string& script) {
    const auto from = std::chrono::steady_clock::now();
    Template parsed = parse_template(script);
    (void)place_insertions(script, parsed.pieces, Shell::Bash);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  };
  const auto repeat = [](const std::string& text, std::size_t times) {
    std::string out = "echo {{ .x }}\n";
    for (std::size_t i = 0; i < times; ++i) {
      out += text;
    }
    return out;
  };
  for (const char* part : {"$(", "\"$(", "${X:-", "((", "{ ", "if ", "cat <<A\n", "\\\n", "'a' ",
                           "$X ", "X=$X;", "a|", "case a in ", "cat <<A\nb\\\nA\n", "`", "\"`",
                           "echo {{ .x }} | sh;", "f() { f; };", "a -- "}) {
    CHECK_MESSAGE(seconds(repeat(part, 100'000)) < 2.0, part);
  }
}

}  // namespace rb::rdr
