#include "broker/request_ids.h"

#include <utility>

#include "protocol/limits.h"

namespace rb::brk {
namespace {

// A bound on memory, not on time: a day of one start every four seconds.
constexpr std::size_t kMostKept = 20'000;

}  // namespace

std::string RequestIds::key(Role role, ByteView client, ByteView request) {
  std::string out(1, static_cast<char>('0' + static_cast<int>(role)));
  out += as_text(client);
  out += as_text(request);
  return out;
}

RequestIds::Seen RequestIds::note(const std::string& key, const Digest& content, Waiter waiter,
                                  std::int64_t now_ms, std::optional<Receipt>& answer) {
  forget_old(now_ms);
  const auto [at, fresh] = entries_.try_emplace(key);
  Entry& entry = at->second;
  if (fresh) {
    entry = {content, now_ms, std::nullopt, {waiter}};
    order_.push_back(key);
    return Seen::Never;
  }
  if (!(entry.content == content)) {
    return Seen::OtherContent;
  }
  if (entry.receipt) {
    answer = entry.receipt;
    return Seen::Answered;
  }
  entry.waiting.push_back(waiter);
  return Seen::UnderWay;
}

std::vector<RequestIds::Waiter> RequestIds::settle(const std::string& key, const Receipt& receipt) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    return {};
  }
  found->second.receipt = receipt;
  return std::exchange(found->second.waiting, {});
}

void RequestIds::forget_old(std::int64_t now_ms) {
  const std::int64_t kept =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits::kRequestIdsKept).count();
  while (!order_.empty()) {
    const auto found = entries_.find(order_.front());
    if (found != entries_.end()) {
      const bool old = now_ms - found->second.at_ms > kept || order_.size() > kMostKept;
      if (!old || !found->second.receipt) {
        return;
      }
      entries_.erase(found);
    }
    order_.pop_front();
  }
}

Record RequestIds::to_record(const std::string& key, const Digest& content, const Receipt& receipt,
                             std::int64_t at_ms) {
  return {Record::Kind::Request,
          {key, std::string(as_text(content.bytes)), receipt.session, receipt.subject,
           receipt.refusal.text},
          {static_cast<std::uint64_t>(at_ms), static_cast<std::uint64_t>(receipt.kind), receipt.run,
           static_cast<std::uint64_t>(receipt.refusal.reason)}};
}

void RequestIds::restore(const Record& record, std::int64_t now_ms) {
  const std::optional<Digest> content = digest_from_bytes(as_bytes(record.texts[1]));
  const std::uint64_t kind = record.numbers[1];
  if (!content || kind < 1 || kind > static_cast<std::uint64_t>(Receipt::Kind::Run)) {
    return;
  }
  Receipt receipt{static_cast<Receipt::Kind>(kind),
                  record.texts[2],
                  record.texts[3],
                  static_cast<std::uint32_t>(record.numbers[2]),
                  {static_cast<front::Reason>(record.numbers[3]), record.texts[4]}};
  std::optional<Receipt> before;
  if (note(record.texts[0], *content, {}, now_ms, before) == Seen::Never) {
    entries_[record.texts[0]].at_ms = static_cast<std::int64_t>(record.numbers[0]);
  }
  (void)settle(record.texts[0], receipt);
}

void RequestIds::undo(const std::string& session, const std::string& subject) {
  std::erase_if(entries_, [&](const auto& entry) {
    const std::optional<Receipt>& receipt = entry.second.receipt;
    return receipt && receipt->session == session && receipt->subject == subject;
  });
}

std::vector<Record> RequestIds::records() const {
  std::vector<Record> out;
  for (const std::string& key : order_) {
    const auto found = entries_.find(key);
    if (found != entries_.end() && found->second.receipt &&
        found->second.receipt->kind != Receipt::Kind::Refused &&
        found->second.receipt->kind != Receipt::Kind::Opened) {
      out.push_back(
          to_record(key, found->second.content, *found->second.receipt, found->second.at_ms));
    }
  }
  return out;
}

}  // namespace rb::brk
