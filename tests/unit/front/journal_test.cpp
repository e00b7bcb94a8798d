#include "daemon/front/journal.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <string>

#include "common/io.h"

namespace rb::fnt {
namespace {

Fd file_with(const std::string& text) {
  Fd file(::memfd_create("journal", MFD_CLOEXEC));
  REQUIRE(write_all(file.get(), as_bytes(text)).ok());
  return file;
}

// All lines from `line` on, as "number:json ", at most `most` of them.
std::string read_from(const Journal& journal, std::uint64_t line, int most = 1000) {
  std::string out;
  Cursor cursor = journal.find(line);
  bool more = true;
  for (int steps = 0; more && steps < 1000 && most > 0; ++steps) {
    const auto step = journal.read_step(cursor, [&](std::uint64_t number, std::string_view json) {
      if (number >= line) {
        out += std::to_string(number) + ":" + std::string(json.substr(0, 8)) + " ";
        --most;
      }
      return most > 0;
    });
    if (!step) {
      return out + "error";
    }
    more = *step;
  }
  return out;
}

TEST_CASE("journal: lines are numbered through segments and read from any of them") {
  Journal journal;
  REQUIRE(journal.add_segment(1, 1, file_with("a\nb\nunfinished")).ok());
  REQUIRE(journal.grew(1, 4, 2).ok());
  REQUIRE(journal.add_segment(2, 3, file_with("c\nd\ne\n")).ok());
  REQUIRE(journal.grew(2, 4, 4).ok());  // e isn't final yet
  CHECK(read_from(journal, 1) == "1:a 2:b 3:c 4:d ");
  CHECK(read_from(journal, 2) == "2:b 3:c 4:d ");
  CHECK(read_from(journal, 3) == "3:c 4:d ");
  CHECK(read_from(journal, 4) == "4:d ");
  CHECK(read_from(journal, 5).empty());
  CHECK(read_from(journal, 99).empty());
  REQUIRE(journal.grew(2, 6, 5).ok());
  CHECK(read_from(journal, 5) == "5:e ");
}

TEST_CASE("journal: a reader that stops goes on where it stopped") {
  Journal journal;
  REQUIRE(journal.add_segment(1, 1, file_with("a\nb\nc\nd\n")).ok());
  REQUIRE(journal.grew(1, 8, 4).ok());
  Cursor cursor = journal.find(1);
  std::string got;
  for (int i = 0; i < 4; ++i) {
    const auto step = journal.read_step(cursor, [&](std::uint64_t, std::string_view json) {
      got += json;
      return false;
    });
    REQUIRE(step.ok());
    CHECK(*step);
  }
  CHECK(got == "abcd");
  const auto over = journal.read_step(cursor, [](std::uint64_t, std::string_view) { return true; });
  REQUIRE(over.ok());
  CHECK_FALSE(*over);
}

TEST_CASE("journal: lines longer than a piece come whole, up to their limit") {
  for (const std::size_t length :
       {std::size_t{65'535}, std::size_t{65'536}, std::size_t{200'000}, std::size_t{1} << 20}) {
    Journal journal;
    REQUIRE(journal.add_segment(1, 1, file_with(std::string(length, 'x') + "\ny\n")).ok());
    REQUIRE(journal.grew(1, length + 3, 2).ok());
    std::size_t first = 0;
    Cursor cursor = journal.find(1);
    const auto step = journal.read_step(cursor, [&](std::uint64_t, std::string_view json) {
      first = json.size();
      return false;
    });
    REQUIRE(step.ok());
    CHECK(first == length);
    CHECK(read_from(journal, 2) == "2:y ");
  }
  Journal journal;
  const std::size_t length = (std::size_t{1} << 20) + 10;
  REQUIRE(journal.add_segment(1, 1, file_with(std::string(length, 'x') + "\n")).ok());
  REQUIRE(journal.grew(1, length + 1, 1).ok());
  CHECK(read_from(journal, 1) == "error");
}

TEST_CASE("journal: what contradicts itself is an error, never a guess") {
  Journal journal;
  CHECK_FALSE(journal.grew(1, 1, 1).ok());  // no such segment
  REQUIRE(journal.add_segment(2, 5, file_with("e\n")).ok());
  CHECK(journal.add_segment(2, 5, file_with("other\n")).ok());  // told a second time
  CHECK_FALSE(journal.add_segment(2, 6, file_with("e\n")).ok());
  CHECK_FALSE(journal.add_segment(3, 4, file_with("d\n")).ok());
  CHECK_FALSE(journal.add_segment(4, 0, file_with("d\n")).ok());
  CHECK(journal.add_segment(1, 1, file_with("a\nb\nc\nd\n")).ok());  // came after a later one
  REQUIRE(journal.grew(2, 2, 5).ok());
  REQUIRE(journal.grew(1, 8, 4).ok());
  CHECK_FALSE(journal.grew(1, 6, 4).ok());  // shrinks
  CHECK(journal.last_line() == 5);
  CHECK(read_from(journal, 1) == "1:a 2:b 3:c 4:d 5:e ");

  Journal gap;
  REQUIRE(gap.add_segment(1, 1, file_with("a\n")).ok());
  REQUIRE(gap.grew(1, 2, 1).ok());
  REQUIRE(gap.add_segment(2, 3, file_with("c\n")).ok());
  REQUIRE(gap.grew(2, 2, 3).ok());
  CHECK(read_from(gap, 1) == "1:a error");

  Journal longer_than_its_file;
  REQUIRE(longer_than_its_file.add_segment(1, 1, file_with("a\n")).ok());
  REQUIRE(longer_than_its_file.grew(1, 100, 9).ok());
  CHECK(read_from(longer_than_its_file, 1) == "error");

  Journal half;
  REQUIRE(half.add_segment(1, 1, file_with("a\nhalf")).ok());
  REQUIRE(half.grew(1, 6, 2).ok());
  CHECK(read_from(half, 1) == "1:a error");
}

TEST_CASE("journal: without segments there is nothing to read and nothing wrong") {
  const Journal journal;
  CHECK(read_from(journal, 1).empty());
  CHECK(journal.last_line() == 0);
}

}  // namespace
}  // namespace rb::fnt
