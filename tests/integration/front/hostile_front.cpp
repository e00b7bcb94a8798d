// A front that has gone over to the enemy changes nothing but its own end. The broker is real, the
// clients are honest and hold the real keys, only the front between them is not
// (support/hostile_front.cpp). Each crime: refused or the front replaced, nothing started that
// nobody asked for, the record says no different, and an honest request goes through afterwards.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "client/lib/client.h"
#include "common/digest.h"
#include "protocol/folder_id.h"
#include "tests/integration/front/fronted_daemon.h"

namespace rb::testing {
namespace {

using client::Answer;
using front::Reason;
using Fill = std::function<void(front::Operation::Builder, const client::Greeting&)>;

// An honest client with a key of its own, which the front never saw.
class Person {
 public:
  Person(const Daemon& daemon, const std::string& name, const std::string& role = "operator")
      : id_(16, static_cast<std::uint8_t>(++people_)) {
    const std::string path = (daemon.top() / "run/runbookd" / (role + ".sock")).string();
    for (int tries = 0; tries < 200 && !welcome_; ++tries) {  // a front may be on its way
      connect(path, name);
      wait([&] { return welcome_ || over_; }, 2s);
      if (!welcome_) {
        ::usleep(20'000);
      }
    }
  }
  Person(const Person&) = delete;
  Person& operator=(const Person&) = delete;
  Person(Person&&) = delete;
  Person& operator=(Person&&) = delete;
  ~Person() = default;

  [[nodiscard]] bool welcome() const { return welcome_; }
  [[nodiscard]] bool over() const { return over_; }

  // `number` names the request; without one each has its own.
  std::uint32_t send(const std::string& session, const Fill& fill, const std::vector<int>& fds = {},
                     std::uint32_t number = 0) {
    const Bytes content = wire::build<front::Operation>([&](auto root) {
      root.setClientId(wire::data(id_));
      Bytes request(16, 0);
      const std::uint32_t serial = number != 0 ? number : serial_ + 1;
      std::memcpy(request.data(), &serial, sizeof serial);
      root.setRequestId(wire::data(request));
      root.setSession(wire::text(session));
      fill(root, connection_->greeting());
    });
    std::vector<Fd> owned;
    for (const int fd : fds) {
      owned.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
    }
    connection_->send_act(++serial_, content, std::move(owned));
    return serial_;
  }
  // The answer to it, or nothing when the connection ended or it took too long.
  std::optional<Answer> answer(std::uint32_t serial, std::chrono::milliseconds within = 5s) {
    wait([&] { return answers_.contains(serial) || over_; }, within);
    const auto found = answers_.find(serial);
    if (found == answers_.end()) {
      return std::nullopt;
    }
    return std::move(found->second);
  }
  std::optional<Answer> act(const std::string& session, const Fill& fill,
                            const std::vector<int>& fds = {}) {
    return answer(send(session, fill, fds));
  }
  // NONE when it wasn't refused (or not answered).
  Reason refusal(const std::optional<Answer>& answer) {
    const auto* refused = answer ? std::get_if<client::Refusal>(&answer->value) : nullptr;
    return refused == nullptr ? Reason::NONE : refused->reason;
  }
  bool wait(const std::function<bool()>& until, std::chrono::milliseconds within) {
    const Nanos end = boot_now() + within;
    Timer tick(loop_, [] {});
    while (!until() && boot_now() < end) {
      tick.arm(Millis(20));
      loop_.turn(true);
    }
    return until();
  }
  [[nodiscard]] std::size_t answered() const { return answers_.size(); }

 private:
  void connect(const std::string& path, const std::string& name) {
    over_ = false;
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::strncpy(to.sun_path, path.c_str(), sizeof to.sun_path - 1);
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) < 0) {
      over_ = true;
      return;
    }
    connection_ = std::make_unique<client::Connection>(
        loop_, std::move(socket), name,
        client::Connection::Handlers{
            [this] { welcome_ = true; },
            [this](front::ServerMessage::Reader message, std::vector<Fd> fds) {
              if (message.isAnswer()) {
                auto answer = client::answer_from_wire(message.getAnswer());
                if (answer) {
                  answer->fds = std::move(fds);
                  answers_.emplace(message.getAnswer().getSerial(), std::move(*answer));
                }
              }
            },
            [this](const Error&) { over_ = true; }});
  }

