// outcome.bin: every accepted file is the one spelling of its outcome. The checksum is put right
// first, else nothing would get past it.
#include "common/outcome_file.h"

#include <algorithm>

#include "tests/fuzz/fuzz.h"

using rb::Bytes;

namespace {

Bytes with_checksum(const std::uint8_t* data, std::size_t size) {
  Bytes file = rb::to_bytes(std::string_view("RBOUT1\0\0", 8));
  for (std::size_t i = 0; i < 4; ++i) {
    file.push_back(static_cast<std::uint8_t>(size >> (8 * i)));
  }
  file.insert(file.end(), data, data + size);
  const rb::Digest checksum = rb::sha256(file);
  file.insert(file.end(), checksum.bytes.begin(), checksum.bytes.end());
  file.resize(std::max(file.size(), rb::kOutcomeFileBytes));
  return file;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(rb::decode_outcome({data, size}).ok());
  const Bytes file = with_checksum(data, size);
  const auto outcome = rb::decode_outcome(file);
  if (outcome) {
    rb::fuzz::must(rb::encode_outcome(*outcome) == file);
    const std::string json = rb::outcome_json(*outcome, rb::sha256(file));
    rb::fuzz::must(json.find('\n') == json.size() - 1);
    rb::fuzz::planted(outcome->warn);
    rb::fuzz::planted(outcome->left.unread == 7);
  }
  return 0;
}
