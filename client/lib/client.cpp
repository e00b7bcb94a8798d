#include "client/lib/client.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "client/lib/paths.h"
#include "client/lib/start.h"
#include "protocol/digests.h"
#include "protocol/wire.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace rb::client {
namespace {

using namespace std::chrono_literals;

constexpr Nanos kGiveUpAfter = 15s;  // without a link
constexpr Nanos kRetryEvery = 25ms;
constexpr Nanos kStartAgainAfter = 2s;
constexpr unsigned kSends = 20;  // of one request that ends every link it is sent on

Bytes random_id() {
  Bytes out(16);
  seal::random(out);
  return out;
}

mode_t current_umask() {
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return mask;
}

std::string current_folder() {
  std::vector<char> buffer(4096);
  while (::getcwd(buffer.data(), buffer.size()) == nullptr) {
    if (errno != ERANGE) {
      return "/";
    }
    buffer.resize(buffer.size() * 2);
  }
  return buffer.data();
}

// Whether another link may do better than the one that ended so.
bool worth_retrying(const Error& why) {
  return why.code != Code::Unsupported && why.code != Code::Refused;
}

}  // namespace

void fill_environment(rb::front::Sealed::Builder into, const Greeting& greeting) {
  const Bytes plain = wire::build<rb::front::Environment>([](auto root) {
    unsigned count = 0;
    while (environ[count] != nullptr) {
      ++count;
    }
    auto variables = root.initVariables(count);
    for (unsigned i = 0; i < count; ++i) {
      variables.set(i, wire::data(as_bytes(environ[i])));
    }
    root.setCwd(wire::text(current_folder()));
    root.setUmask(current_umask());
  });
  into.setBox(wire::data(seal::seal_box(plain, greeting.public_key)));
}

void fill_inputs(rb::front::Operation::Builder into, const std::vector<InputValue>& values,
                 const Greeting& greeting) {
  const auto fill = [&values](auto list, bool sensitive) {
    unsigned at = 0;
    for (const InputValue& value : values) {
      if (value.sensitive == sensitive) {
        list[at].setName(wire::text(value.name));
        list[at].setInputsId(wire::text(value.inputs_id));
        list[at++].setValue(wire::data(as_bytes(value.value)));
      }
    }
  };
  const auto secrets = static_cast<unsigned>(std::count_if(
      values.begin(), values.end(), [](const InputValue& value) { return value.sensitive; }));
  fill(into.getStart().initInputs(static_cast<unsigned>(values.size()) - secrets), false);
  if (secrets == 0) {
    return;
  }
  const Digest request = operation_digest(into.asReader(), rb::front::Role::OPERATOR);
  Bytes plain = wire::build<rb::front::Secrets>([&](auto root) {
    root.setRequest(wire::data(request.bytes));
    fill(root.initInputs(secrets), true);
  });
  into.getStart().setSecrets(wire::data(seal::seal_box(plain, greeting.public_key)));
  seal::wipe(plain);
}

Client::Client(Loop& loop, Options options)
    : loop_(loop),
      options_(std::move(options)),
      client_id_(random_id()),
      retry_(loop, [this] { retry(); }) {}

Client::~Client() = default;

Result<std::unique_ptr<Client>> Client::connect(Loop& loop, const Options& options) {
  if (!seal::start()) {
    return error(Code::Unsupported, "this system gives no random numbers");
  }
  Result<Fd> socket =
      options.start ? connect_or_start(operator_socket(), 10s) : connect_to(operator_socket());
  if (!socket) {
    return socket.failure();
  }
  std::unique_ptr<Client> client(new Client(loop, options));
  client->lost_since_ = boot_now();
  client->adopt(std::move(*socket));
  if (Status ready = client->wait_ready(); !ready) {
    return ready.failure();
  }
  return client;
}

Status Client::wait_ready() {
  while (!lost_ && !(connection_ && connection_->ready())) {
    loop_.turn(true);
  }
  return lost_ ? Status(*lost_) : done();
}

void Client::adopt(Fd socket) {
  connection_ = std::make_unique<Connection>(
      loop_, std::move(socket), options_.name,
      Connection::Handlers{[this] { on_ready(); },
                           [this](rb::front::ServerMessage::Reader message, std::vector<Fd> fds) {
                             on_message(message, std::move(fds));
                           },
                           [this](const Error& why) { on_end(why); }});
}

