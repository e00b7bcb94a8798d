#include "client/lib/record_verify.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

#include "daemon/reader/view.h"
#include "sample_state.h"
#include "store.h"

namespace {

using rb::client::Verdict;
using rb::test::Play;
using rb::test::read_file;
using rb::test::SampleState;
using rb::test::SessionWriter;
using rb::test::TemporaryFolder;
using rb::test::verify;
using rb::test::write_file;
using rb::test::write_session_view;

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// "file:line: reason", or "ok".
std::string said(const Verdict& verdict) {
  return verdict.ok() ? "ok"
                      : verdict.bad->file + ":" + std::to_string(verdict.bad->line) + ": " +
                            verdict.bad->reason;
}

void replace_in(const std::string& path, std::string_view from, std::string_view to) {
  std::string text = read_file(path);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  write_file(path, text);
}

constexpr const char* kFirst = "20261130-162033-k7fq";
constexpr const char* kSecond = "20261130-170000-aaaa";
constexpr const char* kThird = "20261130-180000-bbbb";

// Three sessions, each following the one before.
struct Three {
  TemporaryFolder state;
  SessionWriter first{state.path(), kFirst};
  std::unique_ptr<SessionWriter> second;
  std::unique_ptr<SessionWriter> third;

  Three() {
    rb::test::write_sample(first, 3000);
    second = std::make_unique<SessionWriter>(state.path(), kSecond, first.chain().head());
    rb::test::write_sample(*second, 3000);
    third = std::make_unique<SessionWriter>(state.path(), kThird, second->chain().head());
    rb::test::write_sample(*third, 3000);
  }
  [[nodiscard]] std::string remove(const char* id) const {
    std::filesystem::remove_all(state.path() + "/sessions/" + id);
    return said(verify(state.path()));
  }
};

}  // namespace

TEST_CASE("verify: an empty state folder is an empty record") {
  const TemporaryFolder state;
  const Verdict verdict = verify(state.path());
  CHECK(verdict.ok());
  CHECK(verdict.sessions == 0);
}

TEST_CASE("verify: a record as it was written is right, and counted") {
  const Three record;
  const Verdict verdict = verify(record.state.path());
  CHECK(said(verdict) == "ok");
  CHECK(verdict.sessions == 3);
  CHECK(verdict.lines == record.first.chain().lines() + record.second->chain().lines() +
                             record.third->chain().lines());
  CHECK(verdict.executions >= 6);
  CHECK(verdict.output_bytes > 0);
  CHECK(verdict.newest == kThird);
  CHECK(verdict.head == record.third->chain().head());
  CHECK(verdict.cuts.empty());
}

TEST_CASE("verify: a session taken out shows in the one after it") {
  CHECK(holds(Three().remove(kFirst), std::string(kSecond) + "/journal-0001.jsonl:1: follows a"));
  CHECK(holds(Three().remove(kSecond), std::string(kThird) + "/journal-0001.jsonl:1: follows a"));
}

TEST_CASE("verify: the newest session taken out, or its end cut off, shows against an anchor") {
  const Three record;
  const std::string head = record.third->chain().head().hex();
  CHECK(said(verify(record.state.path(), {head})) == "ok");
  CHECK(said(verify(record.state.path(), {head.substr(0, 12)})) == "ok");
  CHECK(said(verify(record.state.path(), {std::string(64, 'f')})) != "ok");
  std::string journal = read_file(record.third->journal());
  const std::string whole = journal;
  journal.resize(journal.rfind('\n', journal.size() - 2) + 1);
  write_file(record.third->journal(), journal);
  CHECK(said(verify(record.state.path())) == "ok");
  CHECK(holds(said(verify(record.state.path(), {head})), "no line has the head"));
  write_file(record.third->journal(), whole);
  (void)record.remove(kThird);
  CHECK(said(verify(record.state.path())) == "ok");
  CHECK(holds(said(verify(record.state.path(), {head})), "no line has the head"));
}

