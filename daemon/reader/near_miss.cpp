#include "daemon/reader/near_miss.h"

#include <algorithm>
#include <optional>

#include "daemon/reader/info_string.h"

namespace rb::rdr {
namespace {

struct Fence {
  char character = '`';
  std::size_t length = 0;
  std::string_view info;
};

// The fence a line would open: any indentation, three or more of one character, then its words.
std::optional<Fence> opening_fence(std::string_view line, std::size_t indent_at_most) {
  std::size_t at = 0;
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) {
    ++at;
  }
  if (at > indent_at_most || at == line.size() || (line[at] != '`' && line[at] != '~')) {
    return std::nullopt;
  }
  Fence out;
  out.character = line[at];
  while (at + out.length < line.size() && line[at + out.length] == out.character) {
    ++out.length;
  }
  out.info = line.substr(at + out.length);
  const bool inline_code = out.character == '`' && out.info.find('`') != std::string_view::npos;
  return out.length < 3 || inline_code ? std::nullopt : std::optional(out);
}

bool asks_to_run(const Fence& fence) {
  const InfoString info = parse_info_string(fence.info);
  return !info.language.empty() &&
         (info.has_flag("run") || info.has_flag("destructive") || info.has_flag("background"));
}

bool closes(std::string_view line, const Fence& open) {
  const std::optional<Fence> fence = opening_fence(line, line.size());
  return fence && fence->character == open.character && fence->length >= open.length &&
         fence->info.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Calls each(line number from 0, line) for every line.
template <typename Each>
void for_lines(std::string_view text, Each&& each) {
  std::uint32_t number = 0;
  for (std::size_t at = 0; at <= text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    each(number, text.substr(at, end - at));
    at = end + 1;
  }
}

// Follows comments over lines: does the line's first word stand inside one?
class Comments {
 public:
  bool starts_inside(std::string_view line) {
    const bool inside = open_;
    for (std::size_t at = 0; at < line.size();) {
      const std::size_t mark = line.find(open_ ? "-->" : "<!--", at);
      if (mark == std::string_view::npos) {
        break;
      }
      at = mark + (open_ ? 3 : 4);
      open_ = !open_;
    }
    return inside;
  }

 private:
  bool open_ = false;
};

}  // namespace

std::vector<NearMiss> fences_in_html(std::string_view html) {
  std::vector<NearMiss> out;
  Comments comments;
  std::optional<Fence> open;
  for_lines(html, [&](std::uint32_t number, std::string_view line) {
    const bool inside = comments.starts_inside(line);
    if (open) {
      if (closes(line, *open)) {
        open.reset();
      }
      return;
    }
    open = opening_fence(line, line.size());
    if (open && asks_to_run(*open)) {
      out.push_back({number, inside});
    }
  });
  return out;
}

std::vector<std::uint32_t> fences_in_indented(std::string_view code) {
  std::vector<std::uint32_t> out;
  std::optional<Fence> open;
  for_lines(code, [&](std::uint32_t number, std::string_view line) {
    if (open) {
      if (closes(line, *open)) {
        open.reset();
      }
      return;
    }
    open = opening_fence(line, line.size());
    if (open && asks_to_run(*open)) {
      out.push_back(number);
    }
  });
  return out;
}

bool swallows_fence(std::string_view code, char fence, std::uint32_t length) {
  bool out = false;
  for_lines(code, [&](std::uint32_t, std::string_view line) {
    const std::optional<Fence> found = opening_fence(line, 3);
    out = out || (found && found->character == fence && found->length >= length &&
                  found->info.find_first_not_of(" \t\r") != std::string_view::npos);
  });
  return out;
}

}  // namespace rb::rdr
