#include "store.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/clock.h"

namespace rb::test {
namespace {

constexpr std::int64_t kStartMs = 1796055633123;  // 2026-11-30T16:20:33.123Z

void must(bool fine, const std::string& what) {
  if (!fine) {
    std::fprintf(stderr, "test ground: %s\n", what.c_str());
    std::abort();
  }
}

void make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  must(!failed, path);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "record-test-XXXXXX").string();
  must(::mkdtemp(name.data()) != nullptr, name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  must(file.good(), path);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  must(file.good(), path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Fd open_file(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  must(file.open(), path);
  return file;
}

SessionWriter::SessionWriter(const std::string& state, std::string id, Digest head)
    : id_(std::move(id)), folder_(state + "/sessions/" + id_), chain_(head) {
  make_folder(folder_ + "/executions");
  write_file(journal(), "");
}

std::string SessionWriter::journal(unsigned segment) const {
  char name[32];
  std::snprintf(name, sizeof name, "/journal-%04u.jsonl", segment == 0 ? segment_ : segment);
  return folder_ + name;
}

std::vector<Fd> SessionWriter::segments() const {
  std::vector<Fd> out;
  for (unsigned segment = 1; segment <= segment_; ++segment) {
    out.push_back(open_file(journal(segment)));
  }
  return out;
}

JsonWriter SessionWriter::begin(std::string_view type) const {
  JsonWriter line = chain_.begin();
  line.field("at", wall_text(kStartMs + static_cast<std::int64_t>(clock_ms_)));
  line.field("boot_ms", 5000 + clock_ms_).field("type", type);
  return line;
}

void SessionWriter::append(JsonWriter line) {
  lines_.push_back(chain_.commit(std::move(line)));
  clock_ms_ += 1000;
  std::ofstream file(journal(), std::ios::binary | std::ios::app);
  file << lines_.back() << '\n';
  must(file.good(), journal());
}

void SessionWriter::new_segment(std::size_t repeated) {
  ++segment_;
  std::string content;
  for (std::size_t i = lines_.size() - repeated; i < lines_.size(); ++i) {
    content += lines_[i] + "\n";
  }
  write_file(journal(), content);
}

namespace {

void actor(JsonWriter& json) {
  json.key("actor").begin_object().field("role", "operator").field("uid", 1000);
  json.field("pid", 4711).field("program", "runbookctl").field("name", "runbookctl");
  json.field("connection", 3).end_object();
}

}  // namespace

void SessionWriter::started_session(std::string_view who, std::string_view why) {
  line("session-started", [&](JsonWriter& json) {
    actor(json);
    json.field("session", id_).field("who", who).field("why", why).field("version", "0.1.0");
  });
}

void SessionWriter::opened(std::string_view runbook, std::string_view title) {
  line("opened", [&](JsonWriter& json) {
    actor(json);
    json.field("runbook", runbook).field("title", title).field("format", "mdx");
    json.field("shown_path", "docs/deploy").field("tree_digest", sha256(as_bytes("tree")).hex());
  });
}

void SessionWriter::run_opened(std::uint64_t run, std::string_view runbook) {
  line("run-opened", [&](JsonWriter& json) {
    actor(json);
    json.field("run", run).field("runbook", runbook).field("work", "/home/anna/work");
  });
}

void SessionWriter::start(const Play& play, std::string_view runbook) {
  const std::string folder = folder_ + "/executions/" + play.execution;
  make_folder(folder);
  write_file(folder + "/script", play.script);
  line("started", [&](JsonWriter& json) {
    actor(json);
    json.field("execution", play.execution).field("run", play.run).field("runbook", runbook);
    json.field("block", play.block).field("block_type", "command");
    json.field("digest", sha256(as_bytes("digest")).hex()).field("profile", "workspace");
    json.key("inputs").begin_object().field("Service", "api").field("Raw", as_bytes("a\xff`b"));
    json.end_object().field("interpreter", "/usr/bin/bash");
    json.key("argv").begin_array().text("/usr/bin/bash").end_array();
    json.field("script_sha256", sha256(as_bytes(play.script)).hex());
    if (large_scripts) {
      return;
    }
    if (is_utf8(play.script)) {
      json.field("script", play.script);
    } else {
      json.field("script_base64", to_base64(as_bytes(play.script)));
    }
  });
}

void SessionWriter::finish(const Play& play, std::string_view runbook) {
  const std::string folder = folder_ + "/executions/" + play.execution;
  make_folder(folder);
  write_file(folder + "/output", play.output);
  Outcome outcome;
  outcome.session = id_;
  outcome.execution = play.execution;
  outcome.outcome = play.outcome;
  outcome.exit = play.exit;
  outcome.signal = play.signal;
  outcome.cause = play.cause;
  outcome.duration_ms = 1234;
  outcome.output_bytes = play.output.size();
  outcome.output_sha256 = sha256(as_bytes(play.output));
  outcome.ended_at_ms = kStartMs + static_cast<std::int64_t>(clock_ms_);
  if (!play.outputs.empty()) {
    write_file(folder + "/outputs", play.outputs);
    outcome.left.outputs_bytes = play.outputs.size();
    outcome.left.outputs_sha256 = sha256(as_bytes(play.outputs));
  }
  if (!play.list.empty()) {
    write_file(folder + "/generated.jsonl", play.list);
    outcome.left.files = play.files;
    outcome.left.list_sha256 = sha256(as_bytes(play.list));
  }
  outcome.left.note = play.note;
  const Bytes bin = encode_outcome(outcome);
  write_file(folder + "/outcome.bin", as_text(bin));
  write_file(folder + "/outcome.json", outcome_json(outcome, sha256(bin)));
  line("finished", [&](JsonWriter& json) {
    json.field("execution", play.execution).field("run", play.run).field("runbook", runbook);
    json.field("block", play.block).field("outcome", name_of(play.outcome));
    json.field("exit", play.exit).field("signal", play.signal).field("cause", play.cause);
    json.field("warn", false).field("duration_ms", outcome.duration_ms);
    json.field("output_bytes", outcome.output_bytes);
    json.field("output_sha256", outcome.output_sha256.hex());
    json.field("outcome_sha256", sha256(bin).hex()).field("may_have_left", false);
    write_left(json, outcome.left);
  });
}

void SessionWriter::run_closed(std::uint64_t run, std::string_view runbook,
                               std::string_view status) {
  line("run-closed", [&](JsonWriter& json) {
    actor(json);
    json.field("run", run).field("runbook", runbook).field("status", status);
  });
}

void SessionWriter::end() {
  line("session-ended", [&](JsonWriter& json) { actor(json); });
}

void write_sample(SessionWriter& session, std::size_t bytes, std::size_t script_bytes) {
  session.started_session("anna", "raise the memory limit");
  session.opened("deploy", "Deploy the service");
  session.run_opened(1, "deploy");
  unsigned number = 0;
  for (std::size_t written = 0; written < bytes;) {
    Play play;
    play.execution = "e" + std::to_string(++number);
    play.script += "echo " + std::to_string(number) + "\n" + std::string(script_bytes, '#') + "\n";
    play.output += std::to_string(number) + "\n";
    if (number % 3 == 0) {
      play.outcome = Ended::Failed;
      play.exit = 3;
    }
    session.play(play);
    written += session.lines().back().size() + (session.lines().end() - 2)->size() + 2;
  }
  session.line("note", [](JsonWriter& json) { json.field("text", "all green again"); });
  session.run_closed(1, "deploy", "completed");
  session.end();
}

}  // namespace rb::test
