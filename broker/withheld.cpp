#include "broker/withheld.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <vector>

#include "broker/broker.h"
#include "common/folder.h"
#include "protocol/folder_id.h"

namespace rb::brk {
namespace {

constexpr int kDeepest = 256;  // folders above one another; what lies deeper is withheld

// A folder and all above it; empty where that can't be said.
std::vector<PlaceFacts> way_up(int folder) {
  std::vector<PlaceFacts> out;
  Fd at(::openat(folder, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; at && i < kDeepest; ++i) {
    const auto facts = place_facts(at.get());
    if (!facts) {
      return {};
    }
    if (!out.empty() && facts->is_same(out.back())) {
      return out;  // / is its own parent
    }
    out.push_back(*facts);
    at = Fd(::openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  return {};
}

bool holds(const PlaceFacts& place, const std::vector<PlaceFacts>& way) {
  return std::any_of(way.begin(), way.end(),
                     [&](const PlaceFacts& one) { return one.is_same(place); });
}

bool is_withheld_by_name(const Broker& broker, const std::string& home, const Fd& home_folder,
                         const std::string& path) {
  const std::array<std::string, 2> homes = {home, place_of(home_folder.get())};
  const std::array<std::string, 4> own = {
      broker.places.state_path(), place_of(broker.places.state()), broker.places.runtime_path(),
      place_of(broker.places.runtime())};
  return path.empty() || path.front() != '/' || path == "/" ||
         std::any_of(
             homes.begin(), homes.end(),
             [&](const std::string& one) { return !one.empty() && is_beneath(one, path); }) ||
         std::any_of(own.begin(), own.end(), [&](const std::string& folder) {
           return !folder.empty() && (is_beneath(path, folder) || is_beneath(folder, path));
         });
}

// For folders: links and bind mounts of files are the operator's own, and those hold nothing.
bool is_withheld_by_number(const Broker& broker, const Fd& home, const Fd& place) {
  const auto facts = place_facts(place.get());
  const std::vector<PlaceFacts> above = way_up(place.get());
  if (!facts || above.empty() || (home && holds(*facts, way_up(home.get())))) {
    return true;
  }
  const std::array<int, 2> own = {broker.places.state(), broker.places.runtime()};
  return std::any_of(own.begin(), own.end(), [&](int folder) {
    const auto same = place_facts(folder);
    return !same || holds(*same, above) || holds(*facts, way_up(folder));
  });
}

}  // namespace

bool is_withheld(const Broker& broker, const Environment& session, const Fd& place) {
  const std::string home(session.value("HOME"));
  const Fd home_folder(::open(home.c_str(), O_PATH | O_CLOEXEC));
  if (is_withheld_by_name(broker, home, home_folder, place_of(place.get()))) {
    return true;
  }
  const auto facts = place_facts(place.get());
  return !facts || (facts->type == S_IFDIR && is_withheld_by_number(broker, home_folder, place));
}

}  // namespace rb::brk
