#include "daemon/reader/template.h"

#include <doctest/doctest.h>

#include <string>

namespace rb::rdr {
namespace {

// Literals as they are, {name} for values, nothing for what is dropped; "!why" when refused.
std::string joined(const std::string& script) {
  const Template parsed = parse_template(script);
  if (!parsed.why_not.empty()) {
    return "!" + std::to_string(parsed.why_line) + " " + parsed.why_not;
  }
  std::string out;
  std::uint32_t at = 0;
  for (const Piece& piece : parsed.pieces) {
    CHECK(piece.offset == at);
    at += piece.length;
    if (piece.kind == PieceKind::Literal) {
      out += script.substr(piece.offset, piece.length);
    } else if (piece.kind == PieceKind::Insertion) {
      out += "{" + piece.input + (piece.output.empty() ? "" : ">" + piece.output) + "}";
    }
  }
  CHECK(at == script.size());
  return out;
}

bool refused(const std::string& script, const std::string& why) {
  const std::string got = joined(script);
  return got.starts_with("!") && got.find(why) != std::string::npos;
}

}  // namespace

TEST_CASE("template: inputs, legacy names and outputs are insertions") {
  CHECK(joined("echo {{ .inputs.Name }}!") == "echo {Name}!");
  CHECK(joined("{{.inputs.Name}}{{.Other}}") == "{Name}{Other}");
  CHECK(joined("{{ .outputs.create-account.id }}") == "{>create_account.id}");
  CHECK(joined("no braces at all") == "no braces at all");
  CHECK(joined("") == "");
  CHECK(joined("{ {x} } {{`{{.Names}}`}}") == "{ {x} } {{.Names}}");
}

TEST_CASE("template: trim markers and comments leave bytes out") {
  CHECK(joined("a \n {{- .inputs.X -}} \n b") == "a{X}b");
  CHECK(joined("a {{- .inputs.X }} b") == "a{X} b");
  CHECK(joined("a {{/* note }} */}} b") == "a  b");
  CHECK(joined("a {{- /* note */ -}} b") == "ab");
  CHECK(joined("{{ .inputs.A -}}   {{- .inputs.B }}") == "{A}{B}");
  CHECK(joined("docker ps --format '{{ \"{{.Names}}\" }}'") == "docker ps --format '{{.Names}}'");
}

TEST_CASE("template: what isn't straight is refused by line, never taken for text") {
  CHECK(refused("\n{{ if .inputs.X }}a{{ end }}", "2 {{ if }}: templates with control flow"));
  CHECK(refused("{{ range .inputs.X }}{{ . }}{{ end }}", "control flow"));
  CHECK(refused("{{ end }}", "control flow"));
  CHECK(refused("{{ . }}", "control flow"));
  CHECK(refused("{{ $x := 1 }}", "variable"));
  CHECK(refused("{{ .inputs.X | upper }}", "functions"));
  CHECK(refused("{{ upper .inputs.X }}", "functions"));
  CHECK(refused("{{ printf \"%q\" .inputs.X }}", "functions"));
  CHECK(refused("{{ .inputs.X .inputs.Y }}", "functions"));
  CHECK(refused("{{ .inputs.a.b }}", "lists and maps"));
  CHECK(refused("{{ .inputs }}", "written {{ .inputs.Name }}"));
  CHECK(refused("{{ .outputs.b }}", "written {{ .outputs.block.key }}"));
  CHECK(refused("{{ }}", "nothing in it"));
  CHECK(refused("{{}}", "nothing in it"));
  CHECK(refused("{{ .inputs.X", "closes"));
  CHECK(refused("{{ \"a\\n\" }}", "backslash"));
  CHECK(refused("{{ \"a\" \"b\" }}", "functions"));
  CHECK(refused("{{ .inputs.X) }}", "isn't a value"));
  CHECK(refused("{{/* open", "closes"));
  CHECK(refused("{{ 3 }}", "template functions"));
}

TEST_CASE("template: lines of insertions are counted") {
  const Template parsed = parse_template("a\nb {{ .inputs.X }}\n\n{{ .inputs.Y }}");
  REQUIRE(parsed.pieces.size() == 4);
  CHECK(parsed.pieces[1].line == 2);
  CHECK(parsed.pieces[3].line == 4);
}

TEST_CASE("template: a script has room for 2,048 values") {
  std::string script;
  for (int i = 0; i < 2048; ++i) {
    script += "{{ .x }}";
  }
  CHECK(parse_template(script).why_not.empty());
  CHECK(!parse_template(script + "{{ .x }}").why_not.empty());
}

}  // namespace rb::rdr
