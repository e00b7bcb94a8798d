// The ledger: whole records from the front, and what is read is written the same.
#include "broker/ledger.h"

#include "common/digest.h"
#include "tests/fuzz/input.h"

namespace {

// Puts the checksum right behind a body cut from the input, else nothing would get past it.
rb::Bytes with_checksums(rb::fuzz::Input& input) {
  rb::Bytes file;
  while (!input.empty() && file.size() < 4096) {
    const rb::ByteView body = input.bytes(255);
    for (std::size_t i = 0; i < 4; ++i) {
      file.push_back(static_cast<std::uint8_t>(body.size() >> (8 * i)));
    }
    file.insert(file.end(), body.begin(), body.end());
    const rb::Digest digest = rb::sha256(body);
    file.insert(file.end(), digest.bytes.begin(), digest.bytes.begin() + 16);
  }
  return file;
}

void check(rb::ByteView file, bool may_plant) {
  std::size_t used = 0;
  const auto records = rb::brk::decode_records(file, used);
  rb::fuzz::must(used <= file.size());
  rb::Bytes again;
  for (const rb::brk::Record& record : records) {
    const rb::Bytes bytes = rb::brk::encode_record(record);
    again.insert(again.end(), bytes.begin(), bytes.end());
  }
  rb::fuzz::must(again ==
                 rb::Bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(used)));
  rb::fuzz::planted(may_plant && records.size() == 1);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({data, size}, false);
  rb::fuzz::Input input(data, size);
  check(with_checksums(input), true);
  return 0;
}
