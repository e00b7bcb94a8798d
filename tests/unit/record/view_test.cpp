#include "daemon/reader/view.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>

#include "common/io.h"
#include "common/json_reader.h"
#include "daemon/reader/view_left.h"
#include "daemon/reader/view_text.h"
#include "store.h"

namespace {

using rb::rdr::ViewKind;
using rb::test::Play;
using rb::test::SessionWriter;
using rb::test::TemporaryFolder;

struct Made {
  rb::Status status;
  std::vector<std::string> views;
};

Made make(std::vector<rb::Fd> segments, const std::vector<std::pair<ViewKind, unsigned>>& wanted,
          std::vector<rb::rdr::ShownOutput> outputs = {}) {
  rb::rdr::ViewRequest request;
  request.segments = std::move(segments);
  request.outputs = std::move(outputs);
  for (const auto& [kind, run] : wanted) {
    request.wanted.push_back({kind, run, rb::Fd(::memfd_create("view", MFD_CLOEXEC))});
  }
  Made made{rb::rdr::make_views(request), {}};
  for (const rb::rdr::WantedView& view : request.wanted) {
    REQUIRE(::lseek(view.file.get(), 0, SEEK_SET) == 0);
    made.views.emplace_back(rb::as_text(rb::read_all(view.file.get(), 100 << 20).value()));
  }
  return made;
}

std::string page_of(const SessionWriter& session, unsigned run,
                    const std::vector<std::string>& executions = {}) {
  std::vector<rb::rdr::ShownOutput> outputs;
  for (const std::string& execution : executions) {
    outputs.push_back({execution, rb::test::open_file(session.folder() + "/executions/" +
                                                      execution + "/output")});
  }
  const Made made = make(session.segments(), {{ViewKind::RunMarkdown, run}}, std::move(outputs));
  REQUIRE(made.status.ok());
  return made.views[0];
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("view_text: a code span survives backticks, spaces, newlines and nothing at all") {
  using rb::rdr::code_span;
  CHECK(code_span("plain") == "`plain`");
  CHECK(code_span("a`b") == "``a`b``");
  CHECK(code_span("`") == "`` ` ``");
  CHECK(code_span("a``b```") == "```` a``b``` ````");
  CHECK(code_span("a\nb\x1b[0m") == "`a␊b␛[0m`");
  CHECK(code_span("") == "*(empty)*");
  CHECK(code_span(std::string(1200, 'x')) == "`" + std::string(1000, 'x') + "` … (1,200 bytes)");
  CHECK(holds(code_span(std::string(999, 'x') + "é"), std::string(999, 'x') + "`"));
}

TEST_CASE("view_text: Markdown text holds nothing that Markdown, HTML or a terminal understands") {
  using rb::rdr::markdown_text;
  CHECK(markdown_text("*a* _b_ `c` <b> [x](y) &amp; # |") ==
        "\\*a\\* \\_b\\_ \\`c\\` \\<b\\> \\[x\\](y) \\&amp; # \\|");
  CHECK(markdown_text("- item") == "\\- item");
  CHECK(markdown_text("12. item") == "12\\. item");
  CHECK(markdown_text("    code") == "code");
  CHECK(markdown_text("a\r\nb") == "a␍␊b");
  CHECK(markdown_text("\u202egnp.exe") == "\ufffdgnp.exe");
  CHECK(markdown_text("https://x.example") == "https\\://x.example");
}

TEST_CASE("view_text: a fence is longer than any run of backticks inside") {
  using rb::rdr::fenced;
  CHECK(fenced("echo hi", "bash") == "```bash\necho hi\n```\n");
  CHECK(fenced("```\n`````\n", "x y") == "``````text\n```\n`````\n``````\n");
  CHECK(fenced("10%\r20%\r\ndone", "text") == "```text\n10%\n20%\ndone\n```\n");
  CHECK(fenced("\x1b[31mred\x1b[0m \x1b]0;t\x07 caf\xe9", "text") ==
        "```text\nred ␛]0;t␇ caf\ufffd\n```\n");
}

TEST_CASE("view_text: numbers and durations read well") {
  CHECK(rb::rdr::grouped(0) == "0");
  CHECK(rb::rdr::grouped(999) == "999");
  CHECK(rb::rdr::grouped(1234567) == "1,234,567");
  CHECK(rb::rdr::counted(1, "byte") == "1 byte");
  CHECK(rb::rdr::duration_text(350) == "350 ms");
  CHECK(rb::rdr::duration_text(1290) == "1.2 s");
  CHECK(rb::rdr::duration_text(252000) == "4 m 12 s");
  CHECK(rb::rdr::duration_text(11100000) == "3 h 5 m");
}

TEST_CASE("view: session.json counts runs and executions and holds the journal's head") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  rb::test::write_sample(session, 4000);
  const Made made = make(session.segments(), {{ViewKind::SessionJson, 0}});
  REQUIRE(made.status.ok());
  const rb::Json json = rb::parse_json(made.views[0]).value();
  CHECK(json.text_at("session") == "20261130-162033-k7fq");
  CHECK(json.text_at("who") == "anna");
  CHECK(json.text_at("status") == "ended");
  CHECK(json.find("journal")->natural_at("lines") == session.chain().lines());
  CHECK(json.find("journal")->text_at("head") == session.chain().head().hex());
  CHECK(json.find("runs")->items().size() == 1);
  CHECK(json.find("runs")->items()[0].text_at("status") == "completed");
  CHECK(json.find("runs")->items()[0].text_at("folder") == "runs/deploy-1");
  CHECK(json.find("notes")->items()[0].text_at("text") == "all green again");
  CHECK(json.find("runbooks")->items()[0].text_at("title") == "Deploy the service");
  const rb::Json& executions = *json.find("counts");
  CHECK(executions.natural_at("started") ==
        executions.natural_at("passed") + executions.natural_at("failed"));
  CHECK(executions.natural_at("failed") > 0);
  CHECK(executions.natural_at("running") == 0);
}

TEST_CASE("view: run.json has each execution with its ending, and null while it runs") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  session.started_session("anna", "why");
  session.opened("deploy", "Deploy");
  session.run_opened(1, "deploy");
  session.run_opened(2, "other");
  session.play({});
  Play elsewhere;
  elsewhere.execution = "e2";
  elsewhere.run = 2;
  session.start(elsewhere, "other");
  Play open;
  open.execution = "e3";
  session.start(open);
  const Made made = make(session.segments(), {{ViewKind::RunJson, 1}, {ViewKind::RunJson, 2}});
  REQUIRE(made.status.ok());
  const rb::Json json = rb::parse_json(made.views[0]).value();
  REQUIRE(json.find("executions")->items().size() == 2);
  const rb::Json& first = json.find("executions")->items()[0];
  CHECK(first.text_at("outcome") == "passed");
  CHECK(first.natural_at("started_line") == 5);
  CHECK(first.natural_at("finished_line") == 6);
  CHECK(first.find("inputs")->text_at("Service") == "api");
  CHECK(first.find("inputs")->find("Raw")->text_at("base64") == "Yf9gYg==");
  CHECK(json.find("executions")->items()[1].find("outcome")->is(rb::Json::Kind::Null));
  CHECK(json.find("closed_at")->is(rb::Json::Kind::Null));
  CHECK(rb::parse_json(made.views[1]).value().find("executions")->items().size() == 1);
}

