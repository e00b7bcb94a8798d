// yaml.h — YAML as we accept it: plain trees of text, lists and maps.   [UNTRUSTED: reader]
// In:     at most 64 KiB of UTF-8; one document.
// Out:    a tree at most 32 deep with at most 10,000 events, or the first thing that is wrong.
//         Refused by name: anchors, aliases, tags, merge keys, keys that stand twice, keys that
//         aren't text, a second document. All limits hold while parsing, not after it.
// Units:  lines and columns from 1 within the text given.
// Errors: Yaml::problem. No exception leaves this adapter, the only includer of yaml-cpp (through
//         its event interface alone: its tree takes duplicates, aliases, cycles and tags).
// Source: docs/RUNBOOKS.md §YAML; DESIGN §10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rb::rdr {

inline constexpr std::size_t kYamlBytes = 64 * 1024;
inline constexpr std::size_t kYamlDepth = 32;
inline constexpr std::size_t kYamlEvents = 10'000;

struct YamlNode {
  enum class Kind : std::uint8_t { Null, Text, List, Map };
  Kind kind = Kind::Null;
  bool quoted = false;  // Text: written in quotes or as a block, so never a number or a boolean
  std::string text;
  std::vector<std::string> keys;  // Map: one for each item
  std::vector<YamlNode> items;    // List, Map
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  // The value of a key of a map; null when there is none.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  // Text written plainly that YAML 1.2 reads as true; "yes" and "on" are text.
  [[nodiscard]] bool is_true() const;
  [[nodiscard]] bool is_false() const;
  [[nodiscard]] bool is_number() const;
};

struct YamlProblem {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::string text;
  std::string advice;
};

struct Yaml {
  YamlNode root;  // Null for an empty document
  std::optional<YamlProblem> problem;
};

[[nodiscard]] Yaml parse_yaml(std::string_view text);
// The value as JSON text, on one line: lists and maps of inputs travel so.
[[nodiscard]] std::string to_json(const YamlNode& node);

}  // namespace rb::rdr
