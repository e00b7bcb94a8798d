// outcome_file.h — outcome.bin and outcome.json: how one execution ended.   [monitor, broker;
// checkers] The monitor writes outcome.bin durably before it reports; a broker that comes later
// believes a complete one and nothing else. Layout: magic, length (u32 little-endian) of the
// fields, the fields (each u32 length and bytes, fixed order), SHA-256 over all before it, zeros up
// to kOutcomeFileBytes: so the file has its room and its length before there is an outcome, and one
// that is still all zeros is none. Errors: decode
// gives Invalid for every other sequence of bytes; there is no partial result. Source:
// docs/FORMATS.md §outcome.bin; DESIGN §2, §8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/bytes.h"
#include "common/digest.h"
#include "common/result.h"

namespace rb {

// Numbers of event::Outcome (protocol/event.capnp), which this folder can't include.
enum class Ended : std::uint8_t {
  Passed = 1,
  Failed = 2,
  Timeout = 3,
  Stopped = 4,
  Error = 5,
  Interrupted = 6,
  Cancelled = 7,
  Lost = 8
};

// "passed", ...
[[nodiscard]] std::string_view name_of(Ended outcome);

class JsonWriter;

// What was read back of what the script left beside its output. All zero where that is nothing.
struct Left {
  std::uint64_t outputs_bytes = 0;  // of the file `outputs`
  Digest outputs_sha256;            // zero where there is none
  std::uint32_t files = 0;          // in generated.jsonl, with size and digest
  std::uint64_t files_bytes = 0;
  std::uint32_t unread = 0;  // in generated.jsonl, with the reason
  Digest list_sha256;        // of generated.jsonl; zero where there is none
  std::string note;          // why the outputs aren't there, or not the whole list; kLeftNoteBytes

  friend bool operator==(const Left&, const Left&) = default;
};

struct Outcome {
  std::string session;
  std::string execution;
  Ended outcome = Ended::Error;
  std::int32_t exit = -1;    // 0..255; -1 when a signal ended it or nothing ran
  std::uint32_t signal = 0;  // 0 when none
  std::string cause;         // at most kCauseBytes; longer ones are cut by encode
  std::uint64_t duration_ms = 0;
  std::uint64_t output_bytes = 0;
  Digest output_sha256;
  std::int64_t ended_at_ms = 0;  // wall
  bool warn = false;             // a check that exited 2
  bool may_have_left = false;    // processes may remain (host without a cgroup)
  Left left;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

inline constexpr std::size_t kOutcomeNameBytes = 64;  // session id, execution id
inline constexpr std::size_t kCauseBytes = 1024;
inline constexpr std::size_t kLeftNoteBytes = 256;
inline constexpr std::size_t kOutcomeFileBytes = 2048;  // of every outcome.bin

// The bytes of outcome.bin; sha256 of them is the journal's outcome_sha256.
[[nodiscard]] Bytes encode_outcome(const Outcome& outcome);
[[nodiscard]] Result<Outcome> decode_outcome(ByteView file);
// The line of outcome.json, with a newline. `bin`: digest of the outcome.bin beside it.
[[nodiscard]] std::string outcome_json(const Outcome& outcome, const Digest& bin);
// "left" as a field of the open object; nothing where nothing was left.
void write_left(JsonWriter& json, const Left& left);

}  // namespace rb
