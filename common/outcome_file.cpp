#include "common/outcome_file.h"

#include <algorithm>
#include <array>

#include "common/clock.h"
#include "common/json_writer.h"

namespace rb {
namespace {

constexpr std::string_view kMagic{"RBOUT1\0\0", 8};
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kChecksumBytes = 32;
constexpr std::uint8_t kWarn = 1;
constexpr std::uint8_t kMayHaveLeft = 2;
constexpr std::int64_t kLastWallMs = 253'402'300'799'999;  // the year 9999 ends: four digits

void put_number(Bytes& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
  }
}

void put_bytes(Bytes& out, ByteView value) {
  put_number(out, value.size(), kLengthBytes);
  out.insert(out.end(), value.begin(), value.end());
}

void put_field(Bytes& out, std::uint64_t value, std::size_t width) {
  put_number(out, width, kLengthBytes);
  put_number(out, value, width);
}

std::uint64_t number_of(ByteView bytes) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  return out;
}

// Takes fields off the front. After the first that doesn't fit, ok() is false and stays so.
class Fields {
 public:
  explicit Fields(ByteView rest) : rest_(rest) {}

  ByteView take(std::size_t least, std::size_t most) {
    if (rest_.size() < kLengthBytes) {
      return fail();
    }
    const std::uint64_t length = number_of(rest_.first(kLengthBytes));
    rest_ = rest_.subspan(kLengthBytes);
    if (length < least || length > most || length > rest_.size()) {
      return fail();
    }
    const ByteView out = rest_.first(static_cast<std::size_t>(length));
    rest_ = rest_.subspan(out.size());
    return out;
  }
  std::string text(std::size_t least, std::size_t most) {
    return std::string(as_text(take(least, most)));
  }
  std::uint64_t number(std::size_t width) { return number_of(take(width, width)); }
  // A number of one byte that has to lie in [least, most].
  std::uint8_t small(std::uint8_t least, std::uint8_t most) {
    const std::uint64_t value = number(1);
    if (value < least || value > most) {
      fail();
      return least;
    }
    return static_cast<std::uint8_t>(value);
  }
  ByteView fail() {
    ok_ = false;
    rest_ = {};
    return {};
  }
  [[nodiscard]] bool more() const { return !rest_.empty(); }
  [[nodiscard]] bool complete() const { return ok_ && rest_.empty(); }

 private:
  ByteView rest_;
  bool ok_ = true;
};

// The fields' bytes, or nothing where magic, length or checksum don't fit.
ByteView checked_fields(ByteView file) {
  const std::size_t head = kMagic.size() + kLengthBytes;
  if (file.size() != kOutcomeFileBytes || as_text(file.first(kMagic.size())) != kMagic) {
    return {};
  }
  const std::uint64_t length = number_of(file.subspan(kMagic.size(), kLengthBytes));
  if (length > kOutcomeFileBytes - head - kChecksumBytes) {
    return {};
  }
  const ByteView body = file.first(head + static_cast<std::size_t>(length));
  const ByteView padding = file.subspan(body.size() + kChecksumBytes);
  if (digest_from_bytes(file.subspan(body.size(), kChecksumBytes)) != sha256(body) ||
      std::any_of(padding.begin(), padding.end(), [](std::uint8_t byte) { return byte != 0; })) {
    return {};
  }
  return body.subspan(head);
}

void put_left(Bytes& fields, const Left& left) {
  put_field(fields, left.outputs_bytes, 8);
  put_bytes(fields, left.outputs_sha256.bytes);
  put_field(fields, left.files, 4);
  put_field(fields, left.files_bytes, 8);
  put_field(fields, left.unread, 4);
  put_bytes(fields, left.list_sha256.bytes);
  put_bytes(fields, as_bytes(std::string_view(left.note).substr(0, kLeftNoteBytes)));
}

Left take_left(Fields& fields) {
  Left out;
  out.outputs_bytes = fields.number(8);
  out.outputs_sha256 = digest_from_bytes(fields.take(32, 32)).value_or(Digest{});
  out.files = static_cast<std::uint32_t>(fields.number(4));
  out.files_bytes = fields.number(8);
  out.unread = static_cast<std::uint32_t>(fields.number(4));
  out.list_sha256 = digest_from_bytes(fields.take(32, 32)).value_or(Digest{});
  out.note = fields.text(0, kLeftNoteBytes);
  return out;
}

}  // namespace