TEST_CASE("verify: every head of the record serves as an anchor, several at once") {
  const Three record;
  std::vector<std::string> anchors;
  for (const std::string& line : record.second->lines()) {
    anchors.push_back(rb::head_of_line(line).hex());
    anchors.push_back(anchors.back().substr(0, 20));
  }
  CHECK(said(verify(record.state.path(), anchors)) == "ok");
}

TEST_CASE("verify: an anchor that is none is refused before anything is read") {
  const TemporaryFolder state;
  const rb::Fd folder(::open(state.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const char* anchor : {"", "abc", "ABCDEFABCDEF", "zzzzzzzzzzzz"}) {
    CHECK_FALSE(rb::client::verify_record(folder.get(), {anchor}).ok());
  }
}

TEST_CASE("verify: sessions that run at the same time still form one list") {
  const TemporaryFolder state;
  SessionWriter first(state.path(), kFirst);
  first.started_session("anna", "one");
  SessionWriter second(state.path(), kSecond, first.chain().head());
  second.started_session("bert", "two");
  first.play({});
  second.play({});
  SessionWriter third(state.path(), kThird, second.chain().head());
  third.started_session("carl", "three");
  second.end();
  first.end();
  third.end();
  const Verdict verdict = verify(state.path());
  CHECK(said(verdict) == "ok");
  CHECK(verdict.newest == kThird);
}

TEST_CASE("verify: two sessions can't follow the same one, nor can two begin the record") {
  const TemporaryFolder state;
  SessionWriter first(state.path(), kFirst);
  first.started_session("anna", "one");
  SessionWriter second(state.path(), kSecond, first.chain().head());
  second.started_session("bert", "two");
  SessionWriter third(state.path(), kThird, first.chain().head());
  third.started_session("carl", "three");
  CHECK(holds(said(verify(state.path())), "already follows"));
  const TemporaryFolder other;
  SessionWriter begins(other.path(), kFirst);
  begins.started_session("anna", "one");
  SessionWriter also(other.path(), kSecond);
  also.started_session("bert", "two");
  CHECK(holds(said(verify(other.path())), "begins a record although"));
}

TEST_CASE("verify: a session under another's name is no session of that name") {
  const Three record;
  const std::string sessions = record.state.path() + "/sessions/";
  std::filesystem::rename(sessions + kThird, sessions + "20261130-190000-cccc");
  CHECK(holds(said(verify(record.state.path())), "isn't the start of this session"));
  std::filesystem::create_directory(sessions + "strange");
  CHECK(holds(said(verify(record.state.path())), "sessions/strange:0: isn't a session's folder"));
}

TEST_CASE("verify: the first changed line is named, whichever of two neighbours was changed") {
  const SampleState sample(3000);
  const std::string journal = sample.session().journal();
  const std::string whole = read_file(journal);
  replace_in(journal, "all green again", "all green Again");
  const std::uint64_t note = sample.session().chain().lines() - 2;
  CHECK(holds(said(verify(sample.path())), "jsonl:" + std::to_string(note) + ": was changed"));
  write_file(journal, whole);
  const std::string prev = rb::head_of_line(sample.session().lines()[3]).hex();
  replace_in(journal, prev, std::string(64, 'a'));
  CHECK(holds(said(verify(sample.path())), "jsonl:5: doesn't hold the digest of line 4"));
}

TEST_CASE("verify: a missing, a repeated and a swapped line are told by number") {
  const SampleState sample(3000);
  const std::string journal = sample.session().journal();
  const std::vector<std::string>& lines = sample.session().lines();
  const auto with = [&](const std::vector<std::size_t>& order) {
    std::string text;
    for (const std::size_t line : order) {
      text += lines[line - 1] + "\n";
    }
    write_file(journal, text);
    return said(verify(sample.path()));
  };
  CHECK(holds(with({1, 2, 4, 5}), "jsonl:3: has the number 4"));
  CHECK(holds(with({1, 2, 2, 3}), "jsonl:3: has the number 2"));
  CHECK(holds(with({1, 3, 2, 4}), "jsonl:2: has the number 3"));
  CHECK(holds(with({1, 2, 3}), "jsonl:4: is missing: session.json"));
  CHECK(holds(with({}), "jsonl:1: is missing: session.json"));
}

TEST_CASE("verify: files that lack, or aren't files, are bad") {
  for (const char* file : {"script", "output", "outcome.bin"}) {
    const SampleState sample(3000);
    const std::string path = sample.session().folder() + "/executions/e1/" + file;
    std::filesystem::remove(path);
    const std::string after = said(verify(sample.path()));
    if (std::string_view(file) == "script") {
      CHECK(after == "ok");  // the start line holds it
    } else {
      CHECK(holds(after, std::string("/executions/e1/") + file));
      CHECK(holds(after, "is missing"));
    }
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(holds(said(verify(sample.path())), file));
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/etc/passwd", path);
    CHECK(holds(said(verify(sample.path())), file));
  }
  const SampleState sample(3000);
  std::filesystem::remove_all(sample.session().folder() + "/executions");
  CHECK(holds(said(verify(sample.path())), "is missing"));
}

TEST_CASE("verify: a script too large for the journal must lie beside it") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), kFirst);
  session.started_session("anna", "one");
  Play play;
  play.script.assign(100'000, '#');
  session.large_scripts = true;
  session.play(play);
  CHECK(said(verify(state.path())) == "ok");
  std::filesystem::remove(session.folder() + "/executions/e1/script");
  CHECK(holds(said(verify(state.path())), "executions/e1/script:2: is missing"));
}

