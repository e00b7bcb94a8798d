#include "client/lib/record_store.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace rb::client {
namespace {

constexpr std::size_t kMostEntries = 1'000'000;

bool all_of(std::string_view text, bool (*fits)(char)) {
  return std::all_of(text.begin(), text.end(), fits);
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_small(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}

}  // namespace

bool is_session_id(std::string_view name) {
  return name.size() == 20 && name[8] == '-' && name[15] == '-' &&
         all_of(name.substr(0, 8), is_digit) && all_of(name.substr(9, 6), is_digit) &&
         all_of(name.substr(16), is_small);
}

bool is_execution_id(std::string_view name) {
  return name.size() >= 2 && name.size() <= 12 && name[0] == 'e' && name[1] != '0' &&
         all_of(name.substr(1), is_digit);
}

std::string segment_name(std::size_t index) {
  char name[40];
  std::snprintf(name, sizeof name, "journal-%04zu.jsonl", index + 1);
  return name;
}

Result<StoredSessions> stored_sessions(int state) {
  StoredSessions out;
  const Result<Fd> folder = open_beneath(state, "sessions", O_RDONLY | O_DIRECTORY);
  if (!folder && folder.failure().code == Code::NotFound) {
    return out;
  }
  if (!folder) {
    return within("sessions", folder.failure());
  }
  const auto entries = list_folder(folder->get(), kMostEntries);
  if (!entries) {
    return within("sessions", entries.failure());
  }
  for (const FolderEntry& entry : *entries) {
    (is_session_id(entry.name) ? out.ids : out.strangers).push_back(entry.name);
  }
  return out;
}

Result<Fd> open_session(int state, const std::string& id) {
  return open_beneath(state, "sessions/" + id, O_RDONLY | O_DIRECTORY);
}

Result<Fd> open_file(int folder, const std::string& path) {
  return open_regular(folder, path, std::numeric_limits<std::int64_t>::max());
}

std::vector<int> Segments::numbers() const {
  std::vector<int> out;
  for (const Fd& file : files) {
    out.push_back(file.get());
  }
  return out;
}

Result<Segments> open_segments(int session) {
  const auto entries = list_folder(session, kMostEntries);
  if (!entries) {
    return entries.failure();
  }
  Segments out;
  for (const FolderEntry& entry : *entries) {  // sorted by name, and so by number
    if (entry.name.rfind("journal-", 0) != 0) {
      continue;
    }
    const std::string expected = segment_name(out.files.size());
    if (entry.name != expected) {
      return error(Code::Invalid, expected + " is missing before " + entry.name);
    }
    Result<Fd> file = open_file(session, entry.name);
    if (!file) {
      return within(entry.name, file.failure());
    }
    out.files.push_back(std::move(*file));
  }
  return out;
}

}  // namespace rb::client
