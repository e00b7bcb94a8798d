#include "client/ctl/explain.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "common/folder.h"
#include "policy/builtin.h"
#include "policy/grants.h"

namespace rb::ctl {
namespace {

constexpr std::size_t kMost = 3;
constexpr std::size_t kLongestLine = 4096;

bool in_any(std::string_view path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return is_beneath(path, folder); });
}

std::string parent_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

std::size_t depth_of(const std::string& path) {
  return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// ── the path that a message names ──

std::optional<std::string> quoted_in(std::string_view line) {
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"'", "'"},
                                    {"\"", "\""},
                                    {"‘", "’"},
                                    {"`", "'"}}) {
    const std::size_t from = line.find(open);
    if (from == std::string_view::npos) {
      continue;
    }
    const std::size_t begin = from + open.size();
    const std::size_t end = line.find(close, begin);
    if (end != std::string_view::npos && end > begin) {
      return std::string(line.substr(begin, end - begin));
    }
  }
  return std::nullopt;
}

// "cat: /a/b: No such file": what stands before the phrase, up to the colon before it; of Go's
// "open /a/b: no such file" the last word.
std::string before_phrase(std::string_view line, std::size_t phrase) {
  std::string_view head = line.substr(0, phrase);
  while (!head.empty() && (head.back() == ' ' || head.back() == ':')) {
    head.remove_suffix(1);
  }
  if (const std::size_t colon = head.rfind(": "); colon != std::string_view::npos) {
    head.remove_prefix(colon + 2);
  }
  if (const std::size_t slash = head.rfind(" /"); slash != std::string_view::npos) {
    head.remove_prefix(slash + 1);
  }
  return std::string(head);
}

std::string path_in(std::string_view line, std::size_t phrase, const Ground& ground) {
  std::string path = quoted_in(line).value_or(before_phrase(line, phrase));
  const bool odd = std::any_of(path.begin(), path.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == ' ';
  });
  if (path.empty() || odd) {
    return "";
  }
  if (path.front() != '/') {
    path = ground.cwd.empty() ? "" : ground.cwd + "/" + path;
  }
  std::string clean = std::filesystem::path(path).lexically_normal().string();
  while (clean.size() > 1 && clean.back() == '/') {
    clean.pop_back();
  }
  return clean.front() == '/' ? clean : "";
}

// ── what the profile's text says of a place ──

bool is_system(std::string_view path) {
  const auto folders = policy::system_folders();
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return is_beneath(path, "/" + std::string(folder));
  });
}

bool is_tool(std::string_view path, const Ground& ground) {
  const auto folders = policy::tool_folders(ground.profile);
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return is_beneath(path, ground.home + "/" + std::string(folder));
  });
}

// Of the sets that were granted, or of all.
const policy::CredentialSet* set_of(std::string_view path, const Ground& ground, bool granted) {
  for (const policy::CredentialSet& set : policy::credential_sets()) {
    if (granted &&
        std::find(ground.sets.begin(), ground.sets.end(), set.name) == ground.sets.end()) {
      continue;
    }
    for (const std::string_view file : set.files) {
      if (is_beneath(path, ground.home + "/" + std::string(file))) {
        return &set;
      }
    }
  }
  return nullptr;
}

bool is_of_run(std::string_view path) {
  return is_beneath(path, "/run") || is_beneath(path, "/var/run");
}

Explanation not_shown(const std::string& path, const Ground& ground) {
  const std::string& name = ground.profile.name;
  if (is_of_run(path)) {
    return {"reach " + path, name + ": /run is the sandbox's own",
            policy::equals_host(path) ? "--profile host" : "--socket " + path};
  }
  if (!ground.home.empty() && is_beneath(path, ground.home)) {
    const auto* set = set_of(path, ground, false);
    const std::string folder = parent_of(path) == ground.home ? path : parent_of(path);
    const bool tools = !policy::tool_folders(ground.profile).empty();
    return {"read " + path,
            name + ": home shows " + (tools ? "tool folders and " : "") + "what was granted",
            set != nullptr ? "--with " + std::string(set->name) : "--read " + folder};
  }
  const std::string top = depth_of(path) > 1 ? parent_of(path) : path;
  return {"read " + path, name + ": it isn't among the folders that are shown", "--read " + top};
}

std::optional<Explanation> explain_missing(const std::string& path, const Ground& ground) {
  if (is_beneath(path, ground.record)) {
    return std::nullopt;
  }
  const bool shown = path == "/" || is_beneath(path, ground.work) ||
                     is_beneath(path, ground.runbook_folder) || in_any(path, ground.read) ||
                     in_any(path, ground.written) || is_system(path) || is_beneath(path, "/tmp") ||
                     is_beneath(path, "/var/tmp") || is_beneath(path, "/dev") ||
                     is_beneath(path, "/proc") || is_beneath(path, "/sys/devices/system/cpu") ||
                     is_beneath("/var", path) || is_beneath("/sys", path);
  const bool of_home = !ground.home.empty() && is_beneath(path, ground.home);
  if (of_home ? is_tool(path, ground) || set_of(path, ground, true) != nullptr ||
                    in_any(path, ground.read) || in_any(path, ground.written) ||
                    is_beneath(path, ground.work) || is_beneath(path, ground.runbook_folder)
              : shown) {
    return std::nullopt;
  }
  return not_shown(path, ground);
}

