// What a taken-over front may say to the broker, and what a client behind it may have signed: built
// field by field, so that every row of both tables is reached. Whatever comes: nothing is started,
// no session comes or goes, and only well-signed requests of the operator leave a note.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "broker/broker.h"
#include "protocol/limits.h"
#include "protocol/wire.h"
#include "tests/fuzz/input.h"

namespace {

namespace brk = rb::brk;
using rb::front::Operation;
using rb::fuzz::Input;

constexpr unsigned kInputsPerBroker = 500;

std::string private_folder() {
  std::string pattern = "/dev/shm/rb-broker-fuzz-XXXXXX";
  return ::mkdtemp(pattern.data());
}

void fill_operation(Operation::Builder root, Input& input) {
  const rb::Bytes client(16, 'c');
  rb::Bytes request(16, 'r');
  request[0] = input.byte();
  root.setClientId(rb::wire::data((input.byte() & 15) != 15 ? client : rb::Bytes(3)));
  root.setRequestId(rb::wire::data(request));
  root.setSession((input.byte() & 7) != 7 ? "" : input.text(24));
  switch (input.byte() % 10) {
    case 0: {
      auto start = root.initStartSession();
      start.setWho(input.text(8));
      start.setWhy(input.text(8));
      start.initEnvironment().setBox(rb::wire::data(input.bytes(80)));
      start.setImplicit((input.byte() & 1) != 0);
      return;
    }
    case 1:  // ending it would end the target's work too: an agent or another session tries
      root.setSession("other");
      root.setEndSession();
      return;
    case 2:
      root.setNote(input.text(32));
      return;
    case 3:
      root.initOpen().setName(input.text(16));
      return;
    case 4:
      root.initCloseRun().setRunbook(input.text(8));
      return;
    case 5: {
      auto start = root.initStart();
      start.setRunbook(input.text(8));
      start.setBlock(input.text(8));
      start.setDigest(rb::wire::data(input.bytes(32)));
      start.setProfile(input.text(12));
      start.setVerbatim((input.byte() & 1) != 0);
      return;
    }
    case 6:
      root.initStop().setExecution(input.text(6));
      return;
    case 7:
      root.initEnvironment().setBox(rb::wire::data(input.bytes(80)));
      return;
    case 8:
      root.initReplaceEnvironment().setBox(rb::wire::data(input.bytes(80)));
      return;
    default:
      return;  // unset
  }
}

void fill_query(rb::front::Query::Builder root, Input& input) {
  root.setSession((input.byte() & 3) != 3 ? "" : input.text(24));
  switch (input.byte() % 8) {
    case 0:
      root.setStatus();
      return;
    case 1:
      root.setSessions();
      return;
    case 2:
      root.setExecutions();
      return;
    case 3:
      root.setRunbooks();
      return;
    case 4:
      root.setRunbook(input.text(8));
      return;
    case 5:
      root.setOutput(input.text(8));
      return;
    case 6:
      root.initOutputBytes().setExecution(input.text(8));
      return;
    default:
      return;
  }
}

// A broker with a session, two connections, and this program in its operator front's place.
class Played {
 public:
  Played() {
    ::setenv("XDG_STATE_HOME", folder_.c_str(), 1);
    ::setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
    ::umask(077);
    rb::fuzz::must(rb::seal::start());
    auto places = brk::Places::prepare();
    rb::fuzz::must(places.ok());
    auto ledger = brk::Ledger::open(places->state());
    rb::fuzz::must(ledger.ok());
    broker_ =
        std::make_unique<brk::Broker>(brk::Options{"/nonexistent", "", -1}, std::move(*places),
                                      std::move(ledger->ledger), brk::Facts());
    for (const std::uint64_t number : {std::uint64_t{1}, std::uint64_t{2}}) {
      brk::Connection connection;
      connection.actor.role = number == 1 ? brk::Role::Operator : brk::Role::Agent;
      connection.actor.connection = number;
      connection.key.fill(static_cast<std::uint8_t>(number));
      connections_.push_back(connection);
    }
    enter();
    begin_session();
  }
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;
  Played(Played&&) = delete;
  Played& operator=(Played&&) = delete;
  ~Played() {
    broker_.reset();
    std::filesystem::remove_all(folder_);
  }

  void play(Input& input) {
    while (!input.empty()) {
      packet(input);
      turn();
    }
    check();
  }

 private:
  // A fresh pair in place of the one that ended.
  void enter() {
    auto pair = rb::packet_pair(true);
    rb::fuzz::must(pair.ok());
    broker_->fronts.adopt(brk::Role::Operator, std::move(pair->first));
    front_ = std::move(pair->second);
    counter_ = 0;
    send(rb::wire::build<rb::broker::ToBroker>([](auto root) { root.setReady(); }));
    turn();
    broker_->fronts.accepted(connections_[0], rb::Fd(::dup(front_.get())));
  }

