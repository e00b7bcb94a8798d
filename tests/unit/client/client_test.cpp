// The client against a daemon that dies, forgets and repeats: a fake one on a real socket, served
// by the same loop.
#include "client/lib/client.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "common/frame.h"
#include "common/stream.h"
#include "protocol/wire.h"

using namespace rb;
using namespace rb::client;

namespace {

struct Seen {
  Bytes request_id;
  Bytes content;
  std::uint64_t counter = 0;
  bool authentic = false;
  std::uint16_t what = 0;
  std::string session;
};

// Accepts on operator.sock; what it does with a request is the test's affair.
class FakeDaemon {
 public:
  explicit FakeDaemon(Loop& loop) : loop_(loop) {
    char base[] = "/tmp/rb-client-XXXXXX";
    folder_ = ::mkdtemp(base);
    ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
    ::mkdir((folder_ + "/runbookd").c_str(), 0700);
    path_ = folder_ + "/runbookd/operator.sock";
    REQUIRE(seal::start());
    listen();
  }
  FakeDaemon(const FakeDaemon&) = delete;
  FakeDaemon& operator=(const FakeDaemon&) = delete;
  ~FakeDaemon() {
    ::unlink(path_.c_str());
    ::rmdir((folder_ + "/runbookd").c_str());
    ::rmdir(folder_.c_str());
  }

  std::function<void(const Seen&, std::uint32_t serial)> on_act;
  std::function<void(std::string session, std::uint64_t from)> on_subscribe;
  Bytes broker_start = Bytes(16, 1);
  std::uint32_t version = limits::kProtocolVersion;
  unsigned connections = 0;

  void answer(std::uint32_t serial) {
    send([&](rb::front::ServerMessage::Builder root) {
      auto out = root.initAnswer();
      out.setSerial(serial);
      out.setDone();
    });
  }
  void refuse(std::uint32_t serial, Reason reason) {
    send([&](rb::front::ServerMessage::Builder root) {
      auto out = root.initAnswer();
      out.setSerial(serial);
      out.initRefused().setReason(reason);
    });
  }
  void event(std::uint64_t number) {
    send([&](rb::front::ServerMessage::Builder root) {
      auto line = root.initEvent();
      line.setNumber(number);
      line.setJson(wire::data(as_bytes("{}")));
    });
  }
  void bye(Reason reason) {
    send([&](rb::front::ServerMessage::Builder root) { root.initBye().setReason(reason); });
  }
  void drop() {
    loop_.post([this] { link_.reset(); });
  }

 private:
  void listen() {
    listener_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_.get(), 8) == 0);
    accepting_ = Watch(loop_, listener_.get(), Watch::For::Reading, [this] { accept(); });
  }

  void accept() {
    Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) {
      return;
    }
    ++connections;
    counter_ = 0;
    key_ = seal::random_key();
    const Bytes greeting = wire::build<rb::front::Greeting>([&](auto root) {
      root.setVersion(version);
      root.setBrokerStart(wire::data(broker_start));
      root.setConnection(connections);
      root.setMacKey(wire::data(key_));
      root.setPublicKey(wire::data(keys_.open));
    });
    REQUIRE(send_frame(socket.get(), greeting, {}).ok());
    link_ = std::make_unique<StreamLink>(
        loop_, std::move(socket), StreamLimits{1 << 20, 2, 1 << 20, std::chrono::seconds(5)},
        [this](const Bytes& message, const std::vector<Fd>&) { on_frame(message); },
        [](const Error&) {});
  }

  void on_frame(const Bytes& message) {
    const Status read = wire::read<rb::front::ClientMessage>(
        message, 32, [&](rb::front::ClientMessage::Reader from) -> Status {
          if (from.isHello()) {
            send([](rb::front::ServerMessage::Builder root) {
              root.initWelcome().setVersion(limits::kProtocolVersion);
            });
          } else if (from.isSubscribe() && on_subscribe) {
            on_subscribe(wire::text(from.getSubscribe().getSession()),
                         from.getSubscribe().getFrom());
          } else if (from.isRequest() && from.getRequest().isAct()) {
            act(from.getRequest());
          } else if (from.isRequest()) {
            answer(from.getRequest().getSerial());
          }
          return done();
        });
    CHECK(read.ok());
  }

  void act(rb::front::Request::Reader request) {
    const auto signed_act = request.getAct();
    Seen seen;
    seen.content = wire::bytes(signed_act.getContent());
    seen.counter = signed_act.getCounter();
    const Bytes mac = wire::bytes(signed_act.getMac());
    seen.authentic =
        seal::verify(key_, {broker_start, connections, seen.counter, seen.content}, mac) &&
        seen.counter == ++counter_;
    const Status read = wire::read<rb::front::Operation>(
        seen.content, 32, [&](rb::front::Operation::Reader from) -> Status {
          seen.request_id = wire::bytes(from.getRequestId());
          seen.what = static_cast<std::uint16_t>(from.which());
          seen.session = wire::text(from.getSession());
          return done();
        });
    CHECK(read.ok());
    on_act(seen, request.getSerial());
  }

  template <typename Fill>
  void send(Fill fill) {
    if (link_) {
      link_->send(wire::build<rb::front::ServerMessage>(fill));
    }
  }

  Loop& loop_;
  std::string folder_;
  std::string path_;
  Fd listener_;
  Watch accepting_;
  seal::Key key_{};
  seal::BoxKeys keys_ = seal::box_keys();
  std::uint64_t counter_ = 0;
  std::unique_ptr<StreamLink> link_;
};

