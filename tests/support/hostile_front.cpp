// hostile_front — stands where runbookd should, confined as it is, and has gone over to the enemy.
// What it does to a client's requests is the client's own choice, so that one test can ask for one
// crime: a hello with the name "do:CRIME" (see kCrimes). Any other name is served honestly.
// Built with HOSTILE_EARLY it breaks the rules before it is asked anything.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/confine.h"
#include "common/descriptors.h"
#include "common/packet.h"
#include "common/stream.h"
#include "protocol/broker.capnp.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace {

using rb::Bytes;
using rb::ByteView;
using rb::Fd;
using rb::broker::ToBroker;
using rb::front::Operation;

struct Signed {
  Bytes content;
  std::uint64_t counter = 0;
  Bytes mac;
};
struct Request {
  std::uint64_t connection = 0;
  std::uint32_t serial = 0;
  Signed act;
  std::vector<Fd> fds;
};

// The same operation with something changed by `edit`.
Bytes edited(const Bytes& content, const std::function<void(Operation::Builder)>& edit) {
  capnp::MallocMessageBuilder copy;
  const rb::Status read = rb::wire::read<Operation>(content, 32, [&](Operation::Reader from) {
    copy.setRoot(from);
    return rb::done();
  });
  if (read) {
    edit(copy.getRoot<Operation>());
  }
  return rb::wire::encode(copy);
}

class HostileFront {
 public:
  HostileFront(rb::Loop& loop, Fd link, bool agent)
      : loop_(loop),
        agent_(agent),
        link_(
            loop, std::move(link), [this](rb::Packet packet) { on_packet(std::move(packet)); },
            [this](const rb::Error&) { loop_.stop(); }) {}

  void start() {
#if defined(HOSTILE_EARLY)
    forward(Request{1, 1, {Bytes(64, 1), 1, Bytes(32, 1)}, {}});
    ready();
    ready();
#else
    ready();
#endif
  }

 private:
  struct Peer {
    std::string crime;
    std::unique_ptr<rb::StreamLink> link;
  };
  using Crime = void (HostileFront::*)(Request);

  void ready() {
    link_.send(rb::wire::build<ToBroker>([](auto root) { root.setReady(); }));
  }

  void on_packet(rb::Packet packet) {
    hear(packet.bytes);
    (void)rb::wire::read<rb::broker::ToFront>(
        packet.bytes, 16, [&](rb::broker::ToFront::Reader message) {
          if (message.isAccepted()) {
            accept(message.getAccepted().getConnection(), std::move(packet.fds.front()));
          } else if (message.isAnswer()) {
            answer(message.getAnswer(), std::move(packet.fds));
          }
          return rb::done();
        });
  }

  void accept(std::uint64_t id, Fd socket) {
    Peer& peer = peers_[id];
    peer.link = std::make_unique<rb::StreamLink>(
        loop_, std::move(socket), rb::StreamLimits{1 << 20, 4, 1 << 24, std::chrono::seconds(60)},
        [this, id](const Bytes& message, std::vector<Fd> fds) {
          on_frame(id, message, std::move(fds));
        },
        [this, id](const rb::Error&) {
          link_.send(rb::wire::build<ToBroker>([&](auto root) { root.setClosed(id); }));
        });
  }

  void answer(rb::broker::Answered::Reader answered, std::vector<Fd> fds) {
    const auto peer = peers_.find(answered.getConnection());
    if (peer != peers_.end() && peer->second.link->is_open()) {
      peer->second.link->send(rb::wire::build<rb::front::ServerMessage>(
                                  [&](auto root) { root.setAnswer(answered.getAnswer()); }),
                              std::move(fds));
    }
  }

  void hear(ByteView bytes) {
    heard_.insert(heard_.end(), bytes.begin(), bytes.end());
  }