TEST_CASE("view: an output over 64 KiB is cut to whole lines of its tail, and says so") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  session.started_session("anna", "why");
  session.run_opened(1, "deploy");
  Play play;
  play.output = "first line\n";
  while (play.output.size() < 100'000) {
    play.output += "0123456789\n";
  }
  session.play(play);
  const std::string page = page_of(session, 1, {"e1"});
  CHECK_FALSE(holds(page, "first line"));
  CHECK(holds(page,
              "Output, 100,001 bytes, the first 34,474 left out here; all of it is in "
              "`executions/e1/output`:\n\n```text\n0123456789\n"));
  CHECK(page.size() < 70'000);
}

TEST_CASE("view: outputs are read as the rules have them") {
  const auto outputs = rb::rdr::parse_outputs(
      "a=1\n  b = x = y \t\r\nsensitive:t=hunter2\n1x=no\nno equals\n=no\na=2\nt=later\nlast= z");
  REQUIRE(outputs.size() == 4);
  CHECK(outputs.at("a").value == "2");
  CHECK(outputs.at("b").value == " x = y");
  CHECK(outputs.at("last").value == " z");
  CHECK(outputs.at("t").sensitive);
  CHECK(outputs.at("t").value.empty());
}

TEST_CASE("view: what an execution left is on the page and in run.json, and stays data") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-aaaa");
  session.started_session("anna", "look");
  session.run_opened(1, "deploy");
  Play play;
  play.outputs = "version=1.2\nsensitive:token=[secret]\nhtml=<b>`x`\x1b[2J\n";
  play.list = R"({"path":"a`b\n# c","bytes":12,"sha256":"00"})"
              "\n"
              R"({"path":{"base64":"Y/8="},"unread":"a link"})"
              "\nno json\n";
  play.files = 60;
  play.note = "the *list* isn't whole";
  session.play(play);
  std::vector<rb::rdr::ShownOutput> files;
  for (const char* name : {"outputs", "generated.jsonl"}) {
    files.push_back({std::string("e1/") + name,
                     rb::test::open_file(session.folder() + "/executions/e1/" + name)});
  }
  const Made made = make(session.segments(), {{ViewKind::RunMarkdown, 1}, {ViewKind::RunJson, 1}},
                         std::move(files));
  REQUIRE(made.status.ok());
  const std::string& page = made.views[0];
  CHECK(holds(page,
              "Outputs:\n\n- `html` = ``<b>`x`␛[2J``\n- `token` = *(sensitive)*\n"
              "- `version` = `1.2`\n"));
  CHECK(holds(page, "- ``a`b␊# c``, 12 bytes\n- `c\ufffd`, not read: a link\n- and 10 more\n"));
  CHECK(holds(page, "> **Left**: the \\*list\\* isn't whole\n"));
  const rb::Json json = rb::parse_json(made.views[1]).value();
  const rb::Json& execution = json.find("executions")->items()[0];
  CHECK(execution.find("left")->natural_at("files") == 60);
  CHECK(execution.find("outputs")->items().size() == 3);
  CHECK(execution.find("outputs")->items()[2].text_at("value") == "1.2");
  CHECK(execution.find("outputs")->items()[1].find("value")->is(rb::Json::Kind::Null));
  CHECK(execution.find("generated")->items().size() == 2);
}

