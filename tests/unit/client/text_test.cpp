#include "client/lib/text.h"

#include <doctest/doctest.h>

using namespace rb;
using namespace rb::client;

TEST_CASE("text: durations are short") {
  CHECK(duration_text(Millis(0)) == "0 ms");
  CHECK(duration_text(Millis(99)) == "99 ms");
  CHECK(duration_text(Millis(840)) == "0.8 s");
  CHECK(duration_text(Millis(9999)) == "9.9 s");
  CHECK(duration_text(Millis(41'500)) == "41 s");
  CHECK(duration_text(Millis(62'000)) == "1 m 02 s");
  CHECK(duration_text(Millis(7'500'000)) == "2 h 05 m");
  CHECK(duration_text(Millis(-5)) == "0 ms");
}

TEST_CASE("text: durations are read as people write them") {
  CHECK(parse_duration("90") == Millis(90'000));
  CHECK(parse_duration("90s") == Millis(90'000));
  CHECK(parse_duration("1m30s") == Millis(90'000));
  CHECK(parse_duration("500ms") == Millis(500));
  CHECK(parse_duration("2h") == Millis(7'200'000));
  CHECK(parse_duration("0") == Millis(0));
  for (const char* wrong :
       {"", "s", "1x", "-1s", "1 s", "1.5s", "9999999999d", "99999999999999s"}) {
    CHECK_FALSE(parse_duration(wrong));
  }
}

TEST_CASE("text: sizes") {
  CHECK(size_text(0) == "0 B");
  CHECK(size_text(1023) == "1023 B");
  CHECK(size_text(88 * 1024) == "88 KiB");
  CHECK(size_text(2'202'010) == "2.1 MiB");
}

TEST_CASE("text: columns count characters, wide ones twice") {
  CHECK(columns("abc") == 3);
  CHECK(columns("é✓") == 2);
  CHECK(columns("漢字") == 4);
  CHECK(shortened("abcdef", 4) == "abc…");
  CHECK(shortened("漢字漢", 4) == "漢…");
  CHECK(padded("é", 3) == "é  ");
}

TEST_CASE("text: a table aligns its columns") {
  Table table({"A", "LONG", "C"});
  CHECK(table.empty());
  table.add({"wide cell", "x", "end"});
  CHECK(table.text() == "A          LONG  C\nwide cell  x     end\n");
}

TEST_CASE("text: the closest word is close") {
  const std::vector<std::string> verbs = {"run", "ps", "attach", "session start"};
  CHECK(closest("rnu", verbs) == "run");
  CHECK(closest("atach", verbs) == "attach");
  CHECK(closest("sess", verbs) == "session start");
  CHECK(closest("frobnicate", verbs).empty());
}
