#include "broker/journal.h"

#include <doctest/doctest.h>

#include "common/bytes.h"
#include "tests/unit/broker/support.h"

namespace rb::brk {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    out.push_back(text.substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return out;
}

void note(Journal& journal, const std::string& text) {
  JsonWriter line = journal.begin("note");
  line.field("text", text);
  REQUIRE(journal.append(std::move(line)).ok());
}

}  // namespace

TEST_CASE("journal: every line holds the digest of the one before") {
  const test::Folder folder;
  Loop loop;
  const Digest before = sha256(as_bytes("an earlier session"));
  auto journal = Journal::create(loop, folder.fd(), before);
  REQUIRE(journal.ok());
  for (const char* text : {"one", "two\nlines", "three \"quoted\""}) {
    note(**journal, text);
  }
  const auto lines = lines_of(folder.read("journal-0001.jsonl"));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with(R"({"line":1,"prev":")" + before.hex() + "\""));
  CHECK(lines[1].starts_with(R"({"line":2,"prev":")" + head_of_line(lines[0]).hex() + "\""));
  CHECK(lines[2].starts_with(R"({"line":3,"prev":")" + head_of_line(lines[1]).hex() + "\""));
  CHECK((*journal)->head() == head_of_line(lines[2]));
}

TEST_CASE("journal: commit calls back from the loop, after one sync for all of a turn") {
  const test::Folder folder;
  Loop loop;
  auto journal = Journal::create(loop, folder.fd(), {});
  int durable = 0;
  int committed = 0;
  (*journal)->on_told([&] { ++durable; });
  for (int i = 0; i < 3; ++i) {
    note(**journal, "x");
    (*journal)->commit([&](const Status& status) { committed += status.ok() ? 1 : 0; });
  }
  CHECK(committed == 0);
  CHECK((*journal)->told_line() == 0);
  while (committed < 3) {
    loop.turn(true);
  }
  CHECK(durable == 1);
  CHECK((*journal)->told_line() == 3);
}

TEST_CASE("journal: a line may be told before its sync only where nothing else waits for one") {
  const test::Folder folder;
  Loop loop;
  auto journal = Journal::create(loop, folder.fd(), {});
  note(**journal, "an outcome that is on disk elsewhere");
  CHECK((*journal)->tell());
  note(**journal, "another one");
  CHECK((*journal)->tell());
  CHECK((*journal)->told_line() == 2);
  REQUIRE((*journal)->sync().ok());
  note(**journal, "a start that isn't");
  note(**journal, "an outcome");
  CHECK_FALSE((*journal)->tell());
  CHECK((*journal)->told_line() == 2);
  REQUIRE((*journal)->sync().ok());
  CHECK((*journal)->told_line() == 4);
}

TEST_CASE("journal: a line that nobody waits for is synced soon, and by whichever sync is next") {
  const test::Folder folder;
  Loop loop;
  auto journal = Journal::create(loop, folder.fd(), {});
  int synced = 0;
  const auto count = [&](const Status& status) { synced += status.ok() ? 1 : 0; };
  note(**journal, "an outcome");
  (*journal)->commit_soon(count);
  loop.turn(false);
  CHECK(synced == 0);
  note(**journal, "a start");
  (*journal)->commit(count);
  loop.turn(false);
  CHECK(synced == 2);
  note(**journal, "another outcome");
  (*journal)->commit_soon(count);
  while (synced < 3) {
    loop.turn(true);
  }
}

TEST_CASE("journal: a later broker goes on where the last whole line ends, whatever the cut") {
  const test::Folder folder;
  Loop loop;
  {
    auto journal = Journal::create(loop, folder.fd(), {});
    note(**journal, "one");
    note(**journal, "two");
  }
  const std::string whole = folder.read("journal-0001.jsonl");
  const std::size_t first = whole.find('\n') + 1;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    folder.write("journal-0001.jsonl", whole.substr(0, cut));
    Journal::Found found;
    auto journal = Journal::resume(loop, folder.fd(), found);
    REQUIRE(journal.ok());
    const std::size_t kept = cut == whole.size() ? whole.size() : cut >= first ? first : 0;
    CHECK(found.torn_bytes == cut - kept);
    note(**journal, "next");
    const auto lines = lines_of(folder.read("journal-0001.jsonl"));
    const std::size_t number = lines.size();
    CHECK(lines.back().starts_with("{\"line\":" + std::to_string(number) + ","));
    if (number > 1) {
      CHECK(lines.back().find(head_of_line(lines[number - 2]).hex()) != std::string::npos);
    }
  }
}

TEST_CASE("journal: recovery tells started, ended and complete without parsing, not by a value") {
  const test::Folder folder;
  Loop loop;
  Actor actor;
  actor.program = R"(x"},"execution":"e9)";
  {
    auto journal = Journal::create(loop, folder.fd(), {});
    JsonWriter started = (*journal)->begin("started", &actor);
    started.field("execution", "e1").field("text", "x");
    REQUIRE((*journal)->append(std::move(started)).ok());
    JsonWriter finished = (*journal)->begin("finished");
    finished.field("execution", "e1");
    REQUIRE((*journal)->append(std::move(finished)).ok());
    note(**journal, R"("type":"finished","execution":"e2" "type":"session-ended")");
  }
  Journal::Found found;
  REQUIRE(Journal::resume(loop, folder.fd(), found).ok());
  CHECK(found.started == std::set<std::string>{"e1"});
  CHECK(found.finished == std::set<std::string>{"e1"});
  CHECK_FALSE(found.ended);
}

TEST_CASE("journal: a segment that replaces lines of the one before is counted from there") {
  const test::Folder folder;
  Loop loop;
  {
    auto journal = Journal::create(loop, folder.fd(), {});
    for (const char* text : {"one", "two", "three"}) {
      note(**journal, text);
    }
  }
  const auto lines = lines_of(folder.read("journal-0001.jsonl"));
  folder.write("journal-0002.jsonl", lines[1] + "\n");
  Journal::Found found;
  auto journal = Journal::resume(loop, folder.fd(), found);
  REQUIRE(journal.ok());
  CHECK((*journal)->lines() == 2);
  CHECK((*journal)->head() == head_of_line(lines[1]));
  CHECK((*journal)->last_line_of((*journal)->segments()[0]) == 1);
}

TEST_CASE("journal: the reserve takes room and leaves the length as it is") {
  const test::Folder folder;
  Loop loop;
  auto journal = Journal::create(loop, folder.fd(), {});
  note(**journal, "one");
  REQUIRE((*journal)->reserve().ok());
  CHECK(std::filesystem::file_size(folder.path("journal-0001.jsonl")) ==
        folder.read("journal-0001.jsonl").size());
}

TEST_CASE("journal: a line over the limit is refused and leaves nothing") {
  const test::Folder folder;
  Loop loop;
  auto journal = Journal::create(loop, folder.fd(), {});
  JsonWriter line = (*journal)->begin("note");
  line.field("text", std::string(2 << 20, 'x'));
  CHECK_FALSE((*journal)->append(std::move(line)).ok());
  note(**journal, "after");
  CHECK(lines_of(folder.read("journal-0001.jsonl")).size() == 1);
}

}  // namespace rb::brk
