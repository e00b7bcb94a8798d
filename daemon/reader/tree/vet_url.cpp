// URLs that could run code, read as a browser reads them.
#include <algorithm>
#include <array>

#include "daemon/reader/tree/unicode.h"
#include "daemon/reader/tree/vet.h"

namespace rb::rdr {
namespace {

using grammar::ascii_lower;

using namespace std::string_view_literals;

// A link may lead there; whatever has another scheme is shown as text.
constexpr std::array kSchemes = {"http"sv, "https"sv, "mailto"sv, "tel"sv, "xmpp"sv, "ftp"sv};

bool is_dropped(char c) {
  return c == '\t' || c == '\n' || c == '\r';
}

// What browsers look at: without leading controls and spaces, tabs and line endings.
std::string as_browsers_read(std::string_view url) {
  std::size_t begin = 0;
  while (begin < url.size() && static_cast<unsigned char>(url[begin]) <= ' ') {
    ++begin;
  }
  std::string out;
  for (const char c : url.substr(begin)) {
    if (!is_dropped(c)) {
      out += ascii_lower(c);
    }
  }
  return out;
}

}  // namespace

bool is_script_url(std::string_view url) {
  constexpr std::string_view kScheme = "javascript:";
  std::size_t at = 0;
  // The tree shows NUL as U+FFFD; a browser may have seen the NUL.
  while (at < url.size() &&
         (static_cast<unsigned char>(url[at]) <= ' ' || url.substr(at, 3) == "\xef\xbf\xbd")) {
    at += static_cast<unsigned char>(url[at]) <= ' ' ? 1 : 3;
  }
  for (std::size_t matched = 0; matched < kScheme.size(); ++at) {
    if (at >= url.size()) {
      return false;
    }
    if (matched > 0 && is_dropped(url[at])) {
      continue;
    }
    if (ascii_lower(url[at]) != kScheme[matched]) {
      return false;
    }
    ++matched;
  }
  return true;
}

bool holds_script_url(std::string_view value) {
  while (true) {
    const std::size_t end = value.find(';');
    if (is_script_url(value.substr(0, end))) {
      return true;
    }
    if (end == std::string_view::npos) {
      return false;
    }
    value.remove_prefix(end + 1);
  }
}

bool is_followable_url(std::string_view url) {
  const std::string seen = as_browsers_read(url);
  const std::size_t colon = seen.find_first_of(":/?#");
  if (colon == std::string::npos || seen[colon] != ':') {
    return true;  // relative
  }
  const std::string_view scheme = std::string_view(seen).substr(0, colon);
  return std::find(kSchemes.begin(), kSchemes.end(), scheme) != kSchemes.end();
}

}  // namespace rb::rdr