void Client::on_ready() {
  starting_.reset();
  lost_since_ = Nanos(0);
  blind_ = subscription_ && next_event_ == 0 && !pending_.empty();
  if (subscription_) {
    send_subscription();
  }
  for (auto& [serial, pending] : pending_) {
    transmit(serial, pending);
  }
  if (std::exchange(was_ready_, true) && on_link_) {
    on_link_(true);  // last: it may send something of its own
  }
}

void Client::on_message(rb::front::ServerMessage::Reader message, std::vector<Fd> fds) {
  using Message = rb::front::ServerMessage;
  switch (message.which()) {
    case Message::ANSWER:
      on_answer(message.getAnswer(), std::move(fds));
      return;
    case Message::EVENT:
      on_event(message.getEvent());
      return;
    case Message::PROGRESS:
      if (subscription_ && subscription_->on_progress) {
        const auto hint = message.getProgress();
        subscription_->on_progress(
            {wire::text(hint.getSession()), wire::text(hint.getExecution()), hint.getLength()});
      }
      return;
    case Message::UNSET:
    case Message::WELCOME:
    case Message::BYE:
      return;  // the connection has dealt with them
  }
}

void Client::on_event(rb::event::Line::Reader line) {
  if (!subscription_ || line.getNumber() < next_event_) {
    return;  // of an earlier subscription, or seen before the link was lost
  }
  next_event_ = line.getNumber() + 1;
  const auto json = line.getJson();
  const EventLine event{wire::text(line.getSession()), line.getNumber(),
                        std::string(as_text({json.begin(), json.size()}))};
  const auto handler = subscription_->on_event;  // which may subscribe anew
  if (handler) {
    handler(event);
  }
}

void Client::on_answer(rb::front::Answer::Reader answer, std::vector<Fd> fds) {
  const std::uint32_t serial = answer.getSerial();
  const auto found = pending_.find(serial);
  if (found == pending_.end()) {
    return;
  }
  Result<Answer> copy = answer_from_wire(answer);
  if (copy) {
    copy->fds = std::move(fds);
    const Refusal* refusal = std::get_if<Refusal>(&copy->value);
    if (refusal != nullptr && refusal->reason == Reason::NO_ENVIRONMENT &&
        found->second.gave_environment != connection_->greeting().broker_start) {
      found->second.gave_environment = connection_->greeting().broker_start;
      give_environment(serial);
      return;
    }
  }
  deliver(serial, std::move(copy));
}

// A new broker doesn't know the session's environment: give it, then ask again. A refused request
// did nothing, so the repetition is a new request.
void Client::give_environment(std::uint32_t serial) {
  pending_.at(serial).giving = true;
  Operation operation;
  operation.session = pending_.at(serial).operation.session;
  operation.fill = [](rb::front::Operation::Builder into, const Greeting& greeting) {
    fill_environment(into.initEnvironment(), greeting);
  };
  send(std::move(operation), [this, serial](Result<Answer> answer) {
    const auto found = pending_.find(serial);
    if (found == pending_.end()) {
      return;
    }
    if (!answer || std::holds_alternative<Refusal>(answer->value)) {
      deliver(serial, std::move(answer));
      return;
    }
    found->second.giving = false;
    found->second.request_id = random_id();
    found->second.encoded_for.clear();
    transmit(serial, found->second);
  });
}

void Client::deliver(std::uint32_t serial, Result<Answer> answer) {
  const auto found = pending_.find(serial);
  const OnAnswer on_answer = std::move(found->second.on_answer);
  pending_.erase(found);
  on_answer(std::move(answer));
}

void Client::on_end(const Error& why) {
  ended_ = std::move(connection_);  // it is still on the stack
  if (!worth_retrying(why)) {
    give_up(why);
    return;
  }
  if (lost_since_ == Nanos(0)) {
    lost_since_ = boot_now();
    if (on_link_) {
      on_link_(false);
    }
  }
  retry_.arm(kRetryEvery);
}

void Client::retry() {
  ended_.reset();
  const Nanos now = boot_now();
  if (now - lost_since_ > kGiveUpAfter) {
    give_up(error(Code::Closed, "the daemon is gone and doesn't come back; it says why in " +
                                    tilde(broker_log())));
    return;
  }
  Result<Fd> socket = connect_to(operator_socket());
  if (socket) {
    adopt(std::move(*socket));
    return;
  }
  if (socket.failure().code == Code::Refused) {
    give_up(socket.failure());
    return;
  }
  if (options_.start && now - started_at_ > kStartAgainAfter) {
    started_at_ = now;
    Result<Fd> ready = spawn_broker();
    if (ready) {
      starting_ = std::move(*ready);
    }
  }
  retry_.arm(kRetryEvery);
}