  void on_frame(std::uint64_t id, const Bytes& message, std::vector<Fd> fds) {
    hear(message);
    (void)rb::wire::read<rb::front::ClientMessage>(
        message, 32, [&](rb::front::ClientMessage::Reader from) {
          if (from.isHello()) {
            welcome(id, rb::wire::text(from.getHello().getName()));
          } else if (from.isRequest()) {
            on_request(id, from.getRequest(), std::move(fds));
          }
          return rb::done();
        });
  }

  void welcome(std::uint64_t id, const std::string& name) {
    peers_[id].crime = name.rfind("do:", 0) == 0 ? name.substr(3) : "";
    const bool lies = peers_[id].crime == "claim-operator";
    peers_[id].link->send(rb::wire::build<rb::front::ServerMessage>([&](auto root) {
      auto welcome = root.initWelcome();
      welcome.setVersion(rb::limits::kProtocolVersion);
      welcome.setRole(agent_ && !lies ? rb::front::Role::AGENT : rb::front::Role::OPERATOR);
    }));
  }

  void on_request(std::uint64_t id, rb::front::Request::Reader from, std::vector<Fd> fds) {
    if (!from.isAct()) {
      link_.send(rb::wire::build<ToBroker>([&](auto root) {
        auto out = root.initForward();
        out.setConnection(id);
        out.setRequest(from);
      }));
      return;
    }
    Request request{id,
                    from.getSerial(),
                    {rb::wire::bytes(from.getAct().getContent()), from.getAct().getCounter(),
                     rb::wire::bytes(from.getAct().getMac())},
                    std::move(fds)};
    seen_.push_back({id, request.serial, request.act, {}});
    for (const Fd& fd : request.fds) {
      if (rb::Result<Fd> copy = fd.duplicate()) {
        folders_.push_back(std::move(*copy));
      }
    }
    const auto crime = crimes().find(peers_[id].crime);
    if (crime == crimes().end()) {
      forward(std::move(request));
    } else {
      (this->*crime->second)(std::move(request));
    }
  }

  void forward(Request request) {
    link_.send(rb::wire::build<ToBroker>([&](auto root) {
                 auto out = root.initForward();
                 out.setConnection(request.connection);
                 auto copy = out.initRequest();
                 copy.setSerial(request.serial);
                 auto act = copy.initAct();
                 act.setContent(rb::wire::data(request.act.content));
                 act.setCounter(request.act.counter);
                 act.setMac(rb::wire::data(request.act.mac));
               }),
               std::move(request.fds));
  }

  void edit(Request request, const std::function<void(Operation::Builder)>& change) {
    request.act.content = edited(request.act.content, change);
    forward(std::move(request));
  }

  // What it does to a start, a stop or a session's start, each without the key.
  void swap_digest(Request request) {
    edit(std::move(request), [](Operation::Builder it) {
      const Bytes other(32, 0x42);
      it.getStart().setDigest(rb::wire::data(other));
    });
  }
  void swap_block(Request request) {
    edit(std::move(request), [](Operation::Builder it) { it.getStart().setBlock("evil"); });
  }
  void swap_inputs(Request request) {
    edit(std::move(request), [](Operation::Builder it) {
      auto inputs = it.getStart().initInputs(1);
      inputs[0].setName("Target");
      const Bytes value = rb::to_bytes("production");
      inputs[0].setValue(rb::wire::data(value));
    });
  }
  void swap_profile(Request request) {
    edit(std::move(request), [](Operation::Builder it) { it.getStart().setProfile("host"); });
  }
  void swap_operation(Request request) {
    edit(std::move(request), [](Operation::Builder it) { it.setEndSession(); });
  }
  void swap_environment(Request request) {
    edit(std::move(request), [](Operation::Builder it) {
      const Bytes box(200, 0x17);
      it.initReplaceEnvironment().setBox(rb::wire::data(box));
    });
  }
  void swap_request_id(Request request) {
    edit(std::move(request), [](Operation::Builder it) {
      const Bytes id(16, 0x99);
      it.setRequestId(rb::wire::data(id));
    });
  }
  void no_mac(Request request) {
    request.act.mac.clear();
    forward(std::move(request));
  }
  void raise_counter(Request request) {
    request.act.counter += 1000;
    forward(std::move(request));
  }
  void invent(Request request) {
    request.act.mac = Bytes(32, 0);
    edit(std::move(request), [](Operation::Builder it) { it.setNote("invented"); });
  }

