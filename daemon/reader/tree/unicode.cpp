#include "daemon/reader/tree/unicode.h"

#include <algorithm>
#include <iterator>

namespace rb::rdr::grammar {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};
struct FoldRun {  // every `step`th code point from first to last moves by `delta`
  char32_t first;
  char32_t last;
  std::uint32_t step;
  std::int32_t delta;
};
struct FoldMany {
  char32_t from;
  char32_t to[3];
};

#include "daemon/reader/tree/unicode_table.inc"

constexpr char32_t kReplacement = 0xfffd;

template <std::size_t N>
bool within_ranges(const Range (&ranges)[N], char32_t c) {
  const Range* found = std::upper_bound(std::begin(ranges), std::end(ranges), c,
                                        [](char32_t v, const Range& r) { return v < r.first; });
  return found != std::begin(ranges) && c <= std::prev(found)->last;
}

bool is_tail(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

char32_t tail_bits(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]) & 0x3fU;
}

void append_folded(std::string& out, char32_t c) {
  const FoldMany* many =
      std::lower_bound(std::begin(kFoldMany), std::end(kFoldMany), c,
                       [](const FoldMany& entry, char32_t v) { return entry.from < v; });
  if (many != std::end(kFoldMany) && many->from == c) {
    for (const char32_t part : many->to) {
      if (part != 0) {
        append_utf8(out, part);
      }
    }
    return;
  }
  const FoldRun* run =
      std::upper_bound(std::begin(kFold), std::end(kFold), c,
                       [](char32_t v, const FoldRun& entry) { return v < entry.first; });
  if (run != std::begin(kFold)) {
    --run;
    if (c <= run->last && (c - run->first) % run->step == 0) {
      c = static_cast<char32_t>(static_cast<std::int32_t>(c) + run->delta);
    }
  }
  append_utf8(out, c);
}

}  // namespace

CodePoint decode_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) {
    return {};
  }
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) {
    return {lead, 1};
  }
  if (lead >= 0xc2 && lead <= 0xdf && is_tail(text, at + 1)) {
    return {((lead & 0x1fU) << 6U) | tail_bits(text, at + 1), 2};
  }
  if (lead >= 0xe0 && lead <= 0xef && is_tail(text, at + 1) && is_tail(text, at + 2)) {
    const char32_t value =
        ((lead & 0x0fU) << 12U) | (tail_bits(text, at + 1) << 6U) | tail_bits(text, at + 2);
    const bool surrogate = value >= 0xd800 && value <= 0xdfff;
    return value >= 0x800 && !surrogate ? CodePoint{value, 3} : CodePoint{kReplacement, 1};
  }
  if (lead >= 0xf0 && lead <= 0xf4 && is_tail(text, at + 1) && is_tail(text, at + 2) &&
      is_tail(text, at + 3)) {
    const char32_t value = ((lead & 0x07U) << 18U) | (tail_bits(text, at + 1) << 12U) |
                           (tail_bits(text, at + 2) << 6U) | tail_bits(text, at + 3);
    return value >= 0x10000 && value <= 0x10ffff ? CodePoint{value, 4} : CodePoint{kReplacement, 1};
  }
  return {kReplacement, 1};
}

CodePoint decode_before(std::string_view text, std::size_t at) {
  if (at == 0) {
    return {};
  }
  std::size_t start = at - 1;
  while (start > 0 && at - start < 4 && is_tail(text, start)) {
    --start;
  }
  const CodePoint found = decode_at(text, start);
  return start + found.size == at ? found : CodePoint{kReplacement, 1};
}

void append_utf8(std::string& out, char32_t value) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xc0U | (value >> 6U));
    put(0x80U | (value & 0x3fU));
  } else if (value < 0x10000) {
    put(0xe0U | (value >> 12U));
    put(0x80U | ((value >> 6U) & 0x3fU));
    put(0x80U | (value & 0x3fU));
  } else {
    put(0xf0U | (value >> 18U));
    put(0x80U | ((value >> 12U) & 0x3fU));
    put(0x80U | ((value >> 6U) & 0x3fU));
    put(0x80U | (value & 0x3fU));
  }
}

std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = ascii_lower(c);
  }
  return out;
}

bool is_space(char32_t c) {
  if (c < 0x80) {
    return c == ' ' || (c >= 0x09 && c <= 0x0d);
  }
  return c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
         c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

bool is_punctuation(char32_t c) {
  return c < 0x80 ? is_ascii_punctuation(c) : within_ranges(kPunctuation, c);
}

bool is_id_start(char32_t c) {
  return c < 0x80 ? is_ascii_alpha(c) || c == '$' || c == '_' : within_ranges(kIdStart, c);
}

bool is_id_continue(char32_t c) {
  if (c < 0x80) {
    return is_ascii_alnum(c) || c == '$' || c == '_';
  }
  return c == 0x200c || c == 0x200d || within_ranges(kIdContinue, c);
}

std::string normalize_label(std::string_view label) {
  std::string out;
  out.reserve(label.size());
  bool gap = false;
  for (std::size_t at = 0; at < label.size();) {
    const char c = label[at];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      gap = !out.empty();
      ++at;
      continue;
    }
    if (gap) {
      out += ' ';
      gap = false;
    }
    if (static_cast<unsigned char>(c) < 0x80) {
      out += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      ++at;
      continue;
    }
    const CodePoint point = decode_at(label, at);
    append_folded(out, point.value);
    at += point.size;
  }
  return out;
}

}  // namespace rb::rdr::grammar
