#include "broker/join.h"

#include <doctest/doctest.h>

namespace rb::brk {
namespace {

using front::Reason;
using reader::Place;

// A block `text` in which @NAME@ marks an insertion of input NAME at `place`.
Executable block(const std::string& text, const std::string& name, Place place) {
  Executable out;
  std::string script;
  std::vector<Piece> trace;
  const std::string mark = "@" + name + "@";
  std::size_t at = 0;
  const auto add = [&](Piece::Kind kind, std::size_t length) {
    Piece piece;
    piece.kind = kind;
    piece.offset = static_cast<std::uint32_t>(at);
    piece.length = static_cast<std::uint32_t>(length);
    piece.input = kind == Piece::Kind::Insertion ? name : "";
    piece.place = place;
    piece.why = "argument of ssh";
    piece.line = 7;
    trace.push_back(piece);
    at += length;
  };
  while (at < text.size()) {
    const std::size_t next = std::min(text.find(mark, at), text.size());
    if (next > at) {
      add(Piece::Kind::Literal, next - at);
    }
    if (next < text.size()) {
      add(Piece::Kind::Insertion, mark.size());
    }
  }
  out.script = std::make_shared<Bytes>(to_bytes(text));
  out.trace = trace;
  InputSpec input;
  input.name = name;
  input.type = "string";
  input.required = true;
  out.inputs.push_back(input);
  return out;
}

std::string script_of(const Executable& executable, const std::string& value,
                      JoinRules rules = {}) {
  const auto joined = join(executable, {{executable.inputs[0].name, "", value}}, rules);
  const Joined* out = std::get_if<Joined>(&joined);
  return out == nullptr ? "refused: " + std::get<Refusal>(joined).text
                        : std::string(as_text(out->script));
}

}  // namespace

TEST_CASE("join: a harmless value stands as it is, so the text equals the replaced system's") {
  const Executable one = block("echo @x@ done", "x", Place::PLAIN);
  CHECK(script_of(one, "web-1.example.org:8080/a%b+c=d,e_f@g") ==
        "echo web-1.example.org:8080/a%b+c=d,e_f@g done");
}

TEST_CASE("join: any other value becomes a reference spelled for its place") {
  const std::string value = "a b; $(rm -rf /) '\"`";
  CHECK(script_of(block("echo @x@", "x", Place::PLAIN), value) == "echo \"${RB_1}\"");
  CHECK(script_of(block("echo \"<@x@>\"", "x", Place::DOUBLE_QUOTED), value) ==
        "echo \"<${RB_1}>\"");
  CHECK(script_of(block("echo '<@x@>'", "x", Place::SINGLE_QUOTED), value) ==
        "echo '<'\"${RB_1}\"'>'");
  CHECK(script_of(block("cat <<E\n@x@\nE\n", "x", Place::HERE_DOCUMENT), value) ==
        "cat <<E\n${RB_1}\nE\n");
}

TEST_CASE("join: the value of a reference travels as a variable, once for each input") {
  const auto joined = join(block("echo @x@ @x@", "x", Place::PLAIN), {{"x", "", "a b"}}, {});
  CHECK(std::get<Joined>(joined).variables == std::vector<std::string>{"RB_1=a b"});
}

TEST_CASE("join: an empty value and one that begins with a dash aren't harmless") {
  const Executable one = block("echo @x@", "x", Place::PLAIN);
  CHECK(script_of(one, "-rf") == "echo \"${RB_1}\"");
  Executable optional = one;
  optional.inputs[0].required = false;
  CHECK(script_of(optional, "") == "echo \"${RB_1}\"");
}

TEST_CASE("join: where no reference can stand other values are refused, naming the place") {
  const Executable one = block("ssh host @x@", "x", Place::HARMLESS_ONLY);
  CHECK(script_of(one, "uptime") == "ssh host uptime");
  const auto refused = join(one, {{"x", "", "a; b"}}, {});
  REQUIRE(std::holds_alternative<Refusal>(refused));
  CHECK(std::get<Refusal>(refused).reason == Reason::BAD_INPUT);
  CHECK(std::get<Refusal>(refused).text.find("argument of ssh (line 7)") != std::string::npos);
  CHECK(std::get<Refusal>(refused).text.find("a; b") == std::string::npos);
}

TEST_CASE("join: a value at a word's start may not become an option") {
  Executable one = block("git log @x@", "x", Place::PLAIN);
  one.trace[1].word_start = true;
  CHECK(script_of(one, "--output=/etc/x").starts_with("refused"));
  CHECK(script_of(one, "main") == "git log main");
}

TEST_CASE("join: the one value that would end a here-document is refused") {
  Executable one = block("cat <<E\n@x@\nE\n", "x", Place::HERE_DOCUMENT);
  one.trace[1].not_value = "E";
  CHECK(script_of(one, "E").starts_with("refused"));
}

TEST_CASE("join: a sensitive value is always a reference and never recorded") {
  Executable one = block("echo @x@", "x", Place::PLAIN);
  one.inputs[0].sensitive = true;
  for (const bool verbatim : {false, true}) {
    const auto joined = join(one, {{"x", "", "harmless", true}}, {verbatim, false});
    CHECK(as_text(std::get<Joined>(joined).script) == "echo \"${RB_1}\"");
    CHECK(std::get<Joined>(joined).inputs.at("x") == "[secret]");
  }
}

TEST_CASE("join: a sensitive value that came plain is refused, and a sealed one of another input") {
  Executable one = block("echo @x@", "x", Place::PLAIN);
  one.inputs[0].inputs_id = "form";
  const auto reason = [&](const Given& given) {
    const auto joined = join(one, {given}, {});
    const Refusal* refused = std::get_if<Refusal>(&joined);
    CHECK((refused == nullptr || refused->text.find("hunter2") == std::string::npos));
    return refused == nullptr ? Reason::NONE : refused->reason;
  };
  CHECK(reason({"x", "", "hunter2", true}) == Reason::BAD_INPUT);
  CHECK(reason({"x", "form", "hunter2", false}) == Reason::NONE);
  one.inputs[0].sensitive = true;
  CHECK(reason({"x", "", "hunter2", false}) == Reason::BAD_INPUT);
  CHECK(reason({"x", "form", "hunter2", false}) == Reason::BAD_INPUT);
  CHECK(reason({"x", "form", "hunter2", true}) == Reason::NONE);
}

TEST_CASE("join: a sensitive value can't stand where no reference can, harmless or not") {
  Executable one = block("ssh host @x@", "x", Place::HARMLESS_ONLY);
  one.inputs[0].sensitive = true;
  const auto joined = join(one, {{"x", "", "hunter2", true}}, {});
  CHECK(std::get<Refusal>(joined).text.find("sensitive") != std::string::npos);
}

TEST_CASE(
    "join: a negative number of a declared number is no option; anything else that begins so is") {
  for (const Place place : {Place::PLAIN, Place::HARMLESS_ONLY, Place::DOUBLE_QUOTED}) {
    Executable one = block("find . -mtime @x@", "x", place);
    one.trace[1].word_start = true;
    for (const char* type : {"int", "float"}) {
      one.inputs[0].type = type;
      CHECK(script_of(one, "-5") == "find . -mtime -5");
      for (const char* value : {"-rf", "-", "--", "-5f", "-5 -delete", "--5", "-0x1", "-$(id)",
                                "-5;id", "-5\n", "-.5", "-5."}) {
        CHECK_MESSAGE(script_of(one, value).starts_with("refused"), value);
      }
    }
    one.inputs[0].type = "float";
    CHECK(script_of(one, "-1.5") == "find . -mtime -1.5");
    one.inputs[0].type = "int";
    CHECK(script_of(one, "-1.5").starts_with("refused"));
    for (const char* type : {"string", "enum", "bool", "list"}) {
      one.inputs[0].type = type;
      one.inputs[0].options = {"-5"};
      CHECK_MESSAGE(script_of(one, "-5").starts_with("refused"), type);
    }
  }
}

TEST_CASE("join: every missing input is named at once") {
  Executable one = block("echo @x@", "x", Place::PLAIN);
  InputSpec other;
  other.name = "y";
  other.required = true;
  one.inputs.push_back(other);
  const auto refused = join(one, {}, {});
  CHECK(std::get<Refusal>(refused).reason == Reason::MISSING_INPUT);
  CHECK(std::get<Refusal>(refused).text.starts_with("missing input: x, y;"));
}

TEST_CASE("join: a default fills in, and a value for the inputs block wins over one for all") {
  Executable one = block("echo @x@", "x", Place::PLAIN);
  one.inputs[0].has_fallback = true;
  one.inputs[0].fallback = "default";
  one.inputs[0].inputs_id = "form";
  CHECK(std::get<Joined>(join(one, {}, {})).inputs.at("x") == "default");
  const std::vector<Given> both{{"x", "form", "exact"}, {"x", "", "general"}};
  CHECK(std::get<Joined>(join(one, both, {})).inputs.at("x") == "exact");
  CHECK(std::get<Joined>(join(one, {{"x", "other", "no"}}, {})).inputs.at("x") == "default");
}

TEST_CASE("join: a value that isn't of its type is refused") {
  const auto accepts = [](const std::string& type, const std::string& value) {
    Executable one = block("echo @x@", "x", Place::PLAIN);
    one.inputs[0].type = type;
    one.inputs[0].options = {"red", "blue"};
    return !std::holds_alternative<Refusal>(join(one, {{"x", "", value}}, {}));
  };
  CHECK(accepts("int", "-12"));
  CHECK_FALSE(accepts("int", "1e3"));
  CHECK(accepts("float", "-1.5"));
  CHECK_FALSE(accepts("float", ".5"));
  CHECK(accepts("bool", "true"));
  CHECK_FALSE(accepts("bool", "True"));
  CHECK(accepts("enum", "red"));
  CHECK_FALSE(accepts("enum", "green"));
  CHECK_FALSE(accepts("string", std::string("a\0b", 3)));
  CHECK_FALSE(accepts("string", std::string(200'000, 'x')));
}

TEST_CASE("join: a Markdown input is a variable of its name, and never one that loads code") {
  Executable one = block("echo hi", "x", Place::PLAIN);
  one.inputs[0].name = "TARGET";
  const auto joined = join(one, {{"TARGET", "", "a b"}}, {false, true});
  CHECK(std::get<Joined>(joined).variables == std::vector<std::string>{"TARGET=a b"});
  for (const char* name :
       {"LD_PRELOAD", "BASH_ENV", "PATH", "RB_1", "RUNBOOKD_BLOCK", "1x", "a-b"}) {
    one.inputs[0].name = name;
    CHECK_MESSAGE(std::holds_alternative<Refusal>(join(one, {{name, "", "v"}}, {false, true})),
                  name);
  }
}

TEST_CASE("join: verbatim inserts what it is given") {
  CHECK(script_of(block("echo @x@", "x", Place::HARMLESS_ONLY), "a; b", {true, false}) ==
        "echo a; b");
}

TEST_CASE("join: dropped pieces are left out") {
  Executable one = block("ab@x@cd", "x", Place::PLAIN);
  one.trace[0].kind = Piece::Kind::Dropped;
  CHECK(script_of(one, "v") == "vcd");
}

}  // namespace rb::brk
