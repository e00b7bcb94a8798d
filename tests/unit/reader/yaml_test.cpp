#include "daemon/reader/yaml.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace rb::rdr {
namespace {

std::string problem(const std::string& text) {
  const Yaml yaml = parse_yaml(text);
  return yaml.problem ? std::to_string(yaml.problem->line) + ": " + yaml.problem->text : "";
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

}  // namespace

TEST_CASE("yaml: maps, lists and text come out in order with their places") {
  const Yaml yaml = parse_yaml("a: 1\nb:\n  - x\n  - 'y z'\nc: |\n  two\n  lines\n");
  REQUIRE(!yaml.problem);
  CHECK(yaml.root.keys == std::vector<std::string>{"a", "b", "c"});
  CHECK(yaml.root.find("b")->items.size() == 2);
  CHECK(yaml.root.find("b")->items[1].text == "y z");
  CHECK(yaml.root.find("b")->items[1].line == 4);
  CHECK(yaml.root.find("c")->text == "two\nlines\n");
  CHECK(yaml.root.find("d") == nullptr);
}

TEST_CASE("yaml: empty text and comments alone are an empty document") {
  CHECK(parse_yaml("").root.is(YamlNode::Kind::Null));
  CHECK(!parse_yaml("").problem);
  CHECK(!parse_yaml("# nothing\n").problem);
}

TEST_CASE("yaml: anchors, aliases, tags, merge keys and repeated keys are refused by line") {
  CHECK(problem("a: 1\nb: &x 2\n").starts_with("2: an anchor"));
  CHECK(problem("a: &x 1\nb: *x\n").starts_with("1: an anchor"));
  CHECK(problem("a: !!str 1\n").find("a tag") != std::string::npos);
  CHECK(problem("a: !ruby/object {}\n").find("a tag") != std::string::npos);
  CHECK(problem("a: !!python/object/apply:os.system [x]\n").find("a tag") != std::string::npos);
  CHECK(problem("a: ! 010\n").starts_with("1: a tag (!)"));
  CHECK(problem("a:\n  - ! [b]\n").starts_with("2: a tag (!)"));
  CHECK(problem("a: '! b'\nc: \"!\"\n").empty());
  CHECK(problem("a: 1\nb: *none\n").starts_with("2: an alias"));
  CHECK(problem("a:\n  <<: {x: 1}\n").starts_with("2: a merge key"));
  CHECK(problem("a: 1\nb: 2\na: 3\n").starts_with("3: the key \"a\" stands twice"));
  CHECK(problem("? [a, b]\n: 1\n").find("key that is a list") != std::string::npos);
  CHECK(problem("~: 1\n").find("key without text") != std::string::npos);
  CHECK(problem("a: 1\n---\nb: 2\n").starts_with("2: a second YAML document"));
  CHECK(problem("'<<': 1\n").empty());
}

TEST_CASE("yaml: broken text is a problem with a place, never an exception") {
  for (const char* text : {"a: [1", "a: 'x", "a: {b", "a: b: c", "- a\nb: c", "\t- a",
                           "%YAML 9.9\n--- a", "@x", "`x", "a: \"\\q\"", "]", "}", ": :"}) {
    const std::string found = problem(text);
    CHECK_MESSAGE(!found.empty(), std::string(text));
  }
  CHECK(problem(std::string("a: \0 b", 6)).find("control character") != std::string::npos);
}

TEST_CASE("yaml: limits hold while parsing") {
  CHECK(problem(repeated("a", kYamlBytes + 1)).find("bytes of YAML") != std::string::npos);
  CHECK(problem(repeated("[", 33) + repeated("]", 33)).find("levels") != std::string::npos);
  CHECK(problem("a: " + repeated("[", 32) + repeated("]", 32)).find("levels") != std::string::npos);
  CHECK(problem(repeated("[", 32) + repeated("]", 32)).empty());
  CHECK(problem(repeated("- a\n", 10'001)).find("YAML values") != std::string::npos);
  CHECK(problem(repeated("- a\n", 9'990)).empty());
}

TEST_CASE("yaml: hostile texts of the largest size take no time") {
  for (const char* part :
       {"[", "{",   "- ",   "? ",   "a: ", "'",     "\"",    "&a ", "*a ", "!a ",         "|\n",
        "#", "[a,", "{a: ", "- - ", "%",   "---\n", "a:\n ", "\t",  "\n",  "\xef\xbb\xbf"}) {
    const auto from = std::chrono::steady_clock::now();
    (void)parse_yaml(repeated(part, kYamlBytes / std::string(part).size()));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - from;
    CHECK_MESSAGE(took.count() < 2.0, std::string(part));
  }
}

TEST_CASE("yaml: only plain words are numbers and booleans") {
  const Yaml yaml = parse_yaml("[true, 'true', yes, 1, '1', -1.5e3, 0x10, 010, .5, null, 1_0]");
  REQUIRE(!yaml.problem);
  CHECK(to_json(yaml.root) ==
        "[true,\"true\",\"yes\",1,\"1\",-1.5e3,\"0x10\",\"010\",\".5\",null,\"1_0\"]");
}

TEST_CASE("yaml: CRLF, CR and a byte order mark are read as lines and nothing") {
  CHECK(parse_yaml("a: 1\r\nb: 2\r\n").root.keys.size() == 2);
  CHECK(parse_yaml("a: 1\rb: 2\r").root.keys.size() == 2);
  CHECK(problem("a: 1\r\n\r\nb: &x 1").starts_with("3:"));
}

}  // namespace rb::rdr
