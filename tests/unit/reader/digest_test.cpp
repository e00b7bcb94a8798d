// The digest of an executable, beside its description: the encoding is done here by hand, from
// docs/FORMATS.md alone, and the document's own test vectors are read out of it.
#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "common/digest.h"
#include "protocol/digests.h"
#include "protocol/limits.h"
#include "tests/unit/reader/opened.h"

namespace rb::test {
namespace {

std::string number(std::uint64_t value) {
  std::string out;
  for (unsigned i = 0; i < 8; ++i) {
    out += static_cast<char>((value >> (8 * i)) & 0xffU);
  }
  return out;
}

std::string field(const std::string& bytes) {
  return number(bytes.size()) + bytes;
}
std::string field(std::uint64_t value) {
  return field(number(value));
}

std::string encoded(const std::vector<std::string>& fields) {
  std::string out;
  for (const std::string& one : fields) {
    out += one;
  }
  return out;
}

// "true" by bash, no inputs; as in docs/FORMATS.md.
std::string plain_by_hand() {
  return encoded({field("runbookd executable"), field(1), field("hello"), field("command"),
                  field("inline"), field(""), field(""), field(1), field("bash"), field("true"),
                  field(1), field(1), field(0), field(4), field(0), field(0), field(0), field(0),
                  field("")});
}

void fill_plain(reader::Block::Builder block) {
  block.setId("hello");
  block.setType("command");
  block.setKind("inline");
  block.initInterpreter(1).set(0, "bash");
  block.initTrace(1)[0].initLiteral().setLength(4);
}

// "echo {{ .inputs.Name }}" with its input, a form and a time limit.
std::string with_input_by_hand() {
  return encoded({field("runbookd executable"),
                  field(1),
                  field("greet"),
                  field("check"),
                  field("file"),
                  field(""),
                  field("greet.sh"),
                  field(2),
                  field("/usr/bin/env"),
                  field("sh"),
                  field("echo {{ .inputs.Name }}"),
                  field(2),
                  field(1),
                  field(0),
                  field(5),
                  field(2),
                  field(5),
                  field(18),
                  field("Name"),
                  field(""),
                  field(""),
                  field(1),
                  field(1),
                  field(1),
                  field("Name"),
                  field("enum"),
                  field(1),
                  field(0),
                  field(""),
                  field(2),
                  field("Ada"),
                  field("Bob"),
                  field(0),
                  field("form"),
                  field(1),
                  field("form"),
                  field(60000),
                  field(1),
                  field("network")});
}

void fill_with_input(reader::Block::Builder block) {
  block.setId("greet");
  block.setType("check");
  block.setKind("file");
  block.setPath("greet.sh");
  auto words = block.initInterpreter(2);
  words.set(0, "/usr/bin/env");
  words.set(1, "sh");
  auto trace = block.initTrace(2);
  trace[0].initLiteral().setLength(5);
  auto insertion = trace[1].initInsertion();
  insertion.initRange().setOffset(5);
  insertion.getRange().setLength(18);
  insertion.setInput("Name");
  insertion.setPlace(reader::Place::PLAIN);
  insertion.setWordStart(true);
  auto input = block.initInputs(1)[0];
  input.setName("Name");
  input.setType("enum");
  input.setRequired(true);
  auto options = input.initOptions(2);
  options.set(0, "Ada");
  options.set(1, "Bob");
  input.setInputsId("form");
  block.initInputsIds(1).set(0, "form");
  block.setTimeoutMs(60000);
  block.setUsePty(true);
  block.setProfile("network");
}

template <typename Fill>
std::string digest_of(Fill&& fill, std::string_view script) {
  std::string out;
  const Bytes message = wire::build<reader::Block>(fill);
  (void)wire::read<reader::Block>(message, limits::kTrustedNesting, [&](auto block) {
    out = executable_digest(block, as_bytes(script)).hex();
    return done();
  });
  return out;
}

// The digest that docs/FORMATS.md gives in the line of that name: "| `plain` | ... | `<hex>` |".
std::string written(const std::string& name) {
  std::istringstream lines(read_file(std::string(RUNBOOKD_SOURCE) + "/docs/FORMATS.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| `" + name + "` |")) {
      const std::size_t end = line.rfind('`');
      return line.substr(line.rfind('`', end - 1) + 1, end - line.rfind('`', end - 1) - 1);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("digest: an executable's fields are encoded as docs/FORMATS.md says") {
  const std::string plain = plain_by_hand();
  CHECK(digest_of(fill_plain, "true") == sha256(as_bytes(plain)).hex());
  CHECK(written("plain") == sha256(as_bytes(plain)).hex());
  const std::string input = with_input_by_hand();
  CHECK(digest_of(fill_with_input, "echo {{ .inputs.Name }}") == sha256(as_bytes(input)).hex());
  CHECK(written("with-input") == sha256(as_bytes(input)).hex());
}

TEST_CASE("digest: what moves between neighbouring fields is told apart") {
  const auto renamed = [](reader::Block::Builder block) {
    fill_plain(block);
    block.setId("hell");
    block.setType("ocommand");
  };
  CHECK(digest_of(renamed, "true") != digest_of(fill_plain, "true"));
  CHECK(digest_of(fill_plain, "true ") != digest_of(fill_plain, "true"));
}

}  // namespace rb::test
