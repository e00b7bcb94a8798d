// client.h — a frontend's hold on the daemon, kept across the death of front and broker.
// [frontends]
// In:     operations and queries; at most one subscription, a later one replaces it.
// Out:    every request is answered once: by the daemon, or by an Error when it is gone for good.
//         After a lost link the client connects again (starting a broker where it may), repeats
//         unanswered requests under their old request ids, and subscribes from the next number.
//         A start that is refused because a new broker has no environment gets it and is repeated.
// Blocking: only connect(), act() and ask(); they turn the loop, so never call them from a
// callback. Source: DESIGN §3, §4; docs/PROTOCOL.md §Request ids.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/lib/connection.h"
#include "client/lib/model.h"

namespace rb::client {

// Something that changes state. `fill` may run again after a broker's death, so it keeps what it
// needs; `session` "" is the current one.
struct Operation {
  std::string session;
  std::function<void(rb::front::Operation::Builder, const Greeting&)> fill;
  std::vector<Fd> fds;
};

struct Query {
  std::string session;
  std::function<void(rb::front::Query::Builder)> fill;
};

struct EventLine {
  std::string session;
  std::uint64_t number = 0;
  std::string json;
};

struct Progress {
  std::string session;
  std::string execution;
  std::uint64_t length = 0;
};

struct Subscription {
  std::string session;
  std::uint64_t from = 0;  // 0: those yet to come
  bool output = false;
  std::function<void(const EventLine&)> on_event;
  std::function<void(const Progress&)> on_progress;
};

// The sealed environment of this process: variables, folder, umask.
void fill_environment(rb::front::Sealed::Builder into, const Greeting& greeting);

// A value of one input of a start, and whether it may be read on its way.
struct InputValue {
  std::string inputs_id;
  std::string name;
  std::string value;
  bool sensitive = false;
};
// Fills in a start's inputs. The last step of filling an operation: sensitive values are sealed to
// the broker, for this operation as it stands.
void fill_inputs(rb::front::Operation::Builder into, const std::vector<InputValue>& values,
                 const Greeting& greeting);

class Client {
 public:
  using OnAnswer = std::function<void(Result<Answer>)>;
  struct Options {
    std::string name;    // self-stated: "runbookctl"
    bool start = false;  // start a broker where none answers
  };

  // NotFound when nobody listens and none is to be started.
  [[nodiscard]] static Result<std::unique_ptr<Client>> connect(Loop& loop, const Options& options);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;
  ~Client();

  void send(Operation operation, OnAnswer on_answer);
  void send(const Query& query, OnAnswer on_answer);
  [[nodiscard]] Result<Answer> act(Operation operation);
  [[nodiscard]] Result<Answer> ask(const Query& query);

  void subscribe(Subscription subscription);
  // An event that is known to come, and in which session: after a lost link nothing from there on
  // is missed, whichever session is the current one by then.
  void expect_event(const std::string& session, std::uint64_t number);
  void unsubscribe();

  // Called when a link is lost and when it is there again.
  void on_link(std::function<void(bool there)> changed) { on_link_ = std::move(changed); }
  // The daemon is gone for good; no answer and no event will come.
  [[nodiscard]] bool lost() const { return lost_.has_value(); }
  [[nodiscard]] Loop& loop() { return loop_; }

 private:
  struct Pending {
    Operation operation;  // of acts
    Bytes request_id;
    Bytes content;  // flat Operation of an act, whole message of a query
    bool act = false;
    Bytes gave_environment;  // the broker start that was given the session's environment for it
    bool giving = false;     // that is under way: this waits for it
    Bytes encoded_for;       // the broker start an act's content was made for
    unsigned sends = 0;
    OnAnswer on_answer;
  };

  Client(Loop& loop, Options options);
  [[nodiscard]] Status wait_ready();
  void adopt(Fd socket);
  void on_ready();
  void on_message(rb::front::ServerMessage::Reader message, std::vector<Fd> fds);
  void on_end(const Error& why);
  void on_answer(rb::front::Answer::Reader answer, std::vector<Fd> fds);
  void on_event(rb::event::Line::Reader line);
  void retry();
  void give_up(const Error& why);
  void transmit(std::uint32_t serial, Pending& pending);
  void encode(Pending& pending);
  void send_subscription();
  void give_environment(std::uint32_t serial);
  void deliver(std::uint32_t serial, Result<Answer> answer);

  Loop& loop_;
  Options options_;
  Bytes client_id_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Connection> ended_;  // freed by the next turn, never under its own feet
  std::map<std::uint32_t, Pending> pending_;
  std::uint32_t last_serial_ = 0;
  std::optional<Subscription> subscription_;
  std::uint64_t next_event_ = 0;
  std::function<void(bool)> on_link_;
  Timer retry_;
  Fd starting_;  // ready descriptor of a broker we started: held until it serves
  Nanos started_at_{};
  Nanos lost_since_{};
  bool was_ready_ = false;
  bool blind_ = false;  // subscribed to what is yet to come, and a number may still be told
  std::optional<Error> lost_;
};

}  // namespace rb::client
