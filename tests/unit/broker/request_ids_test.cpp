#include "broker/request_ids.h"

#include <doctest/doctest.h>

namespace rb::brk {
namespace {

using Seen = RequestIds::Seen;

const Digest kContent = sha256(as_bytes("content"));
const Digest kOther = sha256(as_bytes("other"));
const std::string kKey = RequestIds::key(Role::Operator, to_bytes("client"), to_bytes("request"));
constexpr std::int64_t kDay = std::int64_t{24} * 3600 * 1000;

Receipt started() {
  return {Receipt::Kind::Started, "s", "e1", 0, {}};
}

}  // namespace

TEST_CASE("request ids: a repeated request gets the first answer, other content is told apart") {
  RequestIds ids;
  std::optional<Receipt> answer;
  CHECK(ids.note(kKey, kContent, {1, 1}, 0, answer) == Seen::Never);
  CHECK(ids.note(kKey, kContent, {2, 5}, 0, answer) == Seen::UnderWay);
  const auto waiting = ids.settle(kKey, started());
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[1].connection == 2);
  CHECK(ids.note(kKey, kContent, {3, 1}, 0, answer) == Seen::Answered);
  REQUIRE(answer.has_value());
  CHECK(answer->subject == "e1");
  CHECK(ids.note(kKey, kOther, {3, 2}, 0, answer) == Seen::OtherContent);
}

TEST_CASE("request ids: an agent's id and another client's never meet an operator's") {
  RequestIds ids;
  std::optional<Receipt> answer;
  (void)ids.note(kKey, kContent, {1, 1}, 0, answer);
  const std::string agent = RequestIds::key(Role::Agent, to_bytes("client"), to_bytes("request"));
  const std::string client =
      RequestIds::key(Role::Operator, to_bytes("tneilc"), to_bytes("request"));
  CHECK(ids.note(agent, kContent, {2, 1}, 0, answer) == Seen::Never);
  CHECK(ids.note(client, kContent, {3, 1}, 0, answer) == Seen::Never);
}

TEST_CASE("request ids: kept for a day, and across a broker's death by the ledger") {
  RequestIds ids;
  std::optional<Receipt> answer;
  (void)ids.note(kKey, kContent, {1, 1}, 1000, answer);
  (void)ids.settle(kKey, started());
  const std::vector<Record> records = ids.records();
  REQUIRE(records.size() == 1);

  RequestIds next;
  next.restore(records[0], 2000);
  CHECK(next.note(kKey, kContent, {9, 1}, 2000, answer) == Seen::Answered);
  CHECK(answer->kind == Receipt::Kind::Started);
  CHECK(next.note(kKey, kContent, {9, 2}, 1001 + kDay, answer) == Seen::Never);
}

TEST_CASE("request ids: what never happened may be asked for again, and nothing else") {
  RequestIds ids;
  std::optional<Receipt> answer;
  const std::string other = RequestIds::key(Role::Operator, to_bytes("client"), to_bytes("other"));
  (void)ids.note(kKey, kContent, {1, 1}, 0, answer);
  (void)ids.settle(kKey, started());
  (void)ids.note(other, kContent, {1, 2}, 0, answer);
  (void)ids.settle(other, {Receipt::Kind::Started, "s", "e2", 0, {}});
  ids.undo("s", "e1");
  CHECK(ids.note(kKey, kContent, {9, 1}, 1, answer) == Seen::Never);
  CHECK(ids.note(other, kContent, {9, 2}, 1, answer) == Seen::Answered);
}

TEST_CASE("request ids: refusals aren't kept in the ledger") {
  RequestIds ids;
  std::optional<Receipt> answer;
  (void)ids.note(kKey, kContent, {1, 1}, 0, answer);
  (void)ids.settle(kKey, {Receipt::Kind::Refused, "", "", 0, {front::Reason::LIMIT, "busy"}});
  CHECK(ids.records().empty());
}

}  // namespace rb::brk