TEST_CASE("verify: what can't have happened is bad although its chain is right") {
  const auto of = [](void (*fill)(SessionWriter&)) {
    const TemporaryFolder state;
    SessionWriter session(state.path(), kFirst);
    session.started_session("anna", "one");
    fill(session);
    return said(verify(state.path()));
  };
  CHECK(holds(of([](SessionWriter& s) {
                s.play({});
                s.start({});
              }),
              "starts e1 a second time"));
  CHECK(holds(of([](SessionWriter& s) {
                s.play({});
                s.line("finished", [](rb::JsonWriter& json) {
                  json.field("execution", "e1").field("outcome", "interrupted");
                });
              }),
              "ends e1 a second time"));
  CHECK(holds(of([](SessionWriter& s) { s.finish({}); }), "never started"));
  CHECK(holds(of([](SessionWriter& s) {
                s.start({});
                s.end();
              }),
              "although e1 has no end"));
  CHECK(holds(of([](SessionWriter& s) {
                s.end();
                s.play({});
              }),
              "after the session's end"));
  CHECK(holds(of([](SessionWriter& s) {
                s.start({});
                s.line("finished", [](rb::JsonWriter& json) {
                  json.field("execution", "e1").field("outcome", "passed").field("exit", 0);
                });
              }),
              "names no outcome.bin for an execution that passed"));
  CHECK(of([](SessionWriter& s) {
          s.start({});
          s.line("finished", [](rb::JsonWriter& json) {
            json.field("execution", "e1").field("outcome", "interrupted");
          });
          s.end();
        }) == "ok");
  CHECK(of([](SessionWriter& s) { s.start({}); }) == "ok");
  CHECK(of([](SessionWriter& s) {
          s.line("finished", [](rb::JsonWriter& json) {
            json.field("execution", "e1").field("outcome", "interrupted");
          });
        }) == "ok");
}

TEST_CASE("verify: an end line that says other than its outcome is bad") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), kFirst);
  session.started_session("anna", "one");
  Play play;
  play.outcome = rb::Ended::Failed;
  play.exit = 3;
  session.play(play);
  std::string text = read_file(session.journal());
  const std::size_t at = text.find("\"exit\":3");
  REQUIRE(at != std::string::npos);
  text.replace(at, 8, "\"exit\":0");
  write_file(session.journal(), text);
  CHECK(holds(said(verify(state.path())), "outcome.bin:3: doesn't say what the end line says"));
}

