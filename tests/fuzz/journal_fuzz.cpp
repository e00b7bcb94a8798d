// Journal segments: two, cut out of the input at its first zero byte.
#include "common/io.h"
#include "common/journal_reader.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const rb::ByteView all(data, size);
  std::size_t cut = 0;
  while (cut < size && data[cut] != 0) {
    ++cut;
  }
  const auto first = rb::sealed_memory("first", all.first(cut));
  const auto second = rb::sealed_memory("second", cut < size ? all.subspan(cut + 1) : all.first(0));
  rb::fuzz::must(first.ok() && second.ok());
  rb::JournalReader reader({first->get(), second->get()}, 4096);
  std::uint64_t last = 0;
  for (;;) {
    const auto line = reader.next();
    if (!line || !line->has_value()) {
      break;
    }
    // Lines come in order, whatever the segments say.
    rb::fuzz::must((*line)->start.number == last + 1 || last == 0);
    last = (*line)->start.number;
    rb::fuzz::planted((*line)->segment == 1);
  }
  return 0;
}
