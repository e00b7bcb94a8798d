// The words after a fence, and a command line of a front matter.
#include "daemon/reader/info_string.h"
#include "daemon/reader/near_miss.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = rb::as_text({data, size});
  const rb::rdr::InfoString info = rb::rdr::parse_info_string(text);
  std::size_t bytes = info.language.size();
  for (const std::string& flag : info.flags) {
    rb::fuzz::must(!flag.empty() && flag.find(' ') == std::string::npos);
    bytes += flag.size();
  }
  for (const auto& [name, value] : info.attributes) {
    rb::fuzz::must(!name.empty());
    bytes += name.size() + value.size();
  }
  rb::fuzz::must(bytes <= size);  // nothing is made up
  std::vector<std::string> words;
  const bool whole = rb::rdr::split_words(text, words);
  rb::fuzz::must(whole || text.find_first_of("'\"") != std::string_view::npos);
  for (const rb::rdr::NearMiss& miss : rb::rdr::fences_in_html(text)) {
    rb::fuzz::must(miss.line <= size);
  }
  static_cast<void>(rb::rdr::fences_in_indented(text));
  static_cast<void>(rb::rdr::swallows_fence(text, '`', 3));
  rb::fuzz::planted(info.flags.size() == 2 && info.attributes.size() == 1);
  return 0;
}