TEST_CASE("verify: what an execution left is what its end line says, or bad") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), kFirst);
  session.started_session("anna", "one");
  Play play;
  play.outputs = "a=1\n";
  play.list = "{\"path\":\"a\",\"unread\":\"a link\"}\n";
  session.play(play);
  CHECK(said(verify(state.path())) == "ok");
  const std::string folder = session.folder() + "/executions/e1/";
  for (const std::string name : {"outputs", "generated.jsonl"}) {
    const std::string before = read_file(folder + name);
    write_file(folder + name, before + "x");
    CHECK(holds(said(verify(state.path())), name + ":3: was changed"));
    std::filesystem::remove(folder + name);
    CHECK(holds(said(verify(state.path())), name + ":3: is missing"));
    write_file(folder + name, before);
  }
  CHECK(said(verify(state.path())) == "ok");
  // Left out of the line, it isn't what the outcome says.
  replace_in(session.journal(), ",\"left\":{\"outputs_bytes\":4", ",\"left\":{\"outputs_bytes\":5");
  CHECK(holds(said(verify(state.path())), "outcome.bin:3: doesn't say what the end line says"));
}

TEST_CASE("verify: segments are one journal, and one that is missing is told") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), kFirst);
  session.started_session("anna", "one");
  session.play({});
  session.new_segment(1);
  session.line("segment-opened", [](rb::JsonWriter& json) { json.field("cause", "EIO"); });
  session.new_segment(0);
  session.end();
  CHECK(said(verify(state.path())) == "ok");
  CHECK(verify(state.path()).lines == session.chain().lines());
  // What wasn't safe in the first segment is no part of the record.
  std::string first = read_file(session.journal(1));
  first.resize(first.size() - 5);
  write_file(session.journal(1), first);
  CHECK(said(verify(state.path())) == "ok");
  CHECK(verify(state.path()).cuts.empty());
  std::filesystem::remove(session.journal(2));
  CHECK(holds(said(verify(state.path())), "journal-0002.jsonl is missing"));
}

TEST_CASE("verify: a torn last line is reported as cut and isn't damage") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), kFirst);
  session.started_session("anna", "one");
  write_file(session.journal(), read_file(session.journal()) + "{\"line\":2,\"pr");
  const Verdict verdict = verify(state.path());
  CHECK(said(verdict) == "ok");
  REQUIRE(verdict.cuts.size() == 1);
  CHECK(verdict.cuts[0].line == 2);
  CHECK(verdict.cuts[0].bytes == 13);
  CHECK(holds(verdict.cuts[0].file, "journal-0001.jsonl"));
}

TEST_CASE("verify: a session whose first line was never finished holds nobody up") {
  const Three record;
  const SessionWriter empty(record.state.path(), "20261130-200000-dddd");
  CHECK(said(verify(record.state.path())) == "ok");
  CHECK(verify(record.state.path()).cuts.size() == 1);
}

TEST_CASE("verify: hostile lines are told, never followed") {
  const SampleState sample(3000);
  const std::string journal = sample.session().journal();
  for (const std::string& text :
       {std::string(3 << 20, 'x'), std::string(1 << 16, '\n'), std::string(1 << 16, '\0'),
        "{\"line\":1," + std::string(1 << 20, '[') + "\n"}) {
    write_file(journal, text);
    CHECK_FALSE(verify(sample.path()).ok());
  }
  const TemporaryFolder state;
  SessionWriter session(state.path(), kFirst);
  session.started_session("anna", "one");
  session.line("started", [](rb::JsonWriter& json) {
    json.field("execution", "../../../../etc").field("script_sha256", std::string(64, '0'));
  });
  CHECK(holds(said(verify(state.path())), "without a proper id"));
}