TEST_CASE("view: hostile names, notes and outputs stay data on the page") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  session.started_session("<script>", "# why\n## forged");
  session.run_opened(1, "deploy");
  Play play;
  play.block = "a`b";
  play.script = "```\n# forged heading\n";
  play.output = "````\n## forged\n\x1b]52;c;eA==\x07";
  session.play(play);
  session.line("note", [](rb::JsonWriter& json) {
    json.field("text", "one\n## two\n<b>three</b>\n- four");
  });
  const std::string page = page_of(session, 1, {"e1"});
  CHECK(holds(page, "\\<script\\>: \\# why␊## forged"));
  CHECK(holds(page, "### ``a`b``: ok\n"));
  CHECK(holds(page, "````bash\n```\n# forged heading\n````\n"));
  CHECK(holds(page, "`````text\n````\n## forged\n␛]52;c;eA==␇\n`````\n"));
  CHECK(holds(page, "> one\n>\n> \\## two\n>\n> \\<b\\>three\\</b\\>\n>\n> \\- four\n"));
  CHECK_FALSE(holds(page, "\x1b"));
}

TEST_CASE("view: session.log has as many lines as there are events, whatever they hold") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  session.started_session("anna\nERROR forged", "why\r\n2026 INFO forged");
  for (const char* text : {"a\nb", "a\r", "a\u2028b", "a\u0085b", "\x1b[2J"}) {
    session.line("note", [text](rb::JsonWriter& json) { json.field("text", text); });
    session.line("odd]\ntype", [text](rb::JsonWriter& json) {
      json.field("runbook", std::string(text) + "] ").field("block", text);
    });
  }
  session.play({});
  const Made made = make(session.segments(), {{ViewKind::SessionLog, 0}});
  // A type that holds an escape is no journal line: the reader says which.
  CHECK_FALSE(made.status.ok());
  CHECK(holds(made.status.failure().what, "journal-0001.jsonl line 3"));
}