Operation note(const char* text) {
  Operation out;
  out.fill = [text](rb::front::Operation::Builder into, const Greeting&) { into.setNote(text); };
  return out;
}

std::unique_ptr<Client> connected(Loop& loop) {
  auto client = Client::connect(loop, {"test", false});
  REQUIRE(client.ok());
  return std::move(*client);
}

}  // namespace

TEST_CASE("client: each act is authentic and counted") {
  Loop loop;
  FakeDaemon daemon(loop);
  std::vector<Seen> seen;
  daemon.on_act = [&](const Seen& act, std::uint32_t serial) {
    seen.push_back(act);
    daemon.answer(serial);
  };
  auto client = connected(loop);
  REQUIRE(client->act(note("one")).ok());
  REQUIRE(client->act(note("two")).ok());
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].authentic);
  CHECK(seen[1].authentic);
  CHECK(seen[0].request_id.size() == 16);
  CHECK(seen[0].request_id != seen[1].request_id);
}

TEST_CASE("client: an unanswered act is repeated under its id after the link is lost") {
  Loop loop;
  FakeDaemon daemon(loop);
  std::vector<Seen> seen;
  daemon.on_act = [&](const Seen& act, std::uint32_t serial) {
    seen.push_back(act);
    if (seen.size() < 3) {
      daemon.drop();
    } else {
      daemon.answer(serial);
    }
  };
  auto client = connected(loop);
  std::vector<bool> link;
  client->on_link([&](bool there) { link.push_back(there); });
  REQUIRE(client->act(note("once")).ok());
  REQUIRE(seen.size() == 3);
  CHECK(seen[2].authentic);
  CHECK(seen[0].request_id == seen[2].request_id);
  CHECK(seen[0].content == seen[2].content);
  CHECK(daemon.connections == 3);
  CHECK(link == std::vector<bool>{false, true, false, true});
}

TEST_CASE("client: a new broker gets the same id, and sealed values sealed anew") {
  Loop loop;
  FakeDaemon daemon(loop);
  std::vector<Seen> seen;
  daemon.on_act = [&](const Seen& act, std::uint32_t serial) {
    seen.push_back(act);
    if (seen.size() == 1) {
      daemon.broker_start = Bytes(16, 2);
      daemon.drop();
    } else {
      daemon.answer(serial);
    }
  };
  auto client = connected(loop);
  Operation give;
  give.fill = [](rb::front::Operation::Builder into, const Greeting& greeting) {
    fill_environment(into.initEnvironment(), greeting);
  };
  REQUIRE(client->act(std::move(give)).ok());
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].request_id == seen[1].request_id);
  CHECK(seen[0].content != seen[1].content);
  CHECK(seen[1].authentic);
}

TEST_CASE("client: a broker without the environment gets it, then the request again") {
  Loop loop;
  FakeDaemon daemon(loop);
  std::vector<Seen> seen;
  daemon.on_act = [&](const Seen& act, std::uint32_t serial) {
    seen.push_back(act);
    if (seen.size() == 1) {
      daemon.refuse(serial, Reason::NO_ENVIRONMENT);
    } else {
      daemon.answer(serial);
    }
  };
  auto client = connected(loop);
  Operation start = note("start");
  start.session = "s1";
  const auto answer = client->act(std::move(start));
  REQUIRE(answer.ok());
  CHECK(std::holds_alternative<Done>(answer->value));
  REQUIRE(seen.size() == 3);
  CHECK(seen[1].what == rb::front::Operation::ENVIRONMENT);
  CHECK(seen[1].session == "s1");
  CHECK(seen[2].request_id != seen[0].request_id);
}

TEST_CASE("client: a broker that never takes the environment is asked twice, not for ever") {
  Loop loop;
  FakeDaemon daemon(loop);
  unsigned acts = 0;
  daemon.on_act = [&](const Seen& act, std::uint32_t serial) {
    ++acts;
    act.what == rb::front::Operation::ENVIRONMENT ? daemon.answer(serial)
                                                  : daemon.refuse(serial, Reason::NO_ENVIRONMENT);
  };
  auto client = connected(loop);
  const auto answer = client->act(note("start"));
  REQUIRE(answer.ok());
  CHECK(std::holds_alternative<Refusal>(answer->value));
  CHECK(acts == 3);
}

