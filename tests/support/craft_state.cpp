// craft_state STATE STEPS — a state folder as a broker leaves it that died after so many steps of a
// session's start and of one block's start. The broker's own encoders write it, in its order.
// [tests]
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "broker/broker.h"
#include "common/folder.h"

namespace {

using namespace rb;
using namespace rb::brk;

constexpr const char* kSession = "20261130-163000-aaaa";
const Bytes kClient(16, 7);

void must(bool fine, const char* what) {
  if (!fine) {
    (void)std::fprintf(stderr, "craft_state: %s\n", what);
    std::exit(1);
  }
}

Record request(std::uint8_t number, const Receipt& receipt) {
  const Bytes id(16, number);
  return RequestIds::to_record(RequestIds::key(Role::Operator, kClient, id), sha256(id), receipt,
                               wall_now_ms());
}

class Crafted {
 public:
  explicit Crafted(const std::string& path)
      : state_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    must(bool(state_), "no state folder");
    Result<Ledger::Opened> opened = Ledger::open(state_.get());
    must(opened.ok(), "ledger");
    ledger_ = std::make_unique<Ledger>(std::move(opened->ledger));
    actor_.role = Role::Operator;
    actor_.program = "tester";
  }

  void make(long steps) {
    const std::vector<std::function<void()>> all = {
        [this] { folders(); },
        [this] { must(ledger_->append(session_record(session_)).ok(), "session"); },
        [this] {
          note(request(1, {Receipt::Kind::Session, kSession, "", 0, {}}));
        },
        [this] {
          JsonWriter line = journal_->begin("session-started", &actor_);
          line.field("session", kSession).field("who", "tester").field("why", "crafted");
          append(std::move(line));
        },
        [this] {
          const Result<Fd> runs = make_folder(session_.folder.get(), "runs");
          must(runs.ok() && make_folder(runs->get(), "book-1").ok(), "run folder");
          must(make_folder(session_.executions_folder.get(), "e1").ok(), "e1");
        },
        [this] { note(start_record(execution_)); },
        [this] {
          note(request(2, {Receipt::Kind::Started, kSession, "e1", 0, {}}));
        },
        [this] {
          JsonWriter line = journal_->begin("run-opened", &actor_);
          append(std::move(line.field("run", 1).field("runbook", "book")));
        },
        [this] { torn(); },
        [this] {
          JsonWriter line = journal_->begin("started", &actor_);
          line.field("execution", "e1").field("run", 1).field("runbook", "book");
          append(std::move(line.field("block", "a")
                               .field("script_sha256", sha256(as_bytes("true")).hex())
                               .field("script", "true")));
        }};
    for (long i = 0; i < steps; ++i) {
      if (i == 8 && steps > 9) {
        continue;  // the half line of a broker that died in the midst of it
      }
      all.at(static_cast<std::size_t>(i))();
    }
  }

 private:
  void folders() {
    session_.id = kSession;
    session_.who = "tester";
    session_.why = "crafted";
    session_.started_ms = wall_now_ms();
    const Result<Fd> sessions = make_folder(state_.get(), "sessions");
    must(sessions.ok(), "sessions");
    Result<Fd> folder = make_folder(sessions->get(), kSession);
    must(folder.ok(), "session folder");
    session_.folder = std::move(*folder);
    Result<Fd> executions = make_folder(session_.folder.get(), "executions");
    must(executions.ok() && make_folder(session_.folder.get(), "runs").ok(), "folders");
    session_.executions_folder = std::move(*executions);
    Result<std::unique_ptr<Journal>> journal =
        Journal::create(loop_, session_.folder.get(), Digest{});
    must(journal.ok(), "journal");
    journal_ = std::move(*journal);
    execution_.id = "e1";
    execution_.session = kSession;
    execution_.runbook = "book";
    execution_.block = "a";
    execution_.profile = "workspace";
    execution_.run = 1;
    execution_.started_ms = session_.started_ms;
    execution_.event = 3;
  }
  void note(const Record& record) { must(ledger_->append(record).ok(), "ledger record"); }
  void append(JsonWriter line) { must(journal_->append(std::move(line)).ok(), "line"); }
  void torn() {
    const Fd file(::openat(session_.folder.get(), Journal::file_name(1).c_str(),
                           O_WRONLY | O_APPEND | O_CLOEXEC));
    const std::string half = R"({"line":3,"prev":"0123","type":"started","actor":{"role":)";
    must(::write(file.get(), half.data(), half.size()) > 0, "half line");
  }

  Loop loop_;
  Fd state_;
  Actor actor_;
  Session session_;
  Execution execution_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Journal> journal_;
};

}  // namespace

int main(int count, char** words) {
  must(count == 3 && seal::start(), "usage: craft_state STATE STEPS");
  Crafted(words[1]).make(std::strtol(words[2], nullptr, 10));
  return 0;
}
