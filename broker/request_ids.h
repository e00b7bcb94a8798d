// request_ids.h — every state-changing request happens once.   [TRUSTED: broker]
// An id counts within its role and client; repeated with the same content it gets the first answer,
// with other content it is refused. What was done is kept in the ledger for 24 h, refusals in
// memory alone.
// Source: DESIGN §3; docs/PROTOCOL.md §Request ids; attack A28.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/actor.h"
#include "broker/ledger.h"
#include "broker/refusal.h"
#include "common/digest.h"

namespace rb::brk {

// What became of a request: enough to answer it again at any time.
struct Receipt {
  enum class Kind : std::uint8_t { Refused = 1, Done, Session, Opened, Started, Run };
  Kind kind = Kind::Done;
  std::string session;
  std::string subject;  // execution, runbook
  std::uint32_t run = 0;
  Refusal refusal;                         // where refused
  std::shared_ptr<const Bytes> reading{};  // Opened: a reader::Outcome of its problems alone
};

class RequestIds {
 public:
  struct Waiter {
    std::uint64_t connection;
    std::uint32_t serial;
  };
  enum class Seen : std::uint8_t { Never, UnderWay, Answered, OtherContent };

  [[nodiscard]] static std::string key(Role role, ByteView client, ByteView request);

  // Notes the request as under way when it was never seen; `answer` is set when it was answered.
  [[nodiscard]] Seen note(const std::string& key, const Digest& content, Waiter waiter,
                          std::int64_t now_ms, std::optional<Receipt>& answer);
  // Ends it: gives those who wait for it.
  [[nodiscard]] std::vector<Waiter> settle(const std::string& key, const Receipt& receipt);

  [[nodiscard]] static Record to_record(const std::string& key, const Digest& content,
                                        const Receipt& receipt, std::int64_t at_ms);
  void restore(const Record& record, std::int64_t now_ms);
  // What a restored request is said to have done never happened: repeating it does it.
  void undo(const std::string& session, const std::string& subject);
  [[nodiscard]] std::vector<Record> records() const;

 private:
  struct Entry {
    Digest content;
    std::int64_t at_ms = 0;
    std::optional<Receipt> receipt;
    std::vector<Waiter> waiting;
  };
  void forget_old(std::int64_t now_ms);

  std::map<std::string, Entry> entries_;
  std::deque<std::string> order_;  // oldest first
};

}  // namespace rb::brk
