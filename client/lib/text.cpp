#include "client/lib/text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace rb::client {
namespace {

template <typename... Values>
std::string formatted(const char* pattern, Values... values) {
  std::array<char, 96> text{};
  (void)std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

// Bytes of the character at the start; malformed bytes count as one each.
std::size_t character_length(std::string_view utf8) {
  const auto first = static_cast<unsigned char>(utf8[0]);
  const std::size_t length = first < 0xC0 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  return std::min(length, utf8.size());
}

// East Asian wide and emoji blocks, coarsely: it aligns tables, nothing depends on it.
std::size_t character_columns(std::string_view character) {
  if (character.size() < 3) {
    return 1;
  }
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(character[i]) & 0x3FU; };
  if (character.size() == 4) {
    return 2;
  }
  const unsigned point =
      ((static_cast<unsigned char>(character[0]) & 0x0FU) << 12) | (at(1) << 6) | at(2);
  const bool wide = (point >= 0x1100 && point <= 0x115F) || (point >= 0x2E80 && point <= 0xA4CF) ||
                    (point >= 0xAC00 && point <= 0xD7A3) || (point >= 0xF900 && point <= 0xFAFF) ||
                    (point >= 0xFE30 && point <= 0xFE6F) || (point >= 0xFF00 && point <= 0xFF60);
  return wide ? 2 : 1;
}

std::optional<std::int64_t> unit_ms(std::string_view unit) {
  struct Unit {
    std::string_view name;
    std::int64_t ms;
  };
  constexpr std::array<Unit, 6> kUnits = {
      {{"ms", 1}, {"s", 1000}, {"", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  for (const Unit& known : kUnits) {
    if (known.name == unit) {
      return known.ms;
    }
  }
  return std::nullopt;
}

// Edits that turn a into b; two letters that changed places count as one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two(b.size() + 1);
  std::vector<std::size_t> one(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(two, one);
    std::swap(one, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({one[j] + 1, row[j - 1] + 1, one[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], two[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string duration_text(Millis span) {
  const std::int64_t ms = std::max<std::int64_t>(0, span.count());
  const std::int64_t seconds = ms / 1000;
  if (ms < 100) {
    return formatted("%lld ms", static_cast<long long>(ms));
  }
  if (ms < 10'000) {
    return formatted("%lld.%lld s", static_cast<long long>(seconds),
                     static_cast<long long>(ms % 1000 / 100));
  }
  if (seconds < 60) {
    return formatted("%lld s", static_cast<long long>(seconds));
  }
  if (seconds < 3600) {
    return formatted("%lld m %02lld s", static_cast<long long>(seconds / 60),
                     static_cast<long long>(seconds % 60));
  }
  if (seconds < 86'400) {
    return formatted("%lld h %02lld m", static_cast<long long>(seconds / 3600),
                     static_cast<long long>(seconds / 60 % 60));
  }
  return formatted("%lld d %02lld h", static_cast<long long>(seconds / 86'400),
                   static_cast<long long>(seconds / 3600 % 24));
}

std::optional<Millis> parse_duration(std::string_view text) {
  constexpr std::int64_t kMost = std::int64_t{366} * 86'400'000;
  if (text.empty()) {
    return std::nullopt;
  }
  std::int64_t total = 0;
  while (!text.empty()) {
    std::int64_t number = 0;
    std::size_t digits = 0;
    while (digits < text.size() && digits < 12 && text[digits] >= '0' && text[digits] <= '9') {
      number = number * 10 + (text[digits++] - '0');
    }
    std::size_t end = digits;
    while (end < text.size() && (text[end] < '0' || text[end] > '9')) {
      ++end;
    }
    const auto unit = unit_ms(text.substr(digits, end - digits));
    if (digits == 0 || !unit || number > kMost / *unit) {
      return std::nullopt;
    }
    total += number * *unit;
    text.remove_prefix(end);
  }
  return total > kMost ? std::nullopt : std::optional<Millis>(Millis(total));
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return formatted(unit == 0 || value >= 10 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
}

std::string time_text(std::int64_t wall_ms, std::int64_t now_ms) {
  const std::time_t then = static_cast<std::time_t>(wall_ms / 1000);
  const std::time_t now = static_cast<std::time_t>(now_ms / 1000);
  std::tm then_parts{};
  std::tm now_parts{};
  ::localtime_r(&then, &then_parts);
  ::localtime_r(&now, &now_parts);
  const bool today =
      then_parts.tm_yday == now_parts.tm_yday && then_parts.tm_year == now_parts.tm_year;
  std::array<char, 40> text{};
  const std::size_t length =
      std::strftime(text.data(), text.size(), today ? "%H:%M:%S" : "%Y-%m-%d %H:%M", &then_parts);
  return {text.data(), length};
}

std::size_t columns(std::string_view utf8) {
  std::size_t out = 0;
  while (!utf8.empty()) {
    const std::size_t length = character_length(utf8);
    out += character_columns(utf8.substr(0, length));
    utf8.remove_prefix(length);
  }
  return out;
}

std::string shortened(std::string_view utf8, std::size_t most) {
  if (columns(utf8) <= most) {
    return std::string(utf8);
  }
  std::string out;
  std::size_t used = 1;  // of the ellipsis
  while (!utf8.empty()) {
    const std::string_view character = utf8.substr(0, character_length(utf8));
    used += character_columns(character);
    if (used > most) {
      break;
    }
    out += character;
    utf8.remove_prefix(character.size());
  }
  return out + "…";
}

std::string padded(std::string_view utf8, std::size_t width) {
  const std::size_t have = columns(utf8);
  return std::string(utf8) + std::string(have < width ? width - have : 0, ' ');
}

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += i + 1 == row.size() ? row[i] : padded(row[i], widths[i] + 2);
    }
    out += '\n';
  }
  return out;
}

std::string closest(std::string_view typed, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool starts = typed.size() >= 2 && candidate.compare(0, typed.size(), typed) == 0;
    const std::size_t away = starts ? 1 : distance(typed, candidate);
    if (away < best_distance) {
      best_distance = away;
      best = candidate;
    }
  }
  return best;
}

}  // namespace rb::client
