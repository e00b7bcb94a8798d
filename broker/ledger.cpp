#include "broker/ledger.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/digest.h"
#include "common/folder.h"
#include "common/io.h"

namespace rb::brk {
namespace {

constexpr std::size_t kLength = 4;
constexpr std::size_t kCheck = 16;
constexpr const char* kName = "ledger";

struct Shape {
  std::size_t texts;
  std::size_t numbers;
};
constexpr std::array<Shape, 6> kShapes = {{{0, 0}, {4, 3}, {2, 0}, {6, 1}, {7, 3}, {5, 4}}};

template <typename Number>
void put(Bytes& out, Number value) {
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out.push_back(static_cast<std::uint8_t>(std::uint64_t{value} >> (8 * i)));
  }
}
template <typename Number>
Number get(ByteView from) {
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    out |= std::uint64_t{from[i]} << (8 * i);
  }
  return static_cast<Number>(out);
}

// One body, or nothing when its fields don't fill it exactly.
std::vector<Record> decode_body(ByteView body) {
  if (body.empty() || body[0] == 0 || body[0] >= kShapes.size()) {
    return {};
  }
  Record out{static_cast<Record::Kind>(body[0]), {}, {}};
  const Shape shape = kShapes[body[0]];
  body = body.subspan(1);
  for (std::size_t i = 0; i < shape.texts; ++i) {
    if (body.size() < kLength || get<std::uint32_t>(body) > body.size() - kLength) {
      return {};
    }
    const std::size_t length = get<std::uint32_t>(body);
    out.texts.emplace_back(as_text(body.subspan(kLength, length)));
    body = body.subspan(kLength + length);
  }
  if (body.size() != shape.numbers * sizeof(std::uint64_t)) {
    return {};
  }
  for (; !body.empty(); body = body.subspan(sizeof(std::uint64_t))) {
    out.numbers.push_back(get<std::uint64_t>(body));
  }
  return {std::move(out)};
}

}  // namespace

Bytes encode_record(const Record& record) {
  Bytes body{static_cast<std::uint8_t>(record.kind)};
  for (const std::string& text : record.texts) {
    put(body, static_cast<std::uint32_t>(text.size()));
    body.insert(body.end(), text.begin(), text.end());
  }
  for (const std::uint64_t number : record.numbers) {
    put(body, number);
  }
  Bytes out;
  put(out, static_cast<std::uint32_t>(body.size()));
  out.insert(out.end(), body.begin(), body.end());
  const Digest check = sha256(body);
  out.insert(out.end(), check.bytes.begin(), check.bytes.begin() + kCheck);
  return out;
}

std::vector<Record> decode_records(ByteView bytes, std::size_t& used) {
  std::vector<Record> out;
  used = 0;
  while (bytes.size() - used >= kLength + kCheck) {
    const ByteView rest = bytes.subspan(used);
    const std::size_t length = get<std::uint32_t>(rest);
    if (length > kLedgerRecordBytes || length > rest.size() - kLength - kCheck) {
      break;
    }
    const ByteView body = rest.subspan(kLength, length);
    const Digest check = sha256(body);
    std::vector<Record> one = decode_body(body);
    if (one.empty() || !std::equal(check.bytes.begin(), check.bytes.begin() + kCheck,
                                   rest.begin() + static_cast<std::ptrdiff_t>(kLength + length))) {
      break;
    }
    out.push_back(std::move(one.front()));
    used += kLength + length + kCheck;
  }
  return out;
}

Result<Ledger::Opened> Ledger::open(int state) {
  Opened out;
  out.ledger.state_ = state;
  Result<Fd> file = open_beneath(state, kName, O_RDWR | O_APPEND);
  if (!file && file.failure().code == Code::NotFound) {
    out.fresh = true;
    file = open_beneath(state, kName, O_RDWR | O_APPEND | O_CREAT, Links::Refuse, 0600);
  }
  if (!file) {
    return file.failure();
  }
  out.ledger.file_ = std::move(*file);
  const Result<Bytes> bytes = read_all(out.ledger.file_.get(), kLedgerBytes);
  if (!bytes) {
    return within("ledger", bytes.failure());
  }
  std::size_t used = 0;
  out.records = decode_records(*bytes, used);
  out.cut_bytes = bytes->size() - used;
  out.ledger.length_ = used;
  if (out.cut_bytes > 0 && ::ftruncate(out.ledger.file_.get(), static_cast<off_t>(used)) < 0) {
    return errno_error("cut the ledger");
  }
  return out;
}

Status Ledger::append(const Record& record) {
  const Bytes bytes = encode_record(record);
  if (Status written = write_all(file_.get(), bytes); !written) {
    // Half a record would hide all that follow it.
    return ::ftruncate(file_.get(), static_cast<off_t>(length_)) < 0
               ? errno_error("cut the ledger")
               : within("ledger", written.failure());
  }
  length_ += bytes.size();
  return done();
}

Status Ledger::sync() {
  return ::fdatasync(file_.get()) < 0 ? Status(errno_error("sync the ledger")) : done();
}

Status Ledger::replace(const std::vector<Record>& records) {
  Bytes all;
  for (const Record& record : records) {
    const Bytes one = encode_record(record);
    all.insert(all.end(), one.begin(), one.end());
  }
  if (Status written = replace_file(state_, kName, as_text(all)); !written) {
    return written;
  }
  Result<Fd> file = open_beneath(state_, kName, O_RDWR | O_APPEND);
  if (!file) {
    return file.failure();
  }
  file_ = std::move(*file);
  length_ = all.size();
  return done();
}

}  // namespace rb::brk
