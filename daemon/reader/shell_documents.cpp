// Here-documents of the shell lexer.
#include <algorithm>

#include "daemon/reader/shell_lexer.h"

namespace rb::rdr {
namespace {

std::size_t backslashes_before(std::string_view line) {
  const std::size_t last = line.find_last_not_of('\\');
  return last == std::string_view::npos ? line.size() : line.size() - last - 1;
}

std::string_view without_tabs(std::string_view line) {
  const std::size_t first = line.find_first_not_of('\t');
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

}  // namespace

void ShellLexer::note_document(const Word& word, bool strip) {
  if (!word.known) {
    if (flow_.next() > word.first) {
      fail("a value in a here-document's end mark");
    } else {
      lose("a here-document whose end mark isn't known");
    }
    return;
  }
  if (word.literal.find('\n') != std::string::npos) {
    lose("a here-document whose end mark has several lines");
    return;
  }
  PendingDocument document;
  document.delimiter = word.literal;
  document.quoted = !word.plain;
  document.strip = strip;
  document.level = level_;
  document.variable = "<<" + std::to_string(documents_++);
  // The body is read later: what happens to this item happens to the body.
  const ItemId item = flow_.add_use(document.variable);
  top().command.inputs.push_back({item, item + 1});
  pending_.push_back(std::move(document));
}

// Where the body that starts here ends, and where the script goes on after it.
bool ShellLexer::find_end(const PendingDocument& document, std::size_t& end, std::size_t& resume) {
  // Shells that join lines at a backslash look for the mark in what they joined.
  std::string joined;
  bool continued = false;
  for (std::size_t at = pos_; at < limit_;) {
    const std::size_t stop = std::min(text_.find('\n', at), limit_);
    std::string_view line = text_.substr(at, stop - at);
    const auto first = std::lower_bound(cuts_.begin(), cuts_.end(), at);
    const bool has_value = first != cuts_.end() && *first <= stop;
    if (document.strip && !(first != cuts_.end() && *first == at)) {
      line = without_tabs(line);
    }
    const bool goes_on = !document.quoted && backslashes_before(line) % 2 == 1;
    joined = continued ? joined : "";
    joined += line.substr(0, line.size() - (goes_on ? 1U : 0U));
    joined.resize(std::min(joined.size(), document.delimiter.size() + 1));
    if ((continued || goes_on) && (joined == document.delimiter || line == document.delimiter)) {
      lose("a here-document whose end mark stands beside a backslash");
      return false;
    }
    if (!has_value && line == document.delimiter) {
      end = at;
      resume = std::min(stop + 1, limit_);
      return true;
    }
    continued = goes_on;
    if (has_value) {
      guard_line(document, at, stop);
    }
    at = stop + 1;
  }
  lose("a here-document that never ends");
  return false;
}

// A line with a value must not become the end mark when the value is put in as it is.
void ShellLexer::guard_line(const PendingDocument& document, std::size_t start, std::size_t end) {
  auto cut = std::lower_bound(cuts_.begin(), cuts_.end(), start);
  const auto index = static_cast<std::size_t>(cut - cuts_.begin());
  std::vector<std::string_view> parts;
  std::size_t from = start;
  for (; cut != cuts_.end() && *cut <= end; ++cut) {
    parts.push_back(text_.substr(from, *cut - from));
    from = *cut;
  }
  parts.push_back(text_.substr(from, end - from));
  if (document.strip) {
    parts.front() = without_tabs(parts.front());
  }
  const std::string_view mark = document.delimiter;
  std::size_t at = 0;
  for (const std::string_view part : parts) {  // do the fixed parts stand in the mark, in order?
    const std::size_t found = mark.find(part, at);
    if (found == std::string_view::npos) {
      return;
    }
    at = found + part.size();
  }
  if (!mark.starts_with(parts.front()) || !mark.ends_with(parts.back())) {
    return;
  }
  if (parts.size() > 2) {
    fail("values that together could end the here-document");
    return;
  }
  const std::size_t known = parts.front().size() + parts.back().size();
  if (known <= mark.size()) {
    decisions_[index].not_value =
        std::string(mark.substr(parts.front().size(), mark.size() - known));
  }
}

// At the start of the line after the one with << in it.
void ShellLexer::start_documents() {
  while (!pending_.empty() && !stopped()) {
    const PendingDocument document = std::move(pending_.front());
    pending_.erase(pending_.begin());
    if (document.level != level_) {
      lose("a here-document that begins within something else");
      return;
    }
    std::size_t end = 0;
    std::size_t resume = 0;
    if (!find_end(document, end, resume)) {
      return;
    }
    if (document.quoted) {
      read_quoted_document(document, end);
      pos_ = resume;
      continue;
    }
    Frame& frame = push(FrameKind::Document);
    frame.outer_limit = limit_;
    frame.resume = resume;
    frame.document = document.variable;
    limit_ = end;
    return;  // the rest follows when this one has been read
  }
}

void ShellLexer::read_quoted_document(const PendingDocument& document, std::size_t end) {
  const ItemId first = flow_.next();
  while (pos_ < end) {
    if (cut_ < cuts_.size() && cuts_[cut_] == pos_) {
      flow_.add_insertion();
      ++cut_;
      continue;
    }
    if (text_[pos_] == '$') {
      const std::size_t from = pos_ + (ahead("${") ? 2U : 1U);
      if (const std::size_t name = name_end(from); name > from) {
        flow_.add_use(text_.substr(from, name - from));
      }
    }
    ++pos_;
  }
  const ItemRange body{first, flow_.next()};
  flow_.mark(body, "in a here-document whose end mark is quoted");
  flow_.assign(document.variable, body);
}

void ShellLexer::end_document() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const ItemRange body{frame.first, flow_.next()};
  flow_.assign(frame.document, body);
  flow_.assign("<stdin>", body);
  limit_ = frame.outer_limit;
  pos_ = frame.resume;
  start_documents();
}

}  // namespace rb::rdr