  // The same authentic bytes a second time.
  void replay(Request request) {
    const Signed act = request.act;
    const std::uint64_t id = request.connection;
    const std::uint32_t serial = request.serial;
    forward(std::move(request));
    for (std::uint32_t i = 1; i <= 5; ++i) {
      forward(Request{id, serial + 10'000 + i, act, {}});
    }
  }
  // Everything any connection ever sent, under every connection's number.
  void replay_all(Request request) {
    forward(std::move(request));
    for (const Request& old : seen_) {
      for (const auto& [id, peer] : peers_) {
        forward(Request{id, old.serial + 20'000, old.act, {}});
      }
    }
  }
  // Another connection's number under an authentic request.
  void swap_connection(Request request) {
    for (const auto& [id, peer] : peers_) {
      if (id != request.connection) {
        request.connection = id;
        forward(std::move(request));
        return;
      }
    }
  }
  // Another folder that some client offered, in place of this one's.
  void swap_folder(Request request) {
    for (const Fd& folder : folders_) {
      rb::Result<Fd> copy = folder.duplicate();
      if (copy && !request.fds.empty()) {
        request.fds.front() = std::move(*copy);
        break;
      }
    }
    forward(std::move(request));
  }
  // A descriptor of another kind: a link of its own, a file that changes under the reader.
  void odd_folder(Request request) {
    if (!request.fds.empty()) {
      request.fds.front() = Fd(::memfd_create("folder", MFD_CLOEXEC));
    }
    forward(std::move(request));
  }

  // What no front may say: each ends it.
  void send_raw(ByteView bytes) {
    iovec part{const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
    msghdr out{};
    out.msg_iov = &part;
    out.msg_iovlen = 1;
    (void)::sendmsg(link_.descriptor(), &out, MSG_NOSIGNAL);
  }
  void break_garbage(Request) {
    send_raw(Bytes(1000, 0xFF));
  }
  void break_empty(Request) {
    send_raw(Bytes(3, 0));
  }
  void break_cut(Request) {
    Bytes packet(8, 0);
    const Bytes message = rb::wire::build<ToBroker>([](auto root) { root.setClosed(1); });
    packet.insert(packet.end(), message.begin(), message.end() - 8);
    send_raw(packet);
  }
  void break_unset(Request) {
    link_.send(rb::wire::build<ToBroker>([](auto root) { root.setUnset(); }));
  }
  void break_ready_again(Request) {
    ready();
  }
  void break_foreign(Request request) {
    request.connection = 4'000'000'000;
    forward(std::move(request));
  }
  void break_closed(Request) {
    link_.send(rb::wire::build<ToBroker>([](auto root) { root.setClosed(999'999); }));
  }
  void break_watch(Request) {
    link_.send(
        rb::wire::build<ToBroker>([](auto root) { root.initWatch().setConnection(999'999); }));
  }
  void break_descriptors(Request request) {
    while (request.fds.size() <= rb::limits::kDescriptorsPerClientMessage) {
      request.fds.emplace_back(::memfd_create("many", MFD_CLOEXEC));
    }
    forward(std::move(request));
  }
  void break_unsealed(Request) {  // a message in a file that could still change
    Fd file(::memfd_create("message", MFD_CLOEXEC));
    const Bytes large(100'000, 0);
    (void)!::write(file.get(), large.data(), large.size());
    std::array<std::uint8_t, 8> head{1, 0, 0, 0, 1, 0, 0, 0};
    const iovec part{head.data(), head.size()};
    (void)rb::send_with(link_.descriptor(), {&part, 1}, {file.get()});
  }
  void break_no_request(Request request) {
    link_.send(rb::wire::build<ToBroker>([&](auto root) {
      auto out = root.initForward();
      out.setConnection(request.connection);
      out.initRequest().setSerial(1);
    }));
  }
  void break_flood(Request request) {  // asks without end and reads no answer
    const Bytes ask = rb::wire::build<ToBroker>([&](auto root) {
      auto out = root.initForward();
      out.setConnection(request.connection);
      auto copy = out.initRequest();
      copy.setSerial(1);
      copy.initAsk().setSessions();
    });
    const int flags = ::fcntl(link_.descriptor(), F_GETFL);
    (void)::fcntl(link_.descriptor(), F_SETFL, flags & ~O_NONBLOCK);
    for (int i = 0; i < 50'000; ++i) {
      if (!rb::send_packet(link_.descriptor(), ask, {})) {
        break;
      }
    }
    _exit(0);
  }
  void die(Request) {
    _exit(9);
  }
  // Says whether it ever received the note's bytes, which come backwards so that asking isn't
  // telling.
  void recall(Request request) {
    std::string wanted;
    (void)rb::wire::read<Operation>(request.act.content, 32, [&](Operation::Reader from) {
      wanted = rb::wire::text(from.getNote());
      return rb::done();
    });
    const bool heard =
        std::search(heard_.begin(), heard_.end(), wanted.rbegin(), wanted.rend()) != heard_.end();
    peers_[request.connection].link->send(rb::wire::build<rb::front::ServerMessage>([&](auto root) {
      auto answer = root.initAnswer();
      answer.setSerial(request.serial);
      answer.initRefused().setText(heard ? "heard" : "never heard");
    }));
  }

  static const std::map<std::string, Crime>& crimes() {
    using H = HostileFront;
    static const std::map<std::string, Crime> kCrimes = {
        {"swap-digest", &H::swap_digest},
        {"swap-block", &H::swap_block},
        {"swap-inputs", &H::swap_inputs},
        {"swap-profile", &H::swap_profile},
        {"swap-operation", &H::swap_operation},
        {"swap-environment", &H::swap_environment},
        {"swap-request-id", &H::swap_request_id},
        {"no-mac", &H::no_mac},
        {"raise-counter", &H::raise_counter},
        {"invent", &H::invent},
        {"replay", &H::replay},
        {"replay-all", &H::replay_all},
        {"swap-connection", &H::swap_connection},
        {"swap-folder", &H::swap_folder},
        {"odd-folder", &H::odd_folder},
        {"break-garbage", &H::break_garbage},
        {"break-empty", &H::break_empty},
        {"break-cut", &H::break_cut},
        {"break-unset", &H::break_unset},
        {"break-ready-again", &H::break_ready_again},
        {"break-foreign", &H::break_foreign},
        {"break-closed", &H::break_closed},
        {"break-watch", &H::break_watch},
        {"break-descriptors", &H::break_descriptors},
        {"break-unsealed", &H::break_unsealed},
        {"break-no-request", &H::break_no_request},
        {"break-flood", &H::break_flood},
        {"die", &H::die},
        {"recall", &H::recall},
    };
    return kCrimes;
  }

  rb::Loop& loop_;
  bool agent_;
  std::map<std::uint64_t, Peer> peers_;
  std::vector<Request> seen_;
  std::vector<Fd> folders_;
  Bytes heard_;  // all that clients and the broker ever sent it
  rb::PacketLink link_;
};

}  // namespace

int main(int argc, char** argv) {
  using rb::confine::Role;
  if (argc != 3 || !rb::confine::into_namespaces(Role::Front)) {
    return rb::confine::kCannotConfine;
  }
  (void)::fcntl(rb::confine::kLinkDescriptor, F_SETFL, O_RDWR | O_NONBLOCK);
  rb::wire::warm_up();
  rb::Loop loop;
  HostileFront front(loop, Fd(rb::confine::kLinkDescriptor), std::string(argv[2]) == "agent");
  if (!rb::confine::narrow(Role::Front)) {
    return rb::confine::kCannotConfine;
  }
  front.start();
  loop.run();
  return 0;
}
