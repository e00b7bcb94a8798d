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

namespace {

std::string journal_line(std::uint64_t number, std::string_view mark) {
  rb::Chain chain(rb::Digest{}, number - 1);
  rb::JsonWriter line = chain.begin();
  line.field("at", "x").field("boot_ms", 1).field("type", mark);
  return chain.commit(std::move(line)) + "\n";
}

// "1a 2b | torn 0:5" or "1a !2" where line 2 failed.
std::string read_through(const std::vector<std::string>& segments) {
  std::vector<rb::Fd> files;
  std::vector<int> numbers;
  for (const std::string& segment : segments) {
    files.push_back(std::move(rb::sealed_memory("segment", rb::as_bytes(segment)).value()));
    numbers.push_back(files.back().get());
  }
  rb::JournalReader reader(numbers, 1 << 20);
  std::string out;
  for (;;) {
    const auto line = reader.next();
    if (!line.ok()) {
      return out + "!" + std::to_string(reader.number());
    }
    if (!*line) {
      break;
    }
    out += std::to_string((*line)->start.number) + std::string((*line)->start.type) + " ";
  }
  for (const rb::JournalReader::Torn& torn : reader.torn()) {
    out += "torn " + std::to_string(torn.segment) + ":" + std::to_string(torn.bytes);
  }
  return out;
}

}  // namespace

TEST_CASE("journal_reader: segments read as one sequence") {
  const auto l = journal_line;
  CHECK(read_through({l(1, "a") + l(2, "b"), l(3, "c")}) == "1a 2b 3c ");
  CHECK(read_through({l(1, "a"), "", l(2, "b")}) == "1a 2b ");
  CHECK(read_through({}).empty());
}

TEST_CASE("journal_reader: a segment that starts earlier replaces what was never acknowledged") {
  const auto l = journal_line;
  CHECK(read_through({l(1, "a") + l(2, "b") + l(3, "lost"), l(2, "b") + l(3, "c")}) == "1a 2b 3c ");
  CHECK(read_through({l(1, "a") + std::string(100, '\0') + "\n", l(2, "b")}) == "1a 2b ");
  CHECK(read_through({l(1, "a") + "{\"line\":2", l(2, "b")}) == "1a 2b ");
  CHECK(read_through({l(1, "lost"), l(1, "a")}) == "1a ");
  CHECK(read_through({l(1, "a") + "garbage\n", "", l(2, "b")}) == "1a 2b ");
}

TEST_CASE("journal_reader: a gap, a repetition and a foreign line are told by number") {
  const auto l = journal_line;
  CHECK(read_through({l(1, "a") + l(3, "c")}) == "1a !2");
  CHECK(read_through({l(1, "a") + l(1, "a")}) == "1a !2");
  CHECK(read_through({l(1, "a"), l(3, "c")}) == "1a !2");
  CHECK(read_through({l(2, "b")}) == "!1");
  CHECK(read_through({l(1, "a") + "\n" + l(2, "b")}) == "1a !2");
}

TEST_CASE("journal_reader: a torn last line is reported and isn't a line") {
  const auto l = journal_line;
  CHECK(read_through({l(1, "a") + "{\"li"}) == "1a torn 0:4");
  CHECK(read_through({l(1, "a") + "xx", ""}) == "1a torn 0:2");
}
