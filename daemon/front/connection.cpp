#include "daemon/front/connection.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/io.h"
#include "common/log.h"
#include "protocol/limits.h"
#include "protocol/wire.h"

namespace rb::fnt {
namespace {

constexpr StreamLimits kLimits{limits::kClientMessageBytes, limits::kDescriptorsPerClientMessage,
                               limits::kAnswersWaitingBytes, limits::kProgressWithin,
                               limits::kFrameWithin};

Bucket::Rate rate_of(front::Role role) {
  return role == front::Role::OPERATOR
             ? Bucket::Rate{limits::kOperatorChangesBurst, limits::kOperatorChangesPerSecond}
             : Bucket::Rate{limits::kAgentChangesBurst, limits::kAgentChangesPerSecond};
}

}  // namespace

struct Connection::Handlers {
  using Handler = void (Connection::*)(Message, std::vector<Fd>&);
  using ClientRow = Row<front::ClientMessage::Which, State, Handler>;
  static constexpr std::uint32_t kGreeted = permitted(State::Greeted);
  static constexpr std::uint32_t kServing = permitted(State::Serving);
  // A request's descriptors depend on its operation: vet.cpp counts them.
  static constexpr std::array kRows = {
      ClientRow{front::ClientMessage::HELLO, kGreeted, true, 0, 0, &Connection::handle_hello},
      ClientRow{front::ClientMessage::REQUEST, kServing, false, 0,
                limits::kDescriptorsPerClientMessage, &Connection::handle_request},
      ClientRow{front::ClientMessage::SUBSCRIBE, kServing, false, 0, 0,
                &Connection::handle_subscribe},
      ClientRow{front::ClientMessage::UNSUBSCRIBE, kServing, false, 0, 0,
                &Connection::handle_unsubscribe},
  };
};

Connection::Connection(Host& host, Loop& loop, std::uint64_t id, Fd socket)
    : host_(host),
      loop_(loop),
      id_(id),
      changes_(rate_of(host.role()), boot_now()),
      alive_(std::make_shared<bool>(true)),
      hello_(loop,
             [this] { refuse_service(front::Reason::LIMIT, "no hello came within 10 seconds"); }),
      link_(
          loop, std::move(socket), kLimits,
          [this](const Bytes& message, std::vector<Fd> fds) { on_frame(message, std::move(fds)); },
          [this](const Error& why) {
            log::debug("connection " + std::to_string(id_) + " ended: " + why.what);
            over();
            host_.gone(id_);
          }) {
  hello_.arm(limits::kHelloWithin);
  link_.on_drained([this] { on_drained(); });
}

void Connection::on_frame(const Bytes& message, std::vector<Fd> fds) {
  const Status read = wire::read<front::ClientMessage>(
      message, limits::kClientNesting, [&](Message from) -> Status {
        const auto* row = find_row(Handlers::kRows, from.which(), state_, fds.size(), used_);
        if (row == nullptr) {
          return error(Code::Invalid, "a message that isn't permitted now");
        }
        (this->*row->handler)(from, fds);
        return done();
      });
  if (!read) {
    end({Verdict::Kind::End, front::Reason::MALFORMED, "the connection broke the protocol"});
  }
}

void Connection::handle_hello(Message message, std::vector<Fd>&) {
  const auto hello = message.getHello();
  if (const Verdict verdict = vet_hello(hello); verdict.kind != Verdict::Kind::Forward) {
    end(verdict);
    return;
  }
  hello_ = Timer();
  name_ = wire::text(hello.getName());
  state_ = State::Serving;
  send(wire::build<front::ServerMessage>([&](auto root) {
    auto welcome = root.initWelcome();
    welcome.setVersion(limits::kProtocolVersion);
    welcome.setRole(host_.role());
  }));
}

void Connection::handle_request(Message message, std::vector<Fd>& fds) {
  const auto request = message.getRequest();
  Verdict verdict = vet_request(request, host_.role(), fds.size());
  if (under_way_.contains(request.getSerial())) {
    verdict = {Verdict::Kind::End, front::Reason::MALFORMED, "the connection broke the protocol"};
  }
  if (verdict.kind == Verdict::Kind::Forward) {
    verdict = over_a_limit(request).value_or(verdict);
  }
  switch (verdict.kind) {
    case Verdict::Kind::Forward:
      forward(request, std::move(fds));
      return;
    case Verdict::Kind::Refuse:
      refuse(request.getSerial(), verdict.reason, verdict.text);
      return;
    case Verdict::Kind::End:
      end(verdict);
      return;
  }
}

std::optional<Verdict> Connection::over_a_limit(front::Request::Reader request) {
  const char* text = nullptr;
  if (under_way_.size() >= limits::kRequestsWaiting) {
    text = "too many requests of this connection are under way";
  } else if (!host_.may_forward()) {
    text = "too many requests are under way: try again";
  } else if (request.isAct() && !changes_.take(boot_now())) {
    text = "this connection asks for changes too often: wait a second";
  }
  return text == nullptr
             ? std::nullopt
             : std::optional(Verdict{Verdict::Kind::Refuse, front::Reason::LIMIT, text});
}

void Connection::forward(front::Request::Reader request, std::vector<Fd> fds) {
  UnderWay entry;
  // Bytes of output are read here, from the descriptor that `output` brings: no output passes
  // through the broker, and no descriptor leaves for a role that gets none.
  if (request.isAsk() && request.getAsk().isOutputBytes()) {
    const auto wanted = request.getAsk().getOutputBytes();
    entry = {true, wanted.getOffset(), wanted.getMost()};
  }
  under_way_.emplace(request.getSerial(), entry);
  Bytes packet = wire::build<broker::ToBroker>([&](auto root) {
    auto out = root.initForward();
    out.setConnection(id_);
    out.setClientName(wire::text(name_));
    if (entry.reads_output) {
      auto copy = out.initRequest();
      copy.setSerial(request.getSerial());
      auto ask = copy.initAsk();
      ask.setSession(request.getAsk().getSession());
      ask.setOutput(request.getAsk().getOutputBytes().getExecution());
    } else {
      out.setRequest(request);
    }
  });
  host_.send(std::move(packet), std::move(fds));
}

void Connection::deliver(front::Answer::Reader answer, std::vector<Fd> fds) {
  const auto found = under_way_.find(answer.getSerial());
  if (found == under_way_.end()) {
    log::warn("the broker answers a request that connection " + std::to_string(id_) +
              " doesn't wait for: dropped");
    return;
  }
  const UnderWay entry = found->second;
  under_way_.erase(found);
  if (entry.reads_output && answer.isOutput()) {
    answer_bytes(answer, entry, fds);
    return;
  }
  const bool of_output = answer.isOutput() || answer.isStarted();
  if (of_output && host_.role() != front::Role::OPERATOR) {
    fds.clear();  // agents get bytes, never the file
  }
  Bytes bytes = wire::build<front::ServerMessage>([&](auto root) { root.setAnswer(answer); });
  if (bytes.size() > limits::kServerMessageBytes) {
    refuse(answer.getSerial(), front::Reason::LIMIT, "the answer is over the limit of a message");
    return;
  }
  send(bytes, std::move(fds));
}

void Connection::answer_bytes(front::Answer::Reader answer, const UnderWay& wanted,
                              const std::vector<Fd>& fds) {
  const auto info = answer.getOutput();
  const std::uint64_t length = info.getLength();
  const std::uint64_t left = length > wanted.offset ? length - wanted.offset : 0;
  const std::uint64_t most = std::min<std::uint64_t>(wanted.most, limits::kOutputBytesAnswered);
  const auto count = static_cast<std::size_t>(std::min(left, most));
  Result<Bytes> bytes = Bytes();
  if (count > 0) {
    bytes = fds.empty() ? Result<Bytes>(error(Code::NotFound, "no descriptor came"))
                        : read_at(fds.front().get(), wanted.offset, count);
  }
  if (!bytes) {
    log::warn("output can't be read: " + bytes.failure().text());
    refuse(answer.getSerial(), front::Reason::UNAVAILABLE, "the output can't be read");
    return;
  }
  send(wire::build<front::ServerMessage>([&](auto root) {
    auto out = root.initAnswer();
    out.setSerial(answer.getSerial());
    auto piece = out.initOutputBytes();
    piece.setOffset(wanted.offset);
    piece.setBytes(wire::data(*bytes));
    piece.setLength(length);
    piece.setOver(info.getOver());
  }));
}

void Connection::refuse(std::uint32_t serial, front::Reason reason, const std::string& text) {
  send(wire::build<front::ServerMessage>([&](auto root) {
    auto answer = root.initAnswer();
    answer.setSerial(serial);
    auto refused = answer.initRefused();
    refused.setReason(reason);
    refused.setText(wire::text(text));
  }));
}

void Connection::send(const Bytes& message, std::vector<Fd> fds) {
  if (!host_.may_wait(link_.waiting() + message.size(), link_.waiting_fds() + fds.size())) {
    log::info("connection " + std::to_string(id_) + " lets too much wait: ended");
    drop();
    return;
  }
  link_.send(message, std::move(fds));
}

void Connection::end(const Verdict& why) {
  refuse_service(why.reason, why.text);
}

void Connection::refuse_service(front::Reason reason, const std::string& text) {
  if (state_ == State::Over) {
    return;
  }
  link_.send(wire::build<front::ServerMessage>([&](auto root) {
    auto bye = root.initBye();
    bye.setReason(reason);
    bye.setText(wire::text(text));
  }));
  link_.finish();
  over();
}

void Connection::drop() {
  if (link_.is_open()) {
    over();
    link_.close();
    host_.gone(id_);
  }
}

// The client is served no longer; its last words may still be on their way to it.
void Connection::over() {
  if (state_ == State::Over) {
    return;
  }
  state_ = State::Over;
  hello_ = Timer();
  wanted_.reset();
  subscription_ = {};
  watch_under_way_ = false;
  under_way_.clear();
  hints_.clear();
  host_.closed(id_);
}

}  // namespace rb::fnt