  void begin_session() {
    const rb::Bytes plain = rb::wire::build<rb::front::Environment>([](auto root) {
      root.initVariables(1).set(0, rb::wire::data(rb::as_bytes("PATH=/bin")));
      root.setCwd("/");
    });
    const rb::Bytes box = rb::seal::seal_box(plain, broker_->box.open);
    send_signed(rb::wire::build<Operation>([&](auto root) {
                  root.setClientId(rb::wire::data(rb::Bytes(16, 's')));
                  root.setRequestId(rb::wire::data(rb::Bytes(16, 's')));
                  auto start = root.initStartSession();
                  start.setWho("fuzz");
                  start.setWhy("fuzz");
                  start.initEnvironment().setBox(rb::wire::data(box));
                }),
                0);
    for (int i = 0; i < 50 && broker_->sessions.all().empty(); ++i) {
      turn();
    }
    rb::fuzz::must(broker_->sessions.all().size() == 1);
  }

  void packet(Input& input) {
    switch (input.byte() % 8) {
      case 0:
        send(input.bytes(255));
        return;
      case 1:
        send(rb::wire::build<rb::broker::ToBroker>([&](auto root) {
          auto watch = root.initWatch();
          watch.setConnection(input.byte() % 3);
          watch.setSession(input.text(8));
        }));
        return;
      case 2:
        send(rb::wire::build<rb::broker::ToBroker>(
            [&](auto root) { root.setUnwatch(input.byte() % 3); }));
        return;
      case 3:
        send(rb::wire::build<rb::broker::ToBroker>([&](auto root) {
          auto forward = root.initForward();
          forward.setConnection(input.byte() % 3);
          fill_query(forward.initRequest().initAsk(), input);
        }));
        return;
      default:
        break;
    }
    const std::uint8_t spoil = input.byte();
    rb::Bytes content;
    if (spoil == 1) {
      const rb::ByteView garbage = input.bytes(64);
      content.assign(garbage.begin(), garbage.end());
    } else {
      content = rb::wire::build<Operation>([&](auto root) { fill_operation(root, input); });
    }
    send_signed(content, spoil);
  }

  // `spoil`: 0 signed as a client would; 2 another connection's; 3 an old counter; 4 no MAC.
  void send_signed(const rb::Bytes& content, std::uint8_t spoil) {
    const std::uint64_t counter = spoil == 3 ? counter_ : ++counter_;
    const std::uint64_t connection = spoil == 2 ? 2 : 1;
    rb::seal::Mac mac =
        rb::seal::mac(connections_[0].key, {broker_->start_id, connection, counter, content});
    mac[0] = static_cast<std::uint8_t>(mac[0] ^ (spoil == 4 ? 1 : 0));
    send(rb::wire::build<rb::broker::ToBroker>([&](auto root) {
      auto forward = root.initForward();
      forward.setConnection(connection);
      auto act = forward.initRequest().initAct();
      act.setContent(rb::wire::data(content));
      act.setCounter(counter);
      act.setMac(rb::wire::data(mac));
    }));
  }

  void send(rb::ByteView message) {
    if (!rb::send_packet(front_.get(), message, {})) {
      enter();
    }
  }

  // The broker's answers are read and thrown away, so that its link never fills.
  void turn() {
    broker_->loop.turn(false);
    for (rb::Result<rb::Packet> packet = rb::receive_packet(front_.get()); packet.ok();) {
      answers_ += 1;
      packet = rb::receive_packet(front_.get());
    }
  }

  void check() {
    rb::fuzz::must(broker_->sessions.all().size() == 1);
    const brk::Session& session = *broker_->sessions.all().begin()->second;
    rb::fuzz::must(session.open() && session.executions.empty() && session.runs.empty());
    rb::fuzz::must(session.runbooks.empty() && session.environment.has_value());
    rb::fuzz::planted(session.journal->lines() > 3 && answers_ > 8);
  }

  std::string folder_ = private_folder();
  std::unique_ptr<brk::Broker> broker_;
  std::vector<brk::Connection> connections_;
  rb::Fd front_;
  std::uint64_t counter_ = 0;
  std::uint64_t answers_ = 0;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static std::unique_ptr<Played> played;
  static unsigned used = 0;
  if (!played || ++used > kInputsPerBroker) {
    played.reset();
    played = std::make_unique<Played>();
    used = 0;
  }
  Input input(data, size);
  played->play(input);
  return 0;
}
