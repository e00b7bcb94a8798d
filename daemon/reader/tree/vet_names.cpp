// Names: the blocks of this product, the elements and attributes of HTML a runbook may write.
#include <algorithm>
#include <array>
#include <iterator>

#include "daemon/reader/tree/unicode.h"
#include "daemon/reader/tree/vet.h"

namespace rb::rdr {
namespace {

using grammar::ascii_lower;

using namespace std::string_view_literals;

constexpr std::array kBlocks = {"Command"sv,
                                "Check"sv,
                                "Inputs"sv,
                                "Template"sv,
                                "TemplateInline"sv,
                                "Admonition"sv,
                                "DirPicker"sv,
                                "GitClone"sv,
                                "Finish"sv,
                                "Iframe"sv,
                                "AwsAuth"sv,
                                "GoogleAuth"sv,
                                "GitAuth"sv,
                                "GitHubAuth"sv,
                                "GitLabAuth"sv,
                                "GitPullRequest"sv,
                                "GitHubPullRequest"sv,
                                "GitLabMergeRequest"sv};

// Blocks of old versions of the replaced system, and what took their place.
struct Removed {
  std::string_view name;
  std::string_view instead;
};
constexpr std::array<Removed, 5> kRemoved = {{{"BoilerplateInputs", "Inputs"},
                                              {"BoilerplateTemplate", "Template"},
                                              {"TfModule", "Template"},
                                              {"TemplatePreview", "Template"},
                                              {"HelloWorld", "Admonition"}}};

// Sorted. No element that loads, runs, styles or submits anything.
constexpr std::array kElements = {
    "a"sv,      "abbr"sv, "address"sv,    "article"sv, "aside"sv,      "audio"sv,   "b"sv,
    "bdi"sv,    "bdo"sv,  "blockquote"sv, "br"sv,      "caption"sv,    "center"sv,  "cite"sv,
    "code"sv,   "col"sv,  "colgroup"sv,   "dd"sv,      "del"sv,        "details"sv, "dfn"sv,
    "div"sv,    "dl"sv,   "dt"sv,         "em"sv,      "figcaption"sv, "figure"sv,  "footer"sv,
    "h1"sv,     "h2"sv,   "h3"sv,         "h4"sv,      "h5"sv,         "h6"sv,      "header"sv,
    "hr"sv,     "i"sv,    "img"sv,        "ins"sv,     "kbd"sv,        "li"sv,      "main"sv,
    "mark"sv,   "nav"sv,  "ol"sv,         "p"sv,       "picture"sv,    "pre"sv,     "q"sv,
    "rp"sv,     "rt"sv,   "ruby"sv,       "s"sv,       "samp"sv,       "section"sv, "small"sv,
    "source"sv, "span"sv, "strong"sv,     "sub"sv,     "summary"sv,    "sup"sv,     "table"sv,
    "tbody"sv,  "td"sv,   "tfoot"sv,      "th"sv,      "thead"sv,      "time"sv,    "tr"sv,
    "u"sv,      "ul"sv,   "var"sv,        "video"sv,   "wbr"sv};

// Attributes a frontend may draw on any element; `aria-…` and `data-…` besides.
constexpr std::array kGlobal = {"align"sv, "class"sv, "classname"sv, "dir"sv,     "id"sv,
                                "lang"sv,  "role"sv,  "title"sv,     "xml:lang"sv};

struct Owned {
  std::string_view element;
  std::string_view attribute;
};
constexpr std::array<Owned, 29> kOwned = {
    {{"a", "href"},          {"a", "xlink:href"},  {"audio", "controls"}, {"audio", "src"},
     {"blockquote", "cite"}, {"col", "span"},      {"colgroup", "span"},  {"del", "datetime"},
     {"details", "open"},    {"img", "alt"},       {"img", "height"},     {"img", "src"},
     {"img", "width"},       {"ins", "datetime"},  {"li", "value"},       {"ol", "reversed"},
     {"ol", "start"},        {"ol", "type"},       {"q", "cite"},         {"source", "src"},
     {"source", "type"},     {"td", "colspan"},    {"td", "rowspan"},     {"th", "colspan"},
     {"th", "rowspan"},      {"time", "datetime"}, {"video", "controls"}, {"video", "poster"},
     {"video", "src"}}};

bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

// Levenshtein's distance, as far as it is small.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::size_t, 32> row{};
  if (a.size() + 1 >= row.size() || b.size() + 1 >= row.size()) {
    return row.size();
  }
  for (std::size_t i = 0; i <= a.size(); ++i) {
    row[i] = i;
  }
  for (std::size_t j = 1; j <= b.size(); ++j) {
    std::size_t corner = row[0];
    row[0] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const std::size_t above = row[i];
      const std::size_t change = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[i] = std::min({above + 1, row[i - 1] + 1, change});
      corner = above;
    }
  }
  return row[a.size()];
}

}  // namespace

bool is_known_block(std::string_view name) {
  return std::find(kBlocks.begin(), kBlocks.end(), name) != kBlocks.end();
}

bool is_allowed_element(std::string_view name) {
  return std::binary_search(kElements.begin(), kElements.end(), name);
}

bool is_allowed_attribute(std::string_view element, std::string_view attribute) {
  const std::string name = ascii_lower(attribute);
  if (starts_with(name, "aria-") || starts_with(name, "data-") ||
      std::find(kGlobal.begin(), kGlobal.end(), name) != kGlobal.end()) {
    return true;
  }
  return std::any_of(kOwned.begin(), kOwned.end(), [&](const Owned& owned) {
    return owned.element == element && owned.attribute == name;
  });
}

std::string_view likely_block(std::string_view name) {
  for (const Removed& removed : kRemoved) {
    if (removed.name == name) {
      return removed.instead;
    }
  }
  const std::string lower = ascii_lower(name);
  std::string_view best;
  std::size_t least = 3;
  for (const std::string_view block : kBlocks) {
    const std::size_t away = distance(lower, ascii_lower(block));
    if (away < least && away * 2 < block.size()) {
      least = away;
      best = block;
    }
  }
  return best;
}

}  // namespace rb::rdr