TEST_CASE(
    "client: brokers that die while they get the environment: each gets it, nothing is asked "
    "twice") {
  Loop loop;
  FakeDaemon daemon(loop);
  unsigned deaths = 0;
  bool has_environment = false;
  std::vector<std::uint32_t> under_way;
  daemon.on_act = [&](const Seen& act, std::uint32_t serial) {
    CHECK(std::count(under_way.begin(), under_way.end(), serial) == 0);
    if (act.what == rb::front::Operation::ENVIRONMENT && deaths < 3) {
      ++deaths;  // before it answers, and the next one knows nothing
      daemon.broker_start[0] = static_cast<std::uint8_t>(10 + deaths);
      has_environment = deaths == 3;  // this one comes back with the environment taken
      under_way.clear();
      daemon.drop();
    } else if (act.what == rb::front::Operation::ENVIRONMENT) {
      has_environment = true;
      daemon.answer(serial);
    } else if (has_environment) {
      under_way.push_back(serial);
      loop.post([&daemon, serial] { daemon.answer(serial); });
    } else {
      daemon.refuse(serial, Reason::NO_ENVIRONMENT);
    }
  };
  auto client = connected(loop);
  const auto answer = client->act(note("start"));
  REQUIRE(answer.ok());
  CHECK(std::holds_alternative<Done>(answer->value));
  CHECK(deaths == 3);
  CHECK(under_way.size() == 1);
}

TEST_CASE("client: events go on from the next number, none twice") {
  Loop loop;
  FakeDaemon daemon(loop);
  std::vector<std::uint64_t> wanted;
  daemon.on_subscribe = [&](const std::string&, std::uint64_t from) {
    wanted.push_back(from);
    if (wanted.size() == 1) {
      daemon.event(5);
      daemon.event(6);
      daemon.drop();
    } else {
      daemon.event(6);  // a front that repeats itself
      daemon.event(7);
    }
  };
  auto client = connected(loop);
  std::vector<std::uint64_t> seen;
  Subscription subscription;
  subscription.from = 5;
  subscription.on_event = [&](const EventLine& line) { seen.push_back(line.number); };
  client->subscribe(std::move(subscription));
  while (seen.size() < 3) {
    loop.turn(true);
  }
  CHECK(wanted == std::vector<std::uint64_t>{5, 7});
  CHECK(seen == std::vector<std::uint64_t>{5, 6, 7});
}

TEST_CASE("client: after the start of an execution is known, its end can't be missed") {
  Loop loop;
  FakeDaemon daemon(loop);
  std::vector<std::uint64_t> wanted;
  std::vector<std::string> sessions;
  daemon.on_subscribe = [&](const std::string& session, std::uint64_t from) {
    wanted.push_back(from);
    sessions.push_back(session);
    wanted.size() == 1 ? daemon.drop() : daemon.event(9);
  };
  auto client = connected(loop);
  bool came = false;
  Subscription subscription;
  subscription.on_event = [&](const EventLine&) { came = true; };
  client->subscribe(std::move(subscription));
  client->expect_event("s1", 9);
  while (!came) {
    loop.turn(true);
  }
  CHECK(wanted == std::vector<std::uint64_t>{0, 9});
  CHECK(sessions == std::vector<std::string>{"", "s1"});
}

TEST_CASE("client: a request that ends every link fails in the end") {
  Loop loop;
  FakeDaemon daemon(loop);
  daemon.on_act = [&](const Seen&, std::uint32_t) { daemon.drop(); };
  auto client = connected(loop);
  CHECK_FALSE(client->act(note("poison")).ok());
}

TEST_CASE("client: a front that finds fault with us isn't asked again") {
  Loop loop;
  FakeDaemon daemon(loop);
  daemon.on_act = [&](const Seen&, std::uint32_t) { daemon.bye(Reason::MALFORMED); };
  auto client = connected(loop);
  CHECK_FALSE(client->act(note("x")).ok());
  CHECK(client->lost());
  CHECK(daemon.connections == 1);
}

TEST_CASE("client: a daemon of another version gets a clear word") {
  Loop loop;
  FakeDaemon daemon(loop);
  daemon.version = 99;
  const auto client = Client::connect(loop, {"test", false});
  REQUIRE_FALSE(client.ok());
  CHECK(client.failure().code == Code::Unsupported);
  CHECK(client.failure().what.find("99") != std::string::npos);
}

TEST_CASE("client: a runtime folder that others can enter isn't used") {
  Loop loop;
  FakeDaemon daemon(loop);
  const std::string folder = std::string(std::getenv("XDG_RUNTIME_DIR")) + "/runbookd";
  ::chmod(folder.c_str(), 0755);
  const auto client = Client::connect(loop, {"test", false});
  REQUIRE_FALSE(client.ok());
  CHECK(client.failure().code == Code::Refused);
}
