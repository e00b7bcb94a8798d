// connection.h — one client, from the socket the broker hands over to its end.   [front]
// In:     frames of a client that may be hostile; answers, journal lines and hints for it.
// Out:    to the Host: what the broker is to hear. Every request is answered once or the
//         connection ends.
// Bounds: protocol/limits.h. A slow client is waited for without memory and cut after 5 s without
//         progress; it holds nobody else up.
// Source: docs/PROTOCOL.md §Client links, §State tables.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/loop.h"
#include "common/stream.h"
#include "daemon/front/bucket.h"
#include "daemon/front/journal.h"
#include "daemon/front/table.h"
#include "daemon/front/vet.h"
#include "protocol/broker.capnp.h"

namespace rb::fnt {

// The serial of an answer that no request asked for: a subscription that can't be.
inline constexpr std::uint32_t kOfNoRequest = 0;

// What a connection asks of the front it belongs to.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  Host(Host&&) = delete;
  Host& operator=(Host&&) = delete;
  virtual ~Host() = default;

  [[nodiscard]] virtual front::Role role() const = 0;
  // Whether the broker's link takes another request; false is answered with a refusal.
  [[nodiscard]] virtual bool may_forward() const = 0;
  // Whether a connection may let that much wait for its client.
  [[nodiscard]] virtual bool may_wait(std::size_t bytes, std::size_t descriptors) const = 0;
  virtual void send(Bytes to_broker, std::vector<Fd> fds) = 0;
  // nullptr while the broker has told nothing about the session.
  [[nodiscard]] virtual const Journal* journal(const std::string& session) const = 0;
  // The client is served no longer; gone() follows when its socket is closed.
  virtual void closed(std::uint64_t connection) = 0;
  // Called from the loop; frees the connection in a later turn.
  virtual void gone(std::uint64_t connection) = 0;
  // The broker contradicts itself or its files: this process ends.
  virtual void broken(const Error& why) = 0;
};

class Connection {
 public:
  Connection(Host& host, Loop& loop, std::uint64_t id, Fd socket);

  // From the broker, by way of the front.
  void deliver(front::Answer::Reader answer, std::vector<Fd> fds);
  void on_watching(const std::string& session, std::uint64_t last_line);
  void on_progress(const std::string& session, const std::string& execution, std::uint64_t length);
  void drop();
  void refuse_service(front::Reason reason, const std::string& text);
  // Sends the events there are, as far as the client takes them.
  void pump();

  // The session whose events are sent, "" when none.
  [[nodiscard]] const std::string& watched() const { return subscription_.session; }
  // A watch was sent and hasn't been answered.
  [[nodiscard]] bool asks_to_watch() const { return watch_under_way_; }
  [[nodiscard]] std::size_t under_way() const { return under_way_.size(); }
  [[nodiscard]] std::size_t waiting() const { return link_.waiting(); }
  [[nodiscard]] std::size_t waiting_fds() const { return link_.waiting_fds(); }

 private:
  enum class State : std::uint8_t { Greeted, Serving, Over };
  using Message = front::ClientMessage::Reader;
  struct Handlers;  // the table of client messages

  // How an answer is to be turned for the client.
  struct UnderWay {
    bool reads_output = false;
    std::uint64_t offset = 0;
    std::uint32_t most = 0;
  };
  struct Wanted {
    std::string session;
    std::uint64_t from = 0;
    bool output = false;
  };
  struct Subscription {
    std::string session;  // full id; "" when there is none
    std::uint64_t from = 0;
    bool output = false;
    Cursor cursor;
  };

  void on_frame(const Bytes& message, std::vector<Fd> fds);
  void handle_hello(Message message, std::vector<Fd>& fds);
  void handle_request(Message message, std::vector<Fd>& fds);
  void handle_subscribe(Message message, std::vector<Fd>& fds);
  void handle_unsubscribe(Message message, std::vector<Fd>& fds);

  [[nodiscard]] std::optional<Verdict> over_a_limit(front::Request::Reader request);
  void forward(front::Request::Reader request, std::vector<Fd> fds);
  void answer_bytes(front::Answer::Reader answer, const UnderWay& wanted,
                    const std::vector<Fd>& fds);
  void refuse(std::uint32_t serial, front::Reason reason, const std::string& text);
  void ask_to_watch();
  void leave_session();
  [[nodiscard]] bool takes_more() const;
  // Answers whether the client takes another.
  [[nodiscard]] bool send_event(std::uint64_t number, std::string_view json);
  void pump_later();
  void send_progress(const std::string& execution, std::uint64_t length);
  void on_drained();
  void send(const Bytes& message, std::vector<Fd> fds = {});
  void end(const Verdict& why);
  void over();

  Host& host_;
  Loop& loop_;
  std::uint64_t id_;
  State state_ = State::Greeted;
  Used used_ = 0;
  std::string name_;  // self-stated
  Bucket changes_;
  std::unordered_map<std::uint32_t, UnderWay> under_way_;  // by serial
  std::optional<Wanted> wanted_;                           // not answered yet
  bool watch_under_way_ = false;
  bool superseded_ = false;  // by a later subscribe while the watch is under way
  Subscription subscription_;
  std::map<std::string, std::uint64_t> hints_;  // kept while the client is slow: the latest only
  bool pump_posted_ = false;
  std::shared_ptr<bool> alive_;
  Timer hello_;
  StreamLink link_;
};

}  // namespace rb::fnt