TEST_CASE("view: each log line has a time, a level and tags that can't be forged") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  session.started_session("anna\nERROR forged", "why\r\n2026 INFO forged");
  session.line("note", [](rb::JsonWriter& json) { json.field("text", "a\nb\u2028c"); });
  session.line("brand-new", [](rb::JsonWriter& json) {
    json.field("runbook", "x] ERROR [y").field("text", "tell");
  });
  Play failed;
  failed.outcome = rb::Ended::Failed;
  failed.exit = -1;
  failed.signal = 9;
  failed.cause = "memory";
  session.play(failed);
  session.end();
  const Made made = make(session.segments(), {{ViewKind::SessionLog, 0}});
  REQUIRE(made.status.ok());
  const std::string& log = made.views[0];
  CHECK(static_cast<std::uint64_t>(std::count(log.begin(), log.end(), '\n')) ==
        session.chain().lines());
  CHECK(holds(log,
              "2026-11-30T16:20:33.123Z INFO  [session] session 20261130-162033-k7fq of "
              "anna␊ERROR forged: \"why␍␊2026 INFO forged\" by operator runbookctl (pid "
              "4711)\n"));
  CHECK(holds(log, "INFO  [session] note: a␊b\ufffdc\n"));
  CHECK(holds(log, "INFO  [x) ERROR (y] brand new: tell\n"));
  CHECK(holds(log, "INFO  [deploy check-disk #e1] started, profile workspace"));
  CHECK(holds(log,
              "WARN  [deploy check-disk #e1] killed by signal 9 (memory) after 1.2 s, "
              "17 bytes of output\n"));
}

TEST_CASE("view: a malformed line is a failed answer that names it") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  session.started_session("anna", "why");
  session.play({});
  const std::string whole = rb::test::read_file(session.journal());
  std::string bad = whole;
  bad.replace(bad.find("\"run\":1"), 7, "\"run\":.");
  rb::test::write_file(session.journal(), bad);
  const Made made = make(session.segments(), {{ViewKind::SessionJson, 0}});
  CHECK(made.status.failure().what.rfind("journal-0001.jsonl line 2: not JSON at byte", 0) == 0);
}

TEST_CASE("view: a torn last line is left out and a repeated one shown once") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  session.started_session("anna", "why");
  session.line("note", [](rb::JsonWriter& json) { json.field("text", "kept"); });
  session.new_segment(1);
  session.line("segment-opened", [](rb::JsonWriter& json) { json.field("cause", "EIO"); });
  rb::test::write_file(session.journal(), rb::test::read_file(session.journal()) + "{\"line\":4");
  const Made made = make(session.segments(), {{ViewKind::SessionLog, 0}});
  REQUIRE(made.status.ok());
  CHECK(std::count(made.views[0].begin(), made.views[0].end(), '\n') == 3);
}

TEST_CASE("view: a run that isn't there is a failed answer") {
  const TemporaryFolder state;
  SessionWriter session(state.path(), "20261130-162033-k7fq");
  session.started_session("anna", "why");
  CHECK_FALSE(make(session.segments(), {{ViewKind::RunMarkdown, 1}}).status.ok());
  CHECK_FALSE(make(session.segments(), {{ViewKind::RunJson, 1}}).status.ok());
}