std::string_view name_of(Ended outcome) {
  constexpr std::array<std::string_view, 9> kNames = {"unset",       "passed",    "failed",
                                                      "timeout",     "stopped",   "error",
                                                      "interrupted", "cancelled", "lost"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Bytes encode_outcome(const Outcome& outcome) {
  Bytes fields;
  put_bytes(fields, as_bytes(std::string_view(outcome.session).substr(0, kOutcomeNameBytes)));
  put_bytes(fields, as_bytes(std::string_view(outcome.execution).substr(0, kOutcomeNameBytes)));
  put_field(fields, static_cast<std::uint8_t>(outcome.outcome), 1);
  put_field(fields, static_cast<std::uint32_t>(outcome.exit), 4);
  put_field(fields, outcome.signal, 4);
  put_bytes(fields, as_bytes(std::string_view(outcome.cause).substr(0, kCauseBytes)));
  put_field(fields, outcome.duration_ms, 8);
  put_field(fields, outcome.output_bytes, 8);
  put_bytes(fields, outcome.output_sha256.bytes);
  put_field(fields, static_cast<std::uint64_t>(outcome.ended_at_ms), 8);
  put_field(fields, (outcome.warn ? kWarn : 0u) | (outcome.may_have_left ? kMayHaveLeft : 0u), 1);
  if (outcome.left != Left{}) {  // else as before there were these fields
    put_left(fields, outcome.left);
  }

  Bytes file = to_bytes(kMagic);
  put_bytes(file, fields);
  const Digest checksum = sha256(file);
  file.insert(file.end(), checksum.bytes.begin(), checksum.bytes.end());
  file.resize(kOutcomeFileBytes);
  return file;
}

Result<Outcome> decode_outcome(ByteView file) {
  Fields fields(checked_fields(file));
  Outcome out;
  out.session = fields.text(1, kOutcomeNameBytes);
  out.execution = fields.text(1, kOutcomeNameBytes);
  out.outcome = static_cast<Ended>(fields.small(1, static_cast<std::uint8_t>(Ended::Lost)));
  out.exit = static_cast<std::int32_t>(fields.number(4));
  out.signal = static_cast<std::uint32_t>(fields.number(4));
  out.cause = fields.text(0, kCauseBytes);
  out.duration_ms = fields.number(8);
  out.output_bytes = fields.number(8);
  out.output_sha256 = digest_from_bytes(fields.take(32, 32)).value_or(Digest{});
  out.ended_at_ms = static_cast<std::int64_t>(fields.number(8));
  const std::uint8_t flags = fields.small(0, kWarn | kMayHaveLeft);
  out.warn = (flags & kWarn) != 0;
  out.may_have_left = (flags & kMayHaveLeft) != 0;
  const bool left = fields.more();
  if (left) {
    out.left = take_left(fields);
  }
  if (!fields.complete() || left != (out.left != Left{}) || out.exit < -1 || out.exit > 255 ||
      out.ended_at_ms < 0 || out.ended_at_ms > kLastWallMs) {
    return error(Code::Invalid, "the outcome file is incomplete or damaged");
  }
  return out;
}

void write_left(JsonWriter& json, const Left& left) {
  if (left == Left{}) {
    return;
  }
  const auto hex = [](const Digest& digest) { return digest == Digest{} ? "" : digest.hex(); };
  json.key("left").begin_object().field("outputs_bytes", left.outputs_bytes);
  json.field("outputs_sha256", hex(left.outputs_sha256)).field("files", left.files);
  json.field("files_bytes", left.files_bytes).field("unread", left.unread);
  json.field("list_sha256", hex(left.list_sha256)).field("note", left.note).end_object();
}

std::string outcome_json(const Outcome& outcome, const Digest& bin) {
  JsonWriter json;
  json.begin_object();
  json.field("session", outcome.session).field("execution", outcome.execution);
  json.field("outcome", name_of(outcome.outcome));
  json.field("exit", outcome.exit).field("signal", outcome.signal).field("cause", outcome.cause);
  json.field("warn", outcome.warn).field("duration_ms", outcome.duration_ms);
  json.field("output_bytes", outcome.output_bytes);
  json.field("output_sha256", outcome.output_sha256.hex());
  json.field("ended_at", wall_text(outcome.ended_at_ms));
  json.field("may_have_left", outcome.may_have_left);
  write_left(json, outcome.left);
  json.field("outcome_sha256", bin.hex());
  return json.end_object().take() + "\n";
}

}  // namespace rb
