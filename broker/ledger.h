// ledger.h — what the next broker must know, as fixed records.   [TRUSTED: broker]
// A record is: length of the body (u32), the body, the first 16 bytes of its SHA-256. A body is a
// kind and its fields: texts and numbers, how many of each the kind says. Reading stops at the
// first record that isn't whole; what follows is cut and counted.
// Not synced at each start, on purpose: after a mere kill the kernel still has every byte; after a
// power cut the journals and the execution folders are the truth (an execution without an end line
// and without a complete outcome.bin is `interrupted`), monitors are gone, and a repeated request
// finds its start line's execution ended. It is synced where a session starts or ends.
// Source: docs/RECORD.md §Ledger; DESIGN §2, §8.
#pragma once

#include <string>
#include <vector>

#include "common/bytes.h"
#include "common/fd.h"
#include "common/result.h"

namespace rb::brk {

struct Record {
  enum class Kind : std::uint8_t {
    Session = 1,  // texts: id who why status · numbers: started_ms implicit ended_ms
    Head,         // texts: newest session, digest of its last known line
    Opened,       // texts: session name main shown_path folder_path tree_hex · numbers: bound
    Start,  // texts: session execution key runbook block profile actor · numbers: run at_ms event
    Request,  // texts: id content session subject refusal · numbers: at_ms kind run reason
  };
  Kind kind;
  std::vector<std::string> texts;
  std::vector<std::uint64_t> numbers;

  friend bool operator==(const Record&, const Record&) = default;
};

inline constexpr std::size_t kLedgerRecordBytes = 64 * 1024;
inline constexpr std::size_t kLedgerBytes = std::size_t{256} << 20;

[[nodiscard]] Bytes encode_record(const Record& record);
// Whole records from the front of `bytes`; `used` is how far they reach.
[[nodiscard]] std::vector<Record> decode_records(ByteView bytes, std::size_t& used);

class Ledger {
 public:
  struct Opened;
  // Opens or makes state/ledger and reads it.
  [[nodiscard]] static Result<Opened> open(int state);

  [[nodiscard]] Status append(const Record& record);
  [[nodiscard]] Status sync();
  // Puts these records in place of all there are.
  [[nodiscard]] Status replace(const std::vector<Record>& records);
  [[nodiscard]] std::uint64_t bytes() const { return length_; }

 private:
  int state_ = -1;
  Fd file_;
  std::uint64_t length_ = 0;
};

struct Ledger::Opened {
  Ledger ledger;
  std::vector<Record> records;
  std::uint64_t cut_bytes = 0;  // damaged or torn, dropped
  bool fresh = false;           // there was none
};

}  // namespace rb::brk
