#include "common/outcome_file.h"

#include <doctest/doctest.h>

#include "event.capnp.h"

namespace {

rb::Outcome sample() {
  rb::Outcome out;
  out.session = "20261130-162033-k7fq";
  out.execution = "e12";
  out.outcome = rb::Ended::Failed;
  out.exit = 3;
  out.cause = "memory";
  out.duration_ms = 1234;
  out.output_bytes = std::uint64_t{1} << 40;
  out.output_sha256 = rb::sha256(rb::as_bytes("output"));
  out.ended_at_ms = 1796055633123;
  out.warn = true;
  return out;
}

rb::Outcome with_left() {
  rb::Outcome out = sample();
  out.left.outputs_bytes = 17;
  out.left.outputs_sha256 = rb::sha256(rb::as_bytes("outputs"));
  out.left.files = 3;
  out.left.files_bytes = std::uint64_t{1} << 33;
  out.left.unread = 1;
  out.left.list_sha256 = rb::sha256(rb::as_bytes("list"));
  out.left.note = "a long word";
  return out;
}

// Checksum and length made right again after the fields were changed.
rb::Bytes resealed(rb::Bytes file) {
  file.resize(file.size() - 32);
  const rb::Digest sum = rb::sha256(file);
  file.insert(file.end(), sum.bytes.begin(), sum.bytes.end());
  return file;
}

}  // namespace

TEST_CASE("outcome_file: what was encoded is decoded, field by field") {
  rb::Outcome outcome = sample();
  CHECK(rb::decode_outcome(rb::encode_outcome(outcome)).value() == outcome);
  outcome.exit = -1;
  outcome.signal = 9;
  outcome.may_have_left = true;
  outcome.warn = false;
  outcome.cause = "";
  CHECK(rb::decode_outcome(rb::encode_outcome(outcome)).value() == outcome);
}

TEST_CASE("outcome_file: what was left is told where there is some, and costs nothing elsewhere") {
  const auto length = [](const rb::Bytes& file) { return file[8] + 256 * file[9]; };
  const rb::Bytes before = rb::encode_outcome(sample());
  const rb::Outcome outcome = with_left();
  const rb::Bytes file = rb::encode_outcome(outcome);
  CHECK(file.size() == rb::kOutcomeFileBytes);
  CHECK(rb::decode_outcome(file).value() == outcome);
  CHECK(rb::decode_outcome(before).value().left == rb::Left{});
  CHECK(length(file) == length(before) + 12 + 36 + 8 + 12 + 8 + 36 + 4 + 11);
  rb::Outcome longest = outcome;
  longest.cause.assign(5000, 'x');
  longest.left.note.assign(5000, 'x');
  CHECK(rb::decode_outcome(rb::encode_outcome(longest)).value().left.note.size() ==
        rb::kLeftNoteBytes);
}

TEST_CASE("outcome_file: names longer than their limit are cut and still decode") {
  rb::Outcome outcome = sample();
  outcome.cause.assign(5000, 'x');
  const rb::Bytes file = rb::encode_outcome(outcome);
  CHECK(file.size() <= rb::kOutcomeFileBytes);
  CHECK(rb::decode_outcome(file).value().cause.size() == rb::kCauseBytes);
}

TEST_CASE("outcome_file: every truncation is refused") {
  const rb::Bytes file = rb::encode_outcome(sample());
  for (std::size_t length = 0; length < file.size(); ++length) {
    CHECK_FALSE(rb::decode_outcome(rb::ByteView(file).first(length)).ok());
  }
  rb::Bytes longer = file;
  longer.push_back(0);
  CHECK_FALSE(rb::decode_outcome(longer).ok());
}

TEST_CASE("outcome_file: every flipped bit is refused") {
  const rb::Bytes file = rb::encode_outcome(with_left());
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      rb::Bytes bad = file;
      bad[at] = static_cast<std::uint8_t>(bad[at] ^ (1 << bit));
      CHECK_FALSE(rb::decode_outcome(bad).ok());
    }
  }
}

TEST_CASE(
    "outcome_file: with a right checksum, wrong lengths and values are refused all the same") {
  const rb::Bytes file = rb::encode_outcome(with_left());
  for (std::size_t at = 0; at + 32 < file.size(); ++at) {
    for (const int value : {0x00, 0x7f, 0x80, 0xff}) {
      rb::Bytes bad = file;
      bad[at] = static_cast<std::uint8_t>(value);
      const rb::Result<rb::Outcome> read = rb::decode_outcome(resealed(bad));
      if (read.ok()) {  // a changed value may be a valid one, but then it encodes to these bytes
        CHECK(rb::encode_outcome(*read) == resealed(bad));
      }
    }
  }
}

TEST_CASE("outcome_file: an outcome that isn't one is refused") {
  rb::Outcome outcome = sample();
  outcome.exit = 256;
  CHECK_FALSE(rb::decode_outcome(rb::encode_outcome(outcome)).ok());
  outcome = sample();
  outcome.ended_at_ms = -1;
  CHECK_FALSE(rb::decode_outcome(rb::encode_outcome(outcome)).ok());
  outcome = sample();
  outcome.session.clear();
  CHECK_FALSE(rb::decode_outcome(rb::encode_outcome(outcome)).ok());
}

TEST_CASE("outcome_file: outcome.json says the same in words") {
  const rb::Outcome outcome = sample();
  CHECK(rb::outcome_json(outcome, rb::Digest{}) ==
        R"({"session":"20261130-162033-k7fq","execution":"e12","outcome":"failed","exit":3,)"
        R"("signal":0,"cause":"memory","warn":true,"duration_ms":1234,)"
        R"("output_bytes":1099511627776,"output_sha256":")" +
            outcome.output_sha256.hex() +
            R"(","ended_at":"2026-11-30T16:20:33.123Z","may_have_left":false,"outcome_sha256":")" +
            std::string(64, '0') + "\"}\n");
}

TEST_CASE("outcome_file: outcome.json names what was left") {
  rb::Outcome outcome = with_left();
  outcome.left.list_sha256 = rb::Digest{};
  CHECK(rb::outcome_json(outcome, rb::Digest{})
            .find(R"("may_have_left":false,"left":{"outputs_bytes":17,"outputs_sha256":")" +
                  outcome.left.outputs_sha256.hex() +
                  R"(","files":3,"files_bytes":8589934592,"unread":1,"list_sha256":"",)"
                  R"("note":"a long word"},"outcome_sha256":")") != std::string::npos);
}

TEST_CASE("outcome_file: its numbers and names are those of the protocol") {
  using Wire = rb::event::Outcome;
  CHECK(static_cast<int>(rb::Ended::Passed) == static_cast<int>(Wire::PASSED));
  CHECK(static_cast<int>(rb::Ended::Failed) == static_cast<int>(Wire::FAILED));
  CHECK(static_cast<int>(rb::Ended::Timeout) == static_cast<int>(Wire::TIMEOUT));
  CHECK(static_cast<int>(rb::Ended::Stopped) == static_cast<int>(Wire::STOPPED));
  CHECK(static_cast<int>(rb::Ended::Error) == static_cast<int>(Wire::ERROR));
  CHECK(static_cast<int>(rb::Ended::Interrupted) == static_cast<int>(Wire::INTERRUPTED));
  CHECK(static_cast<int>(rb::Ended::Cancelled) == static_cast<int>(Wire::CANCELLED));
  CHECK(static_cast<int>(rb::Ended::Lost) == static_cast<int>(Wire::LOST));
  CHECK(rb::name_of(rb::Ended::Interrupted) == "interrupted");
  CHECK(rb::name_of(rb::Ended::Lost) == "lost");
}