std::string advice_to_write(const std::string& path) {
  const std::string folder = parent_of(path);
  return depth_of(folder) > 1 ? "--write " + folder : "--profile host";
}

std::optional<Explanation> explain_read_only(const std::string& path, const Ground& ground) {
  const std::string& name = ground.profile.name;
  const std::string what = "write " + path;
  if (ground.profile.work != policy::WorkFolder::AllowWrite) {
    return Explanation{what, name + ": nothing but /tmp can be written to", "--profile workspace"};
  }
  if (is_beneath(path, ground.work) && !in_any(path, ground.written)) {
    return std::nullopt;  // it can be written to: another cause, or no message at all
  }
  if (in_any(path, ground.written)) {
    return Explanation{what, name + ": what tools execute by themselves stays as it is",
                       "--profile host"};
  }
  if (in_any(path, ground.read) || set_of(path, ground, true) != nullptr) {
    return Explanation{what, name + ": it was granted to be read", advice_to_write(path)};
  }
  if (is_beneath(path, ground.runbook_folder)) {
    return Explanation{what, name + ": the runbook's folder is a sealed copy",
                       "write to $RUNBOOK_WORK"};
  }
  if (is_system(path)) {
    return Explanation{what, name + ": system folders are read-only", advice_to_write(path)};
  }
  if (!ground.home.empty() && is_tool(path, ground)) {
    return Explanation{what, name + ": tool folders are read-only", advice_to_write(path)};
  }
  return Explanation{what,
                     name + ": the work folder, home, /tmp and what was granted can be written to",
                     advice_to_write(path)};
}

// ── whole messages ──

struct Known {
  std::string_view begins;  // of the line, or ""
  std::string_view holds;   // lower case
  std::string_view what;
  std::string_view why;
};
constexpr std::array kKnown = std::to_array<Known>({
    {"sudo: ", "no new privileges", "sudo", "no program gains privileges"},
    {"sudo: ", "must be owned by uid 0", "sudo", "no program gains privileges"},
    {"sudo: ", "is owned by uid 65534", "sudo", "no program gains privileges"},
    {"", "cannot connect to the docker daemon at unix://", "reach docker",
     "/run is the sandbox's own"},
    {"", "failed to connect to bus", "reach the bus of systemd", "/run is the sandbox's own"},
    {"", "failed to connect to system scope bus", "reach the bus of systemd",
     "/run is the sandbox's own"},
    {"", "failed to connect to user scope bus", "reach the bus of systemd",
     "/run is the sandbox's own"},
    {"system has not been booted with systemd", "", "reach systemd", "/run is the sandbox's own"},
});

// What comes where nothing but loopback is there: no route, and no answer to any name.
bool wants_network(std::string_view low) {
  constexpr std::array<std::string_view, 6> kPhrases = {"network is unreachable",
                                                        "temporary failure in name resolution",
                                                        "could not resolve host",
                                                        "unable to resolve host ",
                                                        "enetunreach",
                                                        "eai_again"};
  return std::any_of(kPhrases.begin(), kPhrases.end(), [&](std::string_view phrase) {
    return low.find(phrase) != std::string_view::npos;
  });
}

std::optional<Explanation> explain_line(std::string_view line, const Ground& ground) {
  const std::string low = lowered(line);
  for (const Known& known : kKnown) {
    if (low.starts_with(known.begins) && low.find(known.holds) != std::string::npos) {
      return Explanation{std::string(known.what),
                         ground.profile.name + ": " + std::string(known.why), "--profile host"};
    }
  }
  if (ground.profile.network == policy::Network::None && wants_network(low)) {
    return Explanation{"reach the network", ground.profile.name + ": it has none",
                       "--profile workspace"};
  }
  if (const std::size_t at = low.find("read-only file system"); at != std::string::npos) {
    const std::string path = path_in(line, at, ground);
    return path.empty() ? std::nullopt : explain_read_only(path, ground);
  }
  if (const std::size_t at = low.find("no such file or directory"); at != std::string::npos) {
    const std::string path = path_in(line, at, ground);
    return path.empty() ? std::nullopt : explain_missing(path, ground);
  }
  return std::nullopt;
}

}  // namespace

std::vector<Explanation> explain(std::string_view output, const Ground& ground) {
  std::vector<Explanation> out;
  if (!ground.profile.sandboxed()) {
    return out;
  }
  while (!output.empty() && out.size() < kMost) {
    const std::size_t end = std::min(output.find_first_of("\r\n"), output.size());
    const auto found = explain_line(output.substr(0, std::min(end, kLongestLine)), ground);
    const bool is_new = found && std::none_of(out.begin(), out.end(), [&](const Explanation& one) {
                          return one.what == found->what;
                        });
    if (is_new) {
      out.push_back(*found);
    }
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return out;
}

}  // namespace rb::ctl
