// front.h — the front: clients of one role on one side, the broker on the other.   [front]
// In:     packets from the broker, in the order of kFromBroker; frames by way of its connections.
// Out:    what clients may be told and the broker is to hear. Holds no secret, no record, no file.
// Errors: whatever the broker's side breaks ends the process; the broker starts another one.
//         Whatever a client breaks ends that client.
// Source: docs/PROTOCOL.md §Trusted links, §State tables; DESIGN §2, §3.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/packet.h"
#include "daemon/front/connection.h"

namespace rb::fnt {

class Front : private Host {
 public:
  // Takes the link, which is non-blocking. Serves after start().
  Front(Loop& loop, Fd link, front::Role role);

  // Says `ready`: this process has narrowed itself.
  void start();
  // 0 when the broker ended the link, else what main returns.
  [[nodiscard]] int exit_status() const { return exit_status_; }

 private:
  enum class State : std::uint8_t { Starting, Serving, Over };
  using Message = broker::ToFront::Reader;
  struct Handlers;  // the table of the broker's messages

  void on_packet(Packet packet);
  [[nodiscard]] Status handle_accepted(Message message, std::vector<Fd>& fds);
  [[nodiscard]] Status handle_answer(Message message, std::vector<Fd>& fds);
  [[nodiscard]] Status handle_journal(Message message, std::vector<Fd>& fds);
  [[nodiscard]] Status handle_grew(Message message, std::vector<Fd>& fds);
  [[nodiscard]] Status handle_progress(Message message, std::vector<Fd>& fds);
  [[nodiscard]] Status handle_watching(Message message, std::vector<Fd>& fds);
  [[nodiscard]] Status handle_drop(Message message, std::vector<Fd>& fds);
  [[nodiscard]] Status handle_ended(Message message, std::vector<Fd>& fds);

  [[nodiscard]] front::Role role() const override { return role_; }
  [[nodiscard]] bool may_forward() const override;
  [[nodiscard]] bool may_wait(std::size_t bytes, std::size_t descriptors) const override;
  void send(Bytes to_broker, std::vector<Fd> fds) override;
  [[nodiscard]] const Journal* journal(const std::string& session) const override;
  void closed(std::uint64_t connection) override;
  void gone(std::uint64_t connection) override;
  void broken(const Error& why) override;

  [[nodiscard]] Connection* find(std::uint64_t connection);
  void send_hints();
  void forget_unwatched_later();
  void forget_unwatched();
  void end(int status);

  Loop& loop_;
  front::Role role_;
  State state_ = State::Starting;
  Used used_ = 0;
  int exit_status_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::map<std::string, Journal> journals_;  // of watched sessions
  bool forgetting_ = false;
  std::map<std::pair<std::string, std::string>, std::uint64_t> hints_;  // session, execution
  Timer hint_timer_;
  PacketLink link_;
};

}  // namespace rb::fnt
