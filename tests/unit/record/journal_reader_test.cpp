#include "common/journal_reader.h"

#include <doctest/doctest.h>

#include "common/chain.h"
#include "common/io.h"

namespace {

std::vector<std::string> lines_of(std::string_view content, std::size_t most,
                                  std::uint64_t* torn = nullptr) {
  const rb::Fd file = std::move(rb::sealed_memory("journal", rb::as_bytes(content)).value());
  rb::LineReader reader(file.get(), most);
  std::vector<std::string> out;
  for (;;) {
    const auto line = reader.next();
    if (!line.ok()) {
      out.push_back("error: " + line.failure().what);
      return out;
    }
    if (!line->has_value()) {
      break;
    }
    out.emplace_back(**line);
  }
  if (torn != nullptr) {
    *torn = reader.torn();
  }
  CHECK(reader.offset() + reader.torn() == content.size());
  return out;
}

}  // namespace

TEST_CASE("journal_reader: gives whole lines and counts what is torn") {
  std::uint64_t torn = 0;
  CHECK(lines_of("a\n\nbc\n", 100, &torn) == std::vector<std::string>{"a", "", "bc"});
  CHECK(torn == 0);
  CHECK(lines_of("a\nbc", 100, &torn) == std::vector<std::string>{"a"});
  CHECK(torn == 2);
  CHECK(lines_of("", 100, &torn).empty());
}

TEST_CASE("journal_reader: lines of every length around the buffer's size come out whole") {
  for (const std::size_t length : {65534u, 65535u, 65536u, 65537u, 200000u}) {
    const std::string line(length, 'x');
    CHECK(lines_of(line + "\n" + line + "\nz\n", 1 << 20) ==
          std::vector<std::string>{line, line, "z"});
  }
}

TEST_CASE("journal_reader: a line over the limit is an error, whether it ends or not") {
  CHECK(lines_of("0123456789\n", 9).at(0).rfind("error", 0) == 0);
  CHECK(lines_of("0123456789", 9).at(0).rfind("error", 0) == 0);
  CHECK(lines_of("0123456789\n", 10) == std::vector<std::string>{"0123456789"});
  CHECK(lines_of(std::string(300000, 'x'), 1000).at(0).rfind("error", 0) == 0);
}

TEST_CASE("journal_reader: the start of a line is read as the encoder writes it") {
  rb::Chain chain;
  rb::JsonWriter line = chain.begin();
  line.field("at", "2026-11-30T16:20:33.123Z").field("boot_ms", 77).field("type", "note");
  const std::string text = chain.commit(std::move(line));
  const auto start = rb::line_start(text);
  REQUIRE(start.has_value());
  CHECK(start->number == 1);
  CHECK(start->prev == rb::Digest{});
  CHECK(start->at == "2026-11-30T16:20:33.123Z");
  CHECK(start->boot_ms == 77);
  CHECK(start->type == "note");
}

TEST_CASE("journal_reader: a line that starts in another way is none") {
  const std::string good =
      R"({"line":1,"prev":")" + std::string(64, '0') + R"(","at":"x","boot_ms":7,"type":"note"})";
  REQUIRE(rb::line_start(good).has_value());
  for (std::size_t length = 0; length < good.size(); ++length) {
    CHECK_FALSE(rb::line_start(good.substr(0, length)).has_value());
  }
  for (const auto& [from, to] :
       {std::pair{"\"line\":1", "\"line\":01"}, std::pair{"\"line\":1", "\"line\":-1"},
        std::pair{"\"line\":1", "\"line\": 1"},
        std::pair{"\"line\":1", "\"line\":99999999999999999999"}, std::pair{"000\"", "00g\""},
        std::pair{"note", "no\\u0074e"}}) {
    std::string bad = good;
    bad.replace(bad.find(from), std::string_view(from).size(), to);
    CAPTURE(bad);
    CHECK_FALSE(rb::line_start(bad).has_value());
  }
}
