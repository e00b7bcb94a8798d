#include "broker/ledger.h"

#include <doctest/doctest.h>

#include "tests/unit/broker/support.h"

namespace rb::brk {
namespace {

Record run(std::uint64_t number) {
  return {Record::Kind::Opened,
          {"20261130-163000-abcd", "deploy", "runbook.mdx", "deploy/", "/srv/deploy", "00ff"},
          {number}};
}

}  // namespace

TEST_CASE("ledger: what was appended is read again, in order") {
  const test::Folder folder;
  {
    Result<Ledger::Opened> first = Ledger::open(folder.fd());
    REQUIRE(first.ok());
    CHECK(first->fresh);
    for (std::uint64_t i = 1; i <= 3; ++i) {
      REQUIRE(first->ledger.append(run(i)).ok());
    }
  }
  const Result<Ledger::Opened> again = Ledger::open(folder.fd());
  REQUIRE(again.ok());
  CHECK_FALSE(again->fresh);
  CHECK(again->records == std::vector<Record>{run(1), run(2), run(3)});
  CHECK(again->cut_bytes == 0);
}

TEST_CASE("ledger: cut at every byte, each whole record before the cut is there and nothing else") {
  Bytes all;
  std::vector<std::size_t> ends{0};
  for (std::uint64_t i = 1; i <= 3; ++i) {
    const Bytes one = encode_record(run(i));
    all.insert(all.end(), one.begin(), one.end());
    ends.push_back(all.size());
  }
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    std::size_t used = 0;
    const auto records = decode_records(ByteView(all).first(cut), used);
    std::size_t whole = 0;
    while (whole + 1 < ends.size() && ends[whole + 1] <= cut) {
      ++whole;
    }
    CHECK(records.size() == whole);
    CHECK(used == ends[whole]);
  }
}

TEST_CASE("ledger: a flipped bit ends reading at its record") {
  Bytes all = encode_record(run(1));
  const std::size_t first = all.size();
  const Bytes second = encode_record(run(2));
  all.insert(all.end(), second.begin(), second.end());
  for (std::size_t at = first; at < all.size(); ++at) {
    Bytes bad = all;
    bad[at] ^= 1;
    std::size_t used = 0;
    CHECK(decode_records(bad, used).size() == 1);
    CHECK(used == first);
  }
}

TEST_CASE("ledger: a damaged tail is cut, counted, and appended over") {
  const test::Folder folder;
  {
    Result<Ledger::Opened> first = Ledger::open(folder.fd());
    REQUIRE(first->ledger.append(run(1)).ok());
  }
  folder.write("ledger", folder.read("ledger") + "torn");
  {
    Result<Ledger::Opened> second = Ledger::open(folder.fd());
    REQUIRE(second.ok());
    CHECK(second->cut_bytes == 4);
    REQUIRE(second->ledger.append(run(2)).ok());
  }
  CHECK(Ledger::open(folder.fd())->records == std::vector<Record>{run(1), run(2)});
}

TEST_CASE("ledger: replacing leaves the new records alone, and appending goes on after them") {
  const test::Folder folder;
  Result<Ledger::Opened> opened = Ledger::open(folder.fd());
  for (std::uint64_t i = 1; i <= 100; ++i) {
    REQUIRE(opened->ledger.append(run(i)).ok());
  }
  REQUIRE(opened->ledger.replace({run(7)}).ok());
  REQUIRE(opened->ledger.append(run(8)).ok());
  CHECK(Ledger::open(folder.fd())->records == std::vector<Record>{run(7), run(8)});
}

}  // namespace rb::brk
