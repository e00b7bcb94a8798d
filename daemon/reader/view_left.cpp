#include "daemon/reader/view_left.h"

#include <sys/stat.h>

#include <algorithm>

#include "common/io.h"

namespace rb::rdr {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 20;  // no list is longer
constexpr std::string_view kBlanks = " \t\r\v\f";

std::string read_whole(const Outputs& files, const std::string& name) {
  const auto file = files.find(name);
  struct stat facts {};
  if (file == files.end() || ::fstat(file->second, &facts) < 0) {
    return "";
  }
  const auto size = std::min(static_cast<std::uint64_t>(facts.st_size), kMostBytes);
  const Result<Bytes> bytes = read_at(file->second, 0, static_cast<std::size_t>(size));
  return bytes ? std::string(as_text(*bytes)) : "";
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_name(std::string_view text) {
  return !text.empty() && (text.front() < '0' || text.front() > '9') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

void take_line(std::string_view line, LeftOutputs& out) {
  constexpr std::string_view kMark = "sensitive:";
  line = trimmed(line);
  const bool sensitive = line.substr(0, kMark.size()) == kMark;
  line.remove_prefix(sensitive ? kMark.size() : 0);
  const std::size_t equals = line.find('=');
  const std::string_view name = trimmed(line.substr(0, equals));
  if (equals == std::string_view::npos || !is_name(name)) {
    return;
  }
  LeftOutput& output = out[std::string(name)];
  output.sensitive |= sensitive;  // once marked it stays so
  output.value = output.sensitive ? std::string() : std::string(line.substr(equals + 1));
}

// Calls use(line) until it says no.
template <typename Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!use(text.substr(0, end))) {
      return;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

LeftOutputs parse_outputs(std::string_view text) {
  LeftOutputs out;
  each_line(text, [&](std::string_view line) {
    take_line(line, out);
    return true;
  });
  return out;
}

LeftOutputs outputs_of(const Outputs& files, const std::string& execution) {
  return parse_outputs(read_whole(files, execution + "/outputs"));
}

std::vector<Json> generated_of(const Outputs& files, const std::string& execution,
                               std::size_t most) {
  std::vector<Json> out;
  each_line(read_whole(files, execution + "/generated.jsonl"), [&](std::string_view line) {
    Result<Json> one = parse_json(line);
    if (one && one->is(Json::Kind::Object)) {
      out.push_back(std::move(*one));
    }
    return out.size() < most;
  });
  return out;
}

}  // namespace rb::rdr