void Client::give_up(const Error& why) {
  lost_ = why;
  while (!pending_.empty()) {
    deliver(pending_.begin()->first, why);
  }
}

void Client::encode(Pending& pending) {
  const Greeting& greeting = connection_->greeting();
  if (pending.encoded_for == greeting.broker_start) {
    return;  // the same broker must see the same bytes under the same id
  }
  pending.encoded_for = greeting.broker_start;
  pending.content = wire::build<rb::front::Operation>([&](rb::front::Operation::Builder root) {
    root.setClientId(wire::data(client_id_));
    root.setRequestId(wire::data(pending.request_id));
    root.setSession(wire::text(pending.operation.session));
    pending.operation.fill(root, greeting);
  });
}

void Client::transmit(std::uint32_t serial, Pending& pending) {
  if (pending.giving || !connection_ || !connection_->ready()) {
    return;  // sent once the environment is there, or by on_ready
  }
  if (++pending.sends > kSends) {
    loop_.post([this, serial] {
      if (pending_.count(serial) > 0) {
        deliver(serial, error(Code::Closed, "the daemon ends every connection at this request"));
      }
    });
    return;
  }
  if (!pending.act) {
    connection_->send(pending.content);
    return;
  }
  encode(pending);
  std::vector<Fd> copies;
  for (const Fd& fd : pending.operation.fds) {
    Result<Fd> copy = fd.duplicate();
    if (copy) {
      copies.push_back(std::move(*copy));
    }
  }
  connection_->send_act(serial, pending.content, std::move(copies));
}

void Client::send(Operation operation, OnAnswer on_answer) {
  if (lost_) {
    on_answer(*lost_);
    return;
  }
  const std::uint32_t serial = ++last_serial_;
  Pending& pending = pending_[serial];
  pending.act = true;
  pending.operation = std::move(operation);
  pending.request_id = random_id();
  pending.on_answer = std::move(on_answer);
  transmit(serial, pending);
}

void Client::send(const Query& query, OnAnswer on_answer) {
  if (lost_) {
    on_answer(*lost_);
    return;
  }
  const std::uint32_t serial = ++last_serial_;
  Pending& pending = pending_[serial];
  pending.content = wire::build<rb::front::ClientMessage>([&](auto root) {
    auto request = root.initRequest();
    request.setSerial(serial);
    auto ask = request.initAsk();
    ask.setSession(wire::text(query.session));
    query.fill(ask);
  });
  pending.on_answer = std::move(on_answer);
  transmit(serial, pending);
}

Result<Answer> Client::act(Operation operation) {
  std::optional<Result<Answer>> got;
  send(std::move(operation), [&](Result<Answer> answer) { got.emplace(std::move(answer)); });
  while (!got) {
    loop_.turn(true);
  }
  return std::move(*got);
}

Result<Answer> Client::ask(const Query& query) {
  std::optional<Result<Answer>> got;
  send(query, [&](Result<Answer> answer) { got.emplace(std::move(answer)); });
  while (!got) {
    loop_.turn(true);
  }
  return std::move(*got);
}

void Client::subscribe(Subscription subscription) {
  next_event_ = subscription.from;
  subscription_ = std::move(subscription);
  if (connection_ && connection_->ready()) {
    send_subscription();
  }
}

void Client::expect_event(const std::string& session, std::uint64_t number) {
  if (subscription_) {
    subscription_->session = session;
  }
  if (next_event_ != 0) {
    return;
  }
  next_event_ = number;
  // After a lost link the subscription was sent anew before anybody knew this number: what came
  // between is asked for now.
  if (blind_ && subscription_ && connection_ && connection_->ready()) {
    send_subscription();
  }
}

void Client::unsubscribe() {
  subscription_.reset();
  if (connection_ && connection_->ready()) {
    connection_->send(
        wire::build<rb::front::ClientMessage>([](auto root) { root.setUnsubscribe(); }));
  }
}

void Client::send_subscription() {
  connection_->send(wire::build<rb::front::ClientMessage>([&](auto root) {
    auto wanted = root.initSubscribe();
    wanted.setSession(wire::text(subscription_->session));
    wanted.setFrom(next_event_);
    wanted.setOutput(subscription_->output);
  }));
}

}  // namespace rb::client
