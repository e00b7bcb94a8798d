#include "daemon/reader/info_string.h"

#include <algorithm>

namespace rb::rdr {
namespace {

// Markdown's blanks: a no-break space is part of a word.
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class InfoReader {
 public:
  explicit InfoReader(std::string_view text) : text_(text) {}

  InfoString read() {
    InfoString out;
    skip_blanks();
    out.language = std::string(until_blank());
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) {
      if (text_[at_] == '{' || text_[at_] == '}') {
        ++at_;  // a group in braces reads as its words do
        continue;
      }
      read_word(out);
    }
    return out;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) {
      ++at_;
    }
  }
  std::string_view until_blank() {
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_blank(text_[at_])) {
      ++at_;
    }
    return text_.substr(from, at_ - from);
  }
  void read_word(InfoString& out) {
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '=' && text_[at_] != '}') {
      ++at_;
    }
    const std::string_view name = text_.substr(from, at_ - from);
    if (at_ == text_.size() || text_[at_] != '=' || name.empty()) {
      while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '}') {
        ++at_;  // "=x" alone: a word nobody knows
      }
      out.flags.emplace_back(text_.substr(from, at_ - from));
      return;
    }
    ++at_;
    out.attributes.emplace_back(std::string(name), read_value());
  }
  std::string read_value() {
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const char quote = text_[at_++];
      const std::size_t from = at_;
      const std::size_t end = std::min(text_.find(quote, at_), text_.size());
      at_ = end == text_.size() ? end : end + 1;
      return std::string(text_.substr(from, end - from));
    }
    const std::size_t from = at_;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '}') {
      ++at_;
    }
    return std::string(text_.substr(from, at_ - from));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool InfoString::has_flag(std::string_view flag) const {
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

InfoString parse_info_string(std::string_view info) {
  return InfoReader(info).read();
}

bool split_words(std::string_view line, std::vector<std::string>& words) {
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == '\'') {
      word += c;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      inside = true;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      inside = true;
    } else if (quote == 0 && is_blank(c)) {
      if (inside) {
        words.push_back(std::move(word));
        word.clear();
        inside = false;
      }
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) {
    words.push_back(std::move(word));
  }
  return quote == 0;
}

}  // namespace rb::rdr