  static inline int people_ = 0;
  Loop loop_;
  Bytes id_;
  std::unique_ptr<client::Connection> connection_;
  std::map<std::uint32_t, Answer> answers_;
  std::uint32_t serial_ = 0;
  bool welcome_ = false;
  bool over_ = false;
};

std::string begin_session(Person& person) {
  const auto answer = person.act("", [](auto root, const client::Greeting& greeting) {
    auto start = root.initStartSession();
    start.setWho("test");
    start.setWhy("a hostile front");
    client::fill_environment(start.initEnvironment(), greeting);
  });
  REQUIRE(answer.has_value());
  const auto* session = std::get_if<client::SessionInfo>(&answer->value);
  REQUIRE(session != nullptr);
  return session->id;
}

std::optional<Answer> open_book(Person& person, const Daemon& daemon, const std::string& session,
                                const std::string& book) {
  const Fd folder(
      ::open((daemon.top() / "books" / book).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return person.act(session,
                    [&](auto root, const client::Greeting&) {
                      auto open = root.initOpen();
                      open.setShownPath(wire::text(book));
                      say_place(open.initFolder(), folder.get());
                    },
                    {folder.get()});
}

client::RunbookInfo opened_book(Person& person, const Daemon& daemon, const std::string& session,
                                const std::string& book) {
  const auto answer = open_book(person, daemon, session, book);
  REQUIRE(answer.has_value());
  const auto* opened = std::get_if<client::Opened>(&answer->value);
  REQUIRE(opened != nullptr);
  REQUIRE(opened->vetted);
  return opened->info;
}

Fill start_of(const client::RunbookInfo& book, const std::string& block) {
  Bytes digest;
  for (const client::BlockInfo& each : book.blocks) {
    if (each.id == block) {
      digest = each.digest;
    }
  }
  return
      [name = book.name, block, digest](front::Operation::Builder root, const client::Greeting&) {
        auto start = root.initStart();
        start.setRunbook(wire::text(name));
        start.setBlock(wire::text(block));
        start.setDigest(wire::data(digest));
        start.setProfile("workspace");
      };
}

using Values = std::vector<client::InputValue>;
Fill start_with(const client::RunbookInfo& book, Values values) {
  return [fill = start_of(book, "good"), values = std::move(values)](
             front::Operation::Builder root, const client::Greeting& greeting) {
    fill(root, greeting);
    client::fill_inputs(root, values, greeting);
  };
}
// The box that this client makes for these values, and the digest it is bound to, put into another
// operation.
Bytes box_of(Person& person, const std::string& session, const Fill& fill) {
  Bytes box;
  (void)person.act(session, [&](front::Operation::Builder root, const client::Greeting& greeting) {
    fill(root, greeting);
    box = wire::bytes(root.getStart().asReader().getSecrets());
    root.setNote("a box was made");
  });
  return box;
}

bool is_started(const std::optional<Answer>& answer) {
  return answer && std::holds_alternative<client::Started>(answer->value);
}

// A block that still runs can't be started again.
void wait_idle(const Daemon& daemon, const std::string& session) {
  for (int i = 0; i < 500 && daemon.lines(session, "finished") < daemon.lines(session, "started");
       ++i) {
    ::usleep(10'000);
  }
}

// An honest client after all that: a session goes on and a block of it runs, once.
void expect_honest_start(Daemon& daemon, const std::string& session,
                         const client::RunbookInfo& book, int started_before) {
  CHECK(daemon.lines(session, "started") == started_before);
  Person after(daemon, "honest");
  REQUIRE(after.welcome());
  const auto answer = after.act(session, start_of(book, "good"));
  const auto* refused = answer ? std::get_if<client::Refusal>(&answer->value) : nullptr;
  CHECK_MESSAGE(is_started(answer), (refused == nullptr ? "no answer" : refused->text));
  CHECK(daemon.lines(session, "started") == started_before + 1);
  wait_idle(daemon, session);
}

TEST_CASE("hostile front: what it alters is refused by the MAC, and nothing starts") {
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  Person honest(daemon, "honest");
  const std::string session = begin_session(honest);
  const client::RunbookInfo book = opened_book(honest, daemon, session, "one");
  int started = 0;
  for (const char* crime :
       {"swap-digest", "swap-block", "swap-inputs", "swap-profile", "swap-operation",
        "swap-environment", "swap-request-id", "no-mac", "raise-counter", "invent"}) {
    INFO(std::string(crime));
    Person victim(daemon, std::string("do:") + crime);
    REQUIRE(victim.welcome());
    CHECK(victim.refusal(victim.act(session, start_of(book, "good"))) == Reason::BAD_MAC);
    expect_honest_start(daemon, session, book, started);
    ++started;
  }
  CHECK(daemon.lines(session, "refused") == 0);  // it can't say in the record who asked for what
  CHECK(daemon.lines(session, "session-ended") == 0);
  CHECK(daemon.lines(session, "environment-given") == 0);
  CHECK(daemon.lines(session, "note") == 0);
}

TEST_CASE("hostile front: what it repeats happens once") {
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  Person honest(daemon, "honest");
  const std::string session = begin_session(honest);
  const client::RunbookInfo book = opened_book(honest, daemon, session, "one");
  Person victim(daemon, "do:replay");
  const std::uint32_t serial = victim.send(session, start_of(book, "good"));
  CHECK(is_started(victim.answer(serial)));
  for (std::uint32_t i = 1; i <= 5; ++i) {
    CHECK(victim.refusal(victim.answer(serial + 10'000 + i)) == Reason::REPLAYED);
  }
  CHECK(daemon.lines(session, "started") == 1);
  wait_idle(daemon, session);
  // Everything that was ever sent, under every connection's number, a session's start included.
  Person second(daemon, "do:replay-all");
  CHECK(is_started(second.act(session, start_of(book, "good"))));
  second.wait([&] { return second.answered() >= 3; }, 1s);
  wait_idle(daemon, session);
  expect_honest_start(daemon, session, book, 2);
  CHECK(daemon.lines(session, "session-started") == 1);
  std::size_t sessions = 0;
  for ([[maybe_unused]] const auto& each :
       fs::directory_iterator(daemon.top() / "state/runbookd/sessions")) {
    ++sessions;
  }
  CHECK(sessions == 1);
}

TEST_CASE("hostile front: one connection's request under another's number is refused") {
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  Person honest(daemon, "honest");
  const std::string session = begin_session(honest);
  const client::RunbookInfo book = opened_book(honest, daemon, session, "one");
  Person victim(daemon, "do:swap-connection");
  const std::uint32_t serial = victim.send(session, start_of(book, "good"));
  honest.wait([&] { return honest.answered() > 0; }, 2s);  // its own answers were taken
  CHECK_FALSE(is_started(victim.answer(serial, 300ms)));
  expect_honest_start(daemon, session, book, 0);
}

bool heard(const Daemon& daemon, const std::string& text) {
  Person asks(daemon, "do:recall");
  REQUIRE(asks.welcome());
  const auto answer = asks.act("", [&](auto root, const client::Greeting&) {
    root.setNote(std::string(text.rbegin(), text.rend()).c_str());
  });
  const auto* said = answer ? std::get_if<client::Refusal>(&answer->value) : nullptr;
  REQUIRE(said != nullptr);
  return said->text == "heard";
}

TEST_CASE("hostile front: a sensitive value passes it unread and is nowhere in the state folder") {
  const std::string secret = "hunter2 $(id) 'q\"";
  const std::string plain = "a value that anybody may read";
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  Person honest(daemon, "honest");
  const std::string session = begin_session(honest);
  const client::RunbookInfo book = opened_book(honest, daemon, session, "three");
  const auto answer = honest.act(
      session, start_with(book, {{"in", "Token", secret, true}, {"in", "Plain", plain}}));
  REQUIRE(is_started(answer));
  wait_idle(daemon, session);
  std::ifstream output(daemon.top() / "state/runbookd/sessions" / session / "executions/e1/output");
  std::string said;
  std::getline(output, said);
  CHECK(said == sha256(as_bytes(secret + "x")).hex() + "  -");
  (void)honest.act(session, [](auto root, const client::Greeting&) { root.setEndSession(); });
  CHECK(daemon.lines(session, "session-ended") == 1);
  CHECK(heard(daemon, plain));  // so what the front hears is what is asked for
  CHECK_FALSE(heard(daemon, secret));
  CHECK_FALSE(heard(daemon, "hunter2"));
  CHECK_FALSE(daemon.holding(plain).empty());
  for (const std::string& where : daemon.holding("hunter2")) {
    CHECK_MESSAGE(false, where);
  }
  CHECK_FALSE(daemon.holding("[secret]").empty());
}

TEST_CASE("hostile front: a box of secrets opens in the request it was sealed for, and no other") {
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  Person honest(daemon, "honest");
  const std::string session = begin_session(honest);
  const client::RunbookInfo book = opened_book(honest, daemon, session, "three");
  const Fill mine = start_with(book, {{"in", "Token", "mine", true}, {"in", "Plain", "p"}});
  const Bytes box = box_of(honest, session, mine);
  REQUIRE_FALSE(box.empty());
  const auto with_box = [&](const Fill& fill) {
    return [&box, fill](front::Operation::Builder root, const client::Greeting& greeting) {
      fill(root, greeting);
      root.getStart().setSecrets(wire::data(box));
    };
  };
  // Another request of the same person, another person's, a front that edits it: none of it opens.
  Person accomplice(daemon, "honest");
  CHECK(honest.refusal(honest.act(session, with_box(mine))) == Reason::MALFORMED);
  CHECK(honest.refusal(accomplice.act(session, with_box(mine))) == Reason::MALFORMED);
  const Fill other_values =
      start_with(book, {{"in", "Other", "theirs", true}, {"in", "Plain", "p"}});
  CHECK(honest.refusal(accomplice.act(session, with_box(other_values))) == Reason::MALFORMED);
  const auto garbage = [&](front::Operation::Builder root, const client::Greeting& greeting) {
    mine(root, greeting);
    root.getStart().setSecrets(wire::data(Bytes(200, 0x17)));
  };
  CHECK(honest.refusal(honest.act(session, garbage)) == Reason::MALFORMED);
  // Plain where sealed is due, and sealed where it isn't.
  CHECK(honest.refusal(honest.act(
            session, start_with(book, {{"in", "Token", "bare"}, {"in", "Plain", "p"}}))) ==
        Reason::BAD_INPUT);
  CHECK(honest.refusal(honest.act(
            session, start_with(book, {{"in", "Token", "t", true}, {"in", "Plain", "p", true}}))) ==
        Reason::BAD_INPUT);
  CHECK(daemon.lines(session, "started") == 0);
  CHECK(is_started(honest.act(session, mine)));
  wait_idle(daemon, session);
}

TEST_CASE("hostile front: what agents are refused takes no room among the request ids") {
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  Person honest(daemon, "honest");
  const std::string session = begin_session(honest);
  Person agent(daemon, "honest", "agent");
  for (const char* text : {"one", "other"}) {  // else the second were a replay of the first
    const auto note = [text](auto root, const client::Greeting&) { root.setNote(text); };
    CHECK(agent.refusal(agent.answer(agent.send(session, note, {}, 77))) == Reason::NOT_PERMITTED);
    CHECK(honest.refusal(honest.answer(honest.send(session, note, {}, 77))) ==
          (std::string(text) == "one" ? Reason::NONE : Reason::REPLAYED));
  }
}

TEST_CASE("hostile front: it can't open one folder for another, though it holds both descriptors") {
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  Person honest(daemon, "honest");
  const std::string session = begin_session(honest);
  const client::RunbookInfo one = opened_book(honest, daemon, session, "one");
  for (const char* crime : {"do:swap-folder", "do:odd-folder"}) {
    Person victim(daemon, crime);
    const auto answer = open_book(victim, daemon, session, "two");
    CHECK(victim.refusal(answer) == Reason::MALFORMED);
  }
  CHECK(daemon.lines(session, "opened") == 1);
  expect_honest_start(daemon, session, one, 0);
}

TEST_CASE("hostile front: what no front may say ends it, and only it") {
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  auto honest = std::make_unique<Person>(daemon, "honest");
  const std::string session = begin_session(*honest);
  const client::RunbookInfo book = opened_book(*honest, daemon, session, "one");
  const std::size_t before = resident_kib(daemon.pid());
  int started = 0;
  for (const char* crime :
       {"break-garbage", "break-empty", "break-cut", "break-unset", "break-ready-again",
        "break-foreign", "break-closed", "break-watch", "break-descriptors", "break-unsealed",
        "break-no-request", "break-flood", "die"}) {
    INFO(std::string(crime));
    Person agent(daemon, "honest", "agent");
    Person victim(daemon, std::string("do:") + crime);
    REQUIRE(agent.welcome());
    REQUIRE(victim.welcome());
    CHECK_FALSE(is_started(victim.act(session, start_of(book, "good"))));
    CHECK(victim.over());
    CHECK_FALSE(agent.over());  // the other front goes on
    CHECK(agent.refusal(agent.act(session, [](auto root, const client::Greeting&) {
      root.setNote("mine");
    })) == Reason::NOT_PERMITTED);
    expect_honest_start(daemon, session, book, started);
    ++started;
  }
  CHECK(daemon.lines(session, "note") == 0);
  const std::size_t after = resident_kib(daemon.pid());
  MESSAGE("13 fronts later the broker holds " << after << " KiB, before " << before);
  CHECK(after < before + 4096);
}

TEST_CASE(
    "hostile front: an agent's front that claims to be the operator's gets an agent's rights") {
  Daemon daemon(beside("hostile_front_program"));
  REQUIRE(daemon.start());
  Person honest(daemon, "honest");
  const std::string session = begin_session(honest);
  const client::RunbookInfo book = opened_book(honest, daemon, session, "one");
  Person agent(daemon, "do:claim-operator", "agent");
  REQUIRE(agent.welcome());
  for (const Fill& fill : {start_of(book, "good"),
                           Fill([](auto root, const client::Greeting&) { root.setEndSession(); }),
                           Fill([](auto root, const client::Greeting&greeting) {
                             client::fill_environment(root.initReplaceEnvironment(), greeting);
                           })}) {
    CHECK(agent.refusal(agent.act(session, fill)) == Reason::NOT_PERMITTED);
  }
  expect_honest_start(daemon, session, book, 0);
  CHECK(daemon.lines(session, "session-ended") == 0);
}

TEST_CASE(
    "hostile front: one that breaks the rules before it is asked never serves, the broker lives") {
  Daemon daemon(beside("hostile_front_early"));
  CHECK_FALSE(daemon.start(3s));
  const std::size_t before = resident_kib(daemon.pid());
  ::usleep(1'500'000);
  CHECK(status_field(daemon.pid(), "State")[0] != 'Z');
  CHECK(resident_kib(daemon.pid()) < before + 1024);
}

}  // namespace
}  // namespace rb::testing
