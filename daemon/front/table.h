// table.h — the order of a conversation as a table that can be audited.   [front]
// One row a message: in which states it is permitted, whether once, and how many descriptors it
// brings. A message without a row, or one that isn't permitted now, ends its link: nothing is
// guessed and nothing repaired. Source: DESIGN §3; docs/PROTOCOL.md §State tables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rb::fnt {

template <typename Kind, typename State, typename Handler>
struct Row {
  Kind kind;
  std::uint32_t states;  // of permitted(...)
  bool once;
  std::size_t fewest_fds;
  std::size_t most_fds;
  Handler handler;
  using StateType = State;
};

template <typename... States>
[[nodiscard]] constexpr std::uint32_t permitted(States... states) {
  return ((std::uint32_t{1} << static_cast<unsigned>(states)) | ...);
}

// What has been used up of the rows that may come once: a bit a row.
using Used = std::uint32_t;

// The row for this message if it may come now with that many descriptors, else nullptr. Marks it
// used.
template <typename Rows, typename Kind, typename State>
[[nodiscard]] constexpr auto find_row(const Rows& rows, Kind kind, State state, std::size_t fds,
                                      Used& used) -> const typename Rows::value_type* {
  static_assert(std::tuple_size_v<Rows> <= 32);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    if (row.kind != kind) {
      continue;
    }
    const Used bit = Used{1} << i;
    const bool now = (row.states & permitted(state)) != 0 && fds >= row.fewest_fds &&
                     fds <= row.most_fds && !(row.once && (used & bit) != 0);
    if (!now) {
      return nullptr;
    }
    used |= bit;
    return &row;
  }
  return nullptr;
}

}  // namespace rb::fnt
